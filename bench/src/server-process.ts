import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'holdfast/test/free-port.js'

const HOLDFAST = new URL('../../../server/bin/holdfast.mjs', import.meta.url).pathname
const PACKAGE = new URL('../../../package.json', import.meta.url)
const START_MS_MAX = 60_000
const STOP_MS_MAX = 30_000
const POLL_MS = 5
const POLL_TIMEOUT_MS = 1_000
const COMPLAINTS_LENGTH_MAX = 10_000

export type ServerProcess = {
  url: string
  pid: number
  /** From the start of the process to its first good answer. */
  startSeconds: number
  stop: () => Promise<void>
}

export type StartOptions = {
  signal: AbortSignal
  nodeOptions?: readonly string[]
  /** Beside what every server here is started with. */
  environment?: Readonly<Record<string, string>>
}

export type DataDirectory = {
  path: string
  start: (options: StartOptions) => Promise<ServerProcess>
  remove: () => Promise<void>
}

/** A folder on which the built server can be started, as people run it, with its own PostgreSQL. */
export const createDataDirectory = async (): Promise<DataDirectory> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-'))
  return {
    path: directory,
    start: (options) => launch(directory, options),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

const launch = async (
  directory: string,
  { signal, nodeOptions = [], environment = {} }: StartOptions,
): Promise<ServerProcess> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...optionsOfNpmStart(), ...nodeOptions, HOLDFAST, 'serve'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Out of reach of the terminal's Ctrl-C: it is stopped once, and in order.
    detached: true,
    env: {
      PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      PORT: String(port),
      HOST: '127.0.0.1',
      SITE_URL: url,
      LOG_LEVEL: 'warn',
      HOLDFAST_DATA_DIR: directory,
      // The OpenID provider of the cases.
      OUTBOUND_ALLOWED_CIDRS: '127.0.0.1/32',
      ...environment,
    },
  })
  let complaints = ''
  child.stderr.on(
    'data',
    (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-COMPLAINTS_LENGTH_MAX)),
  )
  try {
    await untilReady(url, child, signal)
    const startSeconds = (performance.now() - startedAt) / 1_000
    return { url, pid: child.pid ?? 0, startSeconds, stop: () => end(child) }
  } catch (error) {
    await end(child)
    throw new Error(`the server did not start: ${complaints}`, { cause: error })
  }
}

/** What `npm start` tells Node, so that what is measured is what people get. */
const optionsOfNpmStart = (): string[] => {
  const { scripts } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { scripts: { start: string } }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await ended
  clearTimeout(lastResort)
}

const untilReady = async (url: string, child: ChildProcess, signal: AbortSignal): Promise<void> => {
  const deadline = performance.now() + START_MS_MAX
  while (child.exitCode === null && performance.now() < deadline) {
    signal.throwIfAborted()
    if (await isReady(url)) return
    await sleep(POLL_MS)
  }
  throw new Error('it ended or took too long')
}

const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(`${url}/api/status`, { timeout: POLL_TIMEOUT_MS }, (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode === 200))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
