import type pg from 'pg'
import type { Config } from '../config.ts'
import { MIGRATIONS_FOLDER } from '../foundation.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { verifyRootKey } from '../platform/crypto/root-key-check.ts'
import { connectDirectly } from '../platform/db/connection.ts'
import { readMigrations, requireMigrated } from '../platform/db/migrations.ts'
import { databaseProblem } from './database-problem.ts'
import { type Installation, joinInstallation } from './installation.ts'
import { Progress } from './progress.ts'

type Checks = { config: Config; installation: Installation; client: pg.Client }
type Check = { title: string; run: (checks: Checks) => Promise<string | undefined> }

const POSTGRES_MINIMUM = 140_000
const CLOCK_SKEW_MS_MAX = 5_000
/** Left for other servers, the change feed, jobs and administration. */
const CONNECTIONS_SPARE = 10

/** Each returns what is wrong and how to mend it, or nothing. */
const CHECKS: Check[] = [
  {
    title: 'PostgreSQL is version 14 or later',
    run: async ({ client }) => {
      const version = Number(await show(client, 'server_version_num'))
      return version >= POSTGRES_MINIMUM ? undefined : `it is ${await show(client, 'server_version')}: upgrade it`
    },
  },
  {
    title: 'The root key fits the database',
    run: ({ client, installation }) => complaintOf(verifyRootKey(client, installation.roots)),
  },
  {
    title: 'The schema is up to date',
    run: async ({ client }) => complaintOf(requireMigrated(client, await readMigrations(MIGRATIONS_FOLDER))),
  },
  {
    title: 'Sessions are kept (no transaction pooler in between)',
    run: async ({ client, installation }) => {
      const other = await connect(installation.directUrl)
      const pids = await Promise.all([pidOf(client), pidOf(other)]).finally(() => other.end())
      const [first, second] = pids
      return first === second
        ? 'two connections share one session: set DATABASE_DIRECT_URL to the database itself'
        : undefined
    },
  },
  {
    title: 'Commits are durable',
    run: async ({ client }) => {
      const off = []
      for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
        if ((await show(client, setting)) === 'off') off.push(setting)
      }
      return off.length === 0
        ? undefined
        : `${off.join(', ')} is off: what is acknowledged can be lost in a crash; turn it on`
    },
  },
  {
    title: 'There are enough connections',
    run: async ({ client, config }) => {
      const max = Number(await show(client, 'max_connections'))
      const wanted = config.database.connectionsMax + CONNECTIONS_SPARE
      return max >= wanted
        ? undefined
        : `max_connections is ${max}, ${wanted} are needed: raise it, or lower DATABASE_POOL_SIZE`
    },
  },
  {
    title: 'The clocks of this machine and the database agree',
    run: async ({ client }) => {
      const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
      const skewMs = Math.abs((rows[0]?.now.getTime() ?? 0) - Date.now())
      return skewMs <= CLOCK_SKEW_MS_MAX
        ? undefined
        : `they differ by ${Math.round(skewMs / 1000)} s: synchronise them (NTP)`
    },
  },
]

/** Looks at everything that can be wrong with a set-up, in the order in which it would matter. Exit code 1 if anything is. */
export const doctor = async (readConfig: () => Config): Promise<0 | 1> => {
  const progress = new Progress()
  const config = await attempt(progress, 'The configuration is valid', () => Promise.resolve(readConfig()))
  if (!config) return 1
  const installation = await attempt(progress, 'Data directory and root key can be read', () =>
    joinInstallation(config, progress),
  )
  if (!installation) return 1
  try {
    const client = await attempt(progress, `The database answers (${installation.description})`, () =>
      connect(installation.directUrl),
    )
    if (!client) return 1
    return await runChecks(progress, { config, installation, client }).finally(() => client.end())
  } finally {
    await installation.close()
  }
}

const runChecks = async (progress: Progress, checks: Checks): Promise<0 | 1> => {
  let exitCode: 0 | 1 = 0
  for (const { title, run } of CHECKS) {
    const complaint = await run(checks)
    if (complaint !== undefined) exitCode = 1
    progress.line(complaint === undefined ? `  ✓ ${title}` : `  ✗ ${title}: ${complaint}`)
  }
  return exitCode
}

/** Undefined, and said so, when the rest cannot be looked at. */
const attempt = async <T>(progress: Progress, title: string, work: () => Promise<T>): Promise<T | undefined> => {
  try {
    const result = await work()
    progress.line(`  ✓ ${title}`)
    return result
  } catch (error) {
    const complaint = error instanceof OperatorError ? error.message : databaseProblem(error)?.advice
    if (complaint === undefined) throw error
    progress.line(`  ✗ ${title}: ${complaint.replaceAll('\n', '; ')}`)
    return undefined
  }
}

const complaintOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OperatorError) return error.message
      throw error
    },
  )

const connect = (url: string): Promise<pg.Client> =>
  connectDirectly({ url, applicationName: 'holdfast-doctor', statementTimeoutMs: 10_000 })

const show = async (client: pg.Client, setting: string): Promise<string> => {
  const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [setting])
  return rows[0]?.value ?? ''
}

const pidOf = async (client: pg.Client): Promise<number | undefined> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
