import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { loadRootKeys, type RootKeySettings } from '../platform/crypto/root-key-settings.ts'
import type { RootKeys } from '../platform/crypto/root-key.ts'
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

/** For the server: its own PostgreSQL where no other is configured. An external one need not be up yet. */
export const openInstallation = async (config: Config, progress: Progress): Promise<Installation> =>
  opened(config, externalPostgres(config) ?? (await ownPostgres(config, progress)))

/** For a command beside it: the PostgreSQL of a running server is used, and one that is not running is started for a while. */
export const joinInstallation = async (config: Config, progress: Progress): Promise<Installation> =>
  opened(config, externalPostgres(config) ?? (await runningPostgres(config)) ?? (await ownPostgres(config, progress)))

export const rootKeySettings = ({ rootKey, database, dataDir }: Config): RootKeySettings => ({
  rootKey: rootKey.value,
  rootKeyFile: rootKey.file,
  previousRootKey: rootKey.previous,
  generateIn: database.url === undefined ? dataDir : undefined,
})

const opened = async (config: Config, postgres: Postgres): Promise<Installation> => {
  try {
    const roots = await loadRootKeys(rootKeySettings(config))
    const db = new Database({ ...config.database, url: postgres.url, applicationName: 'holdfast' })
    const close = async () => {
      await db.close()
      await postgres.stop()
    }
    return { db, directUrl: postgres.directUrl, roots, description: postgres.description, close }
  } catch (error) {
    await postgres.stop()
    throw error
  }
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

const ownPostgres = async ({ dataDir }: Config, progress: Progress): Promise<Postgres> => {
  if (process.platform === 'win32') {
    throw new OperatorError('Holdfast cannot start its own PostgreSQL on Windows: set DATABASE_URL to one')
  }
  const { startEmbeddedPostgres } = await import('../platform/postgres/embedded-postgres.ts')
  const { url, stop } = await progress.step('PostgreSQL', (report) => startEmbeddedPostgres({ dataDir, report }))
  return { url, directUrl: url, description: `PostgreSQL in ${dataDir}`, stop }
}

const runningPostgres = async ({ dataDir }: Config): Promise<Postgres | undefined> => {
  const { findRunningPostgres } = await import('../platform/postgres/running-postgres.ts')
  const url = await findRunningPostgres(dataDir)
  return url === undefined
    ? undefined
    : { url, directUrl: url, description: `PostgreSQL in ${dataDir}`, stop: () => Promise.resolve() }
}
