import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { ChangeFeed } from './platform/changes/feed.ts'
import type { Clock } from './platform/clock.ts'
import { Keyring } from './platform/crypto/keyring.ts'
import { verifyRootKey } from './platform/crypto/root-key-check.ts'
import type { RootKeys } from './platform/crypto/root-key.ts'
import { TokenSigner } from './platform/crypto/token.ts'
import { connectDirectly } from './platform/db/connection.ts'
import type { Database } from './platform/db/db.ts'
import { migrate, readMigrations, requireMigrated } from './platform/db/migrations.ts'
import { requirePostgresVersion } from './platform/db/postgres-version.ts'

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))

export type FoundationDeps = {
  config: Config
  db: Database
  /** The same database around any pooler. */
  directUrl: string
  roots: RootKeys
  log: Logger
  /** For tests: a clock in place of the database's. */
  clock?: (real: Clock) => Clock
}

export type Foundation = ReturnType<typeof createFoundation>

/** What every module stands on. Nothing of it runs or is connected yet. */
export const createFoundation = ({ clock = (real) => real, ...deps }: FoundationDeps) => {
  const { config, db, directUrl, roots, log } = deps
  const { statementTimeoutMs } = config.database
  const direct = { url: directUrl, applicationName: 'holdfast-direct', statementTimeoutMs }
  const changes = new ChangeFeed({
    db,
    direct,
    observer: {
      reset: (reason) => log[reason === 'started' ? 'debug' : 'warn']({ reason }, 'the change feed started anew'),
      disconnected: (error) => log.warn({ err: error }, 'the change feed lost its connection'),
      connected: () => log.debug('the change feed is connected'),
      failed: (what, error) => log.error({ err: error, what }, 'the change feed met a failure'),
    },
  })
  const keyring = new Keyring({ db, roots })
  const signer = new TokenSigner({ db, keyring })
  return { ...deps, direct, changes, keyring, signer, clock: clock(changes.clock) }
}

type Preparation = {
  report: (progress: string) => void
  /** False: a database that is behind is refused instead. */
  mayMigrate: boolean
}

/** Checks that version and root key fit before anything is written, and brings the schema up to date. */
export const prepareDatabase = async (
  { direct, roots, keyring, signer }: Foundation,
  { report, mayMigrate }: Preparation,
): Promise<void> => {
  const client = await connectDirectly(direct)
  try {
    await requirePostgresVersion(client)
    await verifyRootKey(client, roots)
    const migrations = await readMigrations(MIGRATIONS_FOLDER)
    if (mayMigrate) await migrate(client, migrations, report)
    else await requireMigrated(client, migrations)
  } finally {
    await client.end()
  }
  await keyring.establish()
  await signer.prepare()
}
