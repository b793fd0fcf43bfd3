import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { codeOf, unless } from '../../lib/error-code.ts'
import { run } from './command.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import { withShortPath } from './short-path.ts'

export type DirectoryLock = { release: () => Promise<void> }

/*
 * The holder listens on a Unix socket inside the directory: the kernel ends that with the process, however it dies, and shows it
 * to every process and container that sees the directory. Removing a dead socket's file by name could hit a successor's, so each
 * holder takes the next generation, `lock.N`, instead: a directory made ready under another name, socket already listening, and
 * renamed into place, which fails while `lock.N` is there. The highest generation is never removed, not even on release.
 */
const GENERATION = /^lock\.(\d+)$/
const CANDIDATE = /^lock\.new-/
const MAX_ATTEMPTS = 50

const highestGeneration = async (directory: string) =>
  Math.max(0, ...(await readdir(directory)).map((name) => Number(GENERATION.exec(name)?.[1] ?? 0)))

const listen = (path: string) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen({ path, exclusive: true }, () => {
      server.unref()
      resolve(server)
    })
  })

/** Accepting is the kernel's doing, so a holder that is stopped or busy still counts as alive. */
const isListening = (path: string) =>
  new Promise<boolean>((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => {
      const code = codeOf(error) ?? ''
      if (code === 'EAGAIN') resolve(true)
      else if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)) resolve(false)
      else reject(error)
    })
  })

/** Makes a directory ready to become the lock: it holds the pid and a socket that listens. */
const prepareCandidate = async (directory: string, path: string) => {
  await mkdir(path, { mode: 0o755 })
  await writeFile(join(path, 'pid'), `${process.pid}\n`)
  const { uid, gid } = await stat(directory)
  const server = await withShortPath(join(path, 'socket'), listen)
  // What root leaves in someone's folder must not lock its owner out later.
  if (process.getuid?.() === 0) await run('chown', ['-R', `${uid}:${gid}`, path])
  return server
}

const refuseIfHeld = async (directory: string, generation: number) => {
  const path = join(directory, `lock.${generation}`)
  if (generation === 0 || !(await withShortPath(join(path, 'socket'), isListening))) return
  const pid = (await unless(['ENOENT'], readFile(join(path, 'pid'), 'utf8')))?.trim() ?? 'unknown'
  throw new DataDirectoryError(
    `Another Holdfast (pid ${pid}) already uses ${directory}: stop it first, or point HOLDFAST_DATA_DIR elsewhere.`,
  )
}

const removeOthers = async (directory: string, generation: number) => {
  const names = await readdir(directory)
  const others = names.filter(
    (name) => CANDIDATE.test(name) || Number(GENERATION.exec(name)?.[1] ?? generation) < generation,
  )
  await Promise.all(others.map((name) => rm(join(directory, name), { recursive: true, force: true, maxRetries: 3 })))
}

/** True if it is now the highest generation; false when another process was faster. */
const publish = async (directory: string, candidate: string, generation: number) => {
  const target = join(directory, `lock.${generation}`)
  const renaming = rename(candidate, target).then(() => true)
  if (!(await unless(['ENOTEMPTY', 'EEXIST', 'ENOENT'], renaming))) return false
  if ((await highestGeneration(directory)) === generation) return true

  // A successor had already cleared this name away: what we got is a generation of the past.
  await rm(target, { recursive: true, force: true })
  return false
}

/** Whoever takes the lock clears all candidates away, maybe before they are ready: that is undefined, not a failure. */
const tryCandidate = async (directory: string, candidate: string) => {
  try {
    return await prepareCandidate(directory, candidate)
  } catch (error) {
    if (await unless(['ENOENT'], stat(candidate))) throw error
    return undefined
  }
}

/** One attempt; undefined when another process was faster and all must be looked at again. */
const attempt = async (directory: string): Promise<Server | undefined> => {
  const held = await highestGeneration(directory)
  await refuseIfHeld(directory, held)

  const candidate = join(directory, `lock.new-${process.pid}-${randomBytes(6).toString('hex')}`)
  const server = await tryCandidate(directory, candidate)
  if (server && (await publish(directory, candidate, held + 1))) {
    await removeOthers(directory, held + 1)
    return server
  }
  server?.close()
  await rm(candidate, { recursive: true, force: true })
  return undefined
}

/** Takes the directory for this process; of several that try at once exactly one gets it, the others a DataDirectoryError. */
export const lockDirectory = async (directory: string): Promise<DirectoryLock> => {
  for (let tried = 0; tried < MAX_ATTEMPTS; tried++) {
    // The holder may end just while it is asked whether it lives.
    const server = await unless(['ECONNRESET'], attempt(directory))
    if (server) return { release: () => new Promise((resolve) => server.close(() => resolve())) }
  }
  throw new DataDirectoryError(`Several Holdfast servers fight over ${directory}: start one of them.`)
}
