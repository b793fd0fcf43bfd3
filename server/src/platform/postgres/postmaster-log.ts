import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unless } from './errno.ts'

/** Beyond this a start puts the log aside, in place of the one before. */
const MAX_LOG_BYTES = 8 * 1024 * 1024
const MAX_TAIL_BYTES = 16 * 1024

/** A handle for the new postmaster, and a way to ask why it ended. */
export const openLog = async (path: string) => {
  if (((await unless(['ENOENT'], stat(path)))?.size ?? 0) > MAX_LOG_BYTES) await rename(path, `${path}.1`)
  const file = await open(path, 'a+', 0o600)
  const { size: start } = await file.stat()
  // What root leaves in someone's folder must not lock its owner out later.
  const { uid, gid } = await stat(dirname(path))
  if (process.getuid?.() === 0) await file.chown(uid, gid)

  const lastReason = async () => {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_TAIL_BYTES), position: start })
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n')
    return (lines.find((line) => /(FATAL|PANIC): /.test(line)) ?? lines.at(-1) ?? '').replace(/^.*?(?=[A-Z]+: )/, '')
  }
  return { file, lastReason }
}
