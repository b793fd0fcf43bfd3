import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { findWrittenWith } from '../platform/crypto/root-key-check.ts'
import { loadRootKeys, type RootKeySettings } from '../platform/crypto/root-key-settings.ts'
import type { RootKeys } from '../platform/crypto/root-key.ts'
import { connectDirectly } from '../platform/db/connection.ts'
import { Database } from '../platform/db/db.ts'
import type { Progress } from './progress.ts'

/** The database and keys that the configuration names, opened. */
export type Installation = {
  db: Database
  directUrl: string
  roots: RootKeys
  /** The database, for a person, without credentials. */
  description: string
  close: () => Promise<void>
}

type Postgres = { url: string; directUrl: string; description: string; stop: () => Promise<void> }

/** Told of what happens to its own PostgreSQL after the start. */
type Warn = (message: string) => void

/** For the server: its own PostgreSQL where no other is configured. An external one need not be up yet. */
export const openInstallation = async (config: Config, progress: Progress, warn: Warn): Promise<Installation> =>
  opened(config, externalPostgres(config) ?? (await ownPostgres(config, progress, warn)))

/** For a command beside it: the PostgreSQL of a running server is used, and one that is not running is started for a while. */
export const joinInstallation = async (config: Config, progress: Progress): Promise<Installation> =>
  opened(
    config,
    externalPostgres(config) ??
      (await runningPostgres(config)) ??
      (await ownPostgres(config, progress, (message) => progress.line(`  ${message}`))),
  )

/** Does the work on an installation that is being opened, and closes it whatever happens. */
export const withInstallation = async <T>(
  opening: Promise<Installation>,
  work: (installation: Installation) => Promise<T>,
): Promise<T> => {
  const installation = await opening
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

export const rootKeySettings = ({ rootKey, database, dataDir }: Config): RootKeySettings => ({
  rootKey: rootKey.value,
  rootKeyFile: rootKey.file,
  previousRootKey: rootKey.previous,
  generateIn: database.url === undefined ? dataDir : undefined,
})

const opened = async (config: Config, postgres: Postgres): Promise<Installation> => {
  try {
    const roots = await loadRootKeys(rootKeySettings(config), () => readWrittenWith(config, postgres.directUrl))
    const db = new Database({ ...config.database, url: postgres.url, applicationName: 'holdfast' })
    const close = () => db.close().finally(postgres.stop)
    return { db, directUrl: postgres.directUrl, roots, description: postgres.description, close }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

const readWrittenWith = async ({ database }: Config, url: string): Promise<string | undefined> => {
  const { statementTimeoutMs } = database
  const client = await connectDirectly({ url, applicationName: 'holdfast', statementTimeoutMs })
  return findWrittenWith(client).finally(() => client.end())
}

const externalPostgres = ({ database }: Config): Postgres | undefined =>
  database.url === undefined
    ? undefined
    : {
        url: database.url,
        directUrl: database.directUrl ?? database.url,
        description: `PostgreSQL at ${new URL(database.url).host || 'its socket'}`,
        stop: () => Promise.resolve(),
      }

// The embedded PostgreSQL is not even loaded where another is configured.

const ownPostgres = async ({ dataDir }: Config, progress: Progress, warn: Warn): Promise<Postgres> => {
  if (process.platform === 'win32') {
    throw new OperatorError('Holdfast cannot start its own PostgreSQL on Windows: set DATABASE_URL to one')
  }
  const { startEmbeddedPostgres } = await import('../platform/postgres/embedded-postgres.ts')
  const { url, stop } = await progress.step('PostgreSQL', (report) => startEmbeddedPostgres({ dataDir, report, warn }))
  return { url, directUrl: url, description: `PostgreSQL in ${dataDir}`, stop }
}

const runningPostgres = async ({ dataDir }: Config): Promise<Postgres | undefined> => {
  const { findRunningPostgres } = await import('../platform/postgres/running-postgres.ts')
  const url = await findRunningPostgres(dataDir)
  return url === undefined
    ? undefined
    : { url, directUrl: url, description: `PostgreSQL in ${dataDir}`, stop: () => Promise.resolve() }
}
