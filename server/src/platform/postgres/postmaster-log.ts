import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unless } from '../../lib/error-code.ts'

/** Beyond this a start puts the log aside, in place of the one before. */
const MAX_LOG_BYTES = 8 * 1024 * 1024
const MAX_TAIL_BYTES = 16 * 1024
const WATCH_INTERVAL_MS = 1_000
/** Of one look; what follows says the same again. */
const MAX_ALARMS = 5

/** It has no room, or has lost one of its processes and with it every connection. */
const ALARM = /PANIC: |No space left on device|was terminated by (?:signal|exception)/

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
    return withoutPrefix(lines.find((line) => /(FATAL|PANIC): /.test(line)) ?? lines.at(-1) ?? '')
  }
  return { file, lastReason }
}

/** Tells of every alarm that PostgreSQL writes from now on. */
export const watchLog = async (path: string, tell: (line: string) => void) => {
  let position = (await unless(['ENOENT'], stat(path)))?.size ?? 0
  const look = async () => {
    const { lines, end } = await readFrom(path, position)
    position = end
    const alarms = new Set(lines.filter((line) => ALARM.test(line)).map(withoutPrefix))
    for (const line of [...alarms].slice(0, MAX_ALARMS)) tell(line)
  }
  // A log that cannot be read now can be read at the next look.
  const timer = setInterval(() => void look().catch(() => undefined), WATCH_INTERVAL_MS).unref()
  return { look: () => look().catch(() => undefined), close: () => clearInterval(timer) }
}

/** The whole lines behind a position, the newest where they are many. A log that has become shorter was put aside. */
const readFrom = async (path: string, position: number): Promise<{ lines: string[]; end: number }> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const start = Math.max(size < position ? 0 : position, size - MAX_TAIL_BYTES)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start })
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1
    return { lines: buffer.toString('utf8', 0, end).split('\n'), end: start + end }
  } finally {
    await file.close()
  }
}

const withoutPrefix = (line: string): string => line.replace(/^.*?(?=[A-Z]+: )/, '')
