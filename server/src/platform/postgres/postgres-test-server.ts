import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { DataDirectoryError, startEmbeddedPostgres } from './embedded-postgres.ts'

type Context = { after: (work: () => Promise<void>) => void }

type Line = { report?: string; url?: string; refusal?: string }

/** A process of its own that starts the database and keeps it, to be killed by a test. */
const SERVER = `
  const [module, options] = process.argv.slice(1)
  const { DataDirectoryError, startEmbeddedPostgres } = await import(module)
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
  process.on('disconnect', () => process.exit())
  try {
    const { url } = await startEmbeddedPostgres({ ...JSON.parse(options), report: (report) => say({ report }) })
    say({ url })
    setInterval(() => {}, 1000)
  } catch (error) {
    say({ refusal: error instanceof DataDirectoryError ? error.message : error.stack })
    process.exit()
  }
`

const LIMIT_MS = 20_000

/** Polls until the condition holds; a test has no other way to learn of a foreign process's doing. */
export const eventually = async <T>(read: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> => {
  const deadline = performance.now() + LIMIT_MS
  while (performance.now() < deadline) {
    const value = await read()
    if (value !== undefined && value !== false) return value
    await delay(10)
  }
  throw new Error(`Waited in vain for: ${what}`)
}

/** For `assert.rejects`: a refusal in one line that says all this. */
export const refusal =
  (...parts: RegExp[]) =>
  (error: unknown) => {
    assert(error instanceof DataDirectoryError, String(error))
    assert(!error.message.includes('\n'), 'one line')
    for (const part of parts) assert.match(error.message, part)
    return true
  }

const started = new Set<{ dataDir: string; stop: () => Promise<void> }>()

/** A data directory in a folder of its own that a user of the database may enter; what runs on it is stopped at the end. */
export const temporaryDataDirectory = async (t: Context, name = 'data') => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, name)
  t.after(async () => {
    for (const postgres of started) if (postgres.dataDir === dataDir) await postgres.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  return dataDir
}

export const startHere = async (dataDir: string, { ephemeral = true } = {}) => {
  const reports: string[] = []
  const postgres = await startEmbeddedPostgres({ dataDir, ephemeral, report: (line) => reports.push(line) })
  started.add({ dataDir, stop: postgres.stop })
  return { ...postgres, reports }
}

/** Starts a server in a process of its own; `outcome` resolves when it serves or refuses. */
export const spawnServer = (t: Context, dataDir: string, { ephemeral = true } = {}) => {
  const module = new URL('embedded-postgres.js', import.meta.url).href
  const args = ['--input-type=module', '--eval', SERVER, module, JSON.stringify({ dataDir, ephemeral })]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  const lines: Line[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line) as Line))
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  t.after(kill)
  const outcome = () =>
    eventually(() => lines.find(({ url, refusal }) => url ?? refusal), 'the server to start or refuse')
  return { pid: child.pid ?? 0, kill, outcome, lines }
}

export const postmasterPid = async (dataDir: string) =>
  Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** A dead process that nobody has buried yet does not count. */
export const isAlive = async (pid: number) => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout !== '' && !stdout.startsWith('Z')
}

export const query = async (url: string, text: string) => {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  return client
    .query<Record<string, unknown>>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
