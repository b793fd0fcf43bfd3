import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'holdfast/test/free-port.js'
import { createEmptyDatabase } from 'holdfast/test/test-database.js'

const HOLDFAST = new URL('../../../server/bin/holdfast.mjs', import.meta.url).pathname
const START_MS_MAX = 60_000

export type ServerProcess = { url: string; stop: () => Promise<void>; kill: () => Promise<void> }

/** The built server as people run it, in a process of its own on an empty database of the test run. */
export const startServerProcess = async (): Promise<ServerProcess> => {
  const database = await createEmptyDatabase()
  const rootKey = Buffer.alloc(32, 1).toString('base64')
  const server = await launch({ DATABASE_URL: database.url, HOLDFAST_ROOT_KEY: rootKey })
  const stop = async () => {
    await server.stop()
    await database.drop()
  }
  return { ...server, stop }
}

/** A data directory of its own, on which servers with an embedded PostgreSQL can be started. */
export const createDataDirectory = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'holdfast-e2e-'))
  return {
    path: directory,
    start: (environment: Record<string, string> = {}) => launch({ HOLDFAST_DATA_DIR: directory, ...environment }),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A server that must not start: how it ended and what it said. */
export const refusedServer = async (
  environment: Record<string, string>,
): Promise<{ code: number | null; said: string }> => {
  const { child, complaints } = run(await freePort(), environment)
  const deadline = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX)
  await once(child, 'exit')
  clearTimeout(deadline)
  return { code: child.exitCode, said: complaints() }
}

/** A server that is only started; it may not be able to serve yet. */
export const spawnServer = async (environment: Record<string, string>): Promise<ServerProcess> => {
  const port = await freePort()
  const { child } = run(port, environment)
  return { url: `http://127.0.0.1:${port}`, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') }
}

const launch = async (environment: Record<string, string>): Promise<ServerProcess> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { child, complaints } = run(port, environment)
  try {
    await untilReady(url, child)
  } catch (error) {
    await end(child, 'SIGTERM')
    throw new Error(`the server did not start: ${complaints()}`, { cause: error })
  }
  return { url, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') }
}

const run = (port: number, environment: Record<string, string>) => {
  const child = spawn(process.execPath, [HOLDFAST, 'serve'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      PORT: String(port),
      HOST: '127.0.0.1',
      SITE_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'warn',
      ...environment,
    },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return { child, complaints: () => said }
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

const untilReady = async (url: string, child: ChildProcess): Promise<void> => {
  const deadline = performance.now() + START_MS_MAX
  while (child.exitCode === null && performance.now() < deadline) {
    const response = await fetch(`${url}/api/status`).catch(() => undefined)
    if (response?.ok) return
    await sleep(50)
  }
  throw new Error('it ended or took too long')
}
