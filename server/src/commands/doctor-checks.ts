import type pg from 'pg'
import type { Config } from '../config.ts'
import { MIGRATIONS_FOLDER } from '../foundation.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { verifyRootKey } from '../platform/crypto/root-key-check.ts'
import { connectDirectly } from '../platform/db/connection.ts'
import { missingMigrations, readMigrations } from '../platform/db/migrations.ts'
import { POSTGRES_MAJOR_MIN, requirePostgresVersion } from '../platform/db/postgres-version.ts'
import type { Installation } from './installation.ts'

export type Subject = { config: Config; installation: Installation; client: pg.Client }

/** Throws what is wrong and how to mend it. A text that it returns is worth knowing, though nothing is wrong. */
type Check = { title: string; run: (subject: Subject) => Promise<unknown> }

const CLOCK_SKEW_MS_MAX = 5_000
/** Left for other servers, the change feed, jobs and administration. */
const CONNECTIONS_SPARE = 10

/** In the order in which they would matter. */
export const CHECKS: Check[] = [
  {
    title: `PostgreSQL is version ${POSTGRES_MAJOR_MIN} or later`,
    run: ({ client }) => requirePostgresVersion(client),
  },
  {
    title: 'The database can be written to',
    run: async ({ client }) => {
      const { rows } = await client.query<{ isReadOnly: boolean; mayCreate: boolean | null; role: string }>(
        `select current_setting('transaction_read_only')::boolean as "isReadOnly", current_user as role,
          has_schema_privilege(current_schema(), 'create') as "mayCreate"`,
      )
      const { isReadOnly, mayCreate, role } = rows[0] ?? {}
      if (isReadOnly) throw new OperatorError('It takes no writes: point DATABASE_URL to the primary, not to a copy')
      if (mayCreate !== true)
        throw new OperatorError(`The role '${role}' may not make tables: make it the owner of the database`)
    },
  },
  {
    title: 'The root key fits the database',
    run: ({ client, installation }) => verifyRootKey(client, installation.roots),
  },
  {
    title: 'The schema fits this version of Holdfast',
    run: async ({ client }) => {
      const migrations = await readMigrations(MIGRATIONS_FOLDER)
      const missing = await missingMigrations(client, migrations)
      if (missing.length === migrations.length) return 'The database is new: the first start makes its tables'
      if (missing.length > 0)
        return 'It is of an earlier version: the next start, or npx holdfast migrate, brings it up to date'
    },
  },
  {
    title: 'Sessions are kept (no transaction pooler in between)',
    run: async ({ client, installation }) => {
      const other = await connect(installation.directUrl)
      const pids = await Promise.all([pidOf(client), pidOf(other)]).finally(() => other.end())
      if (pids[0] === pids[1])
        throw new OperatorError('Two connections share one session: set DATABASE_DIRECT_URL to the database itself')
    },
  },
  {
    title: 'Commits are durable',
    run: async ({ client }) => {
      const off = []
      for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
        if ((await show(client, setting)) === 'off') off.push(setting)
      }
      if (off.length === 0) return
      throw new OperatorError(
        `What is acknowledged can be lost in a crash: turn ${off.join(' and ')} on in the configuration of PostgreSQL`,
      )
    },
  },
  {
    title: 'There are enough connections',
    run: async ({ client, config }) => {
      const max = Number(await show(client, 'max_connections'))
      const wanted = config.database.connectionsMax + CONNECTIONS_SPARE
      if (max < wanted)
        throw new OperatorError(
          `PostgreSQL allows ${max}, and ${wanted} are needed: raise its max_connections, or lower DATABASE_POOL_SIZE`,
        )
    },
  },
  {
    title: 'The clocks of this machine and the database agree',
    run: async ({ client }) => {
      const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
      const skewMs = Math.abs((rows[0]?.now.getTime() ?? 0) - Date.now())
      if (skewMs > CLOCK_SKEW_MS_MAX)
        throw new OperatorError(`They differ by ${Math.round(skewMs / 1000)} s: synchronise them (NTP)`)
    },
  },
]

export const connect = (url: string): Promise<pg.Client> =>
  connectDirectly({ url, applicationName: 'holdfast-doctor', statementTimeoutMs: 10_000 })

const show = async (client: pg.Client, setting: string): Promise<string> => {
  const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [setting])
  return rows[0]?.value ?? ''
}

const pidOf = async (client: pg.Client): Promise<number | undefined> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
