import pg from 'pg'
import { asDataDirectoryError } from './data-directory-error.ts'
import { databaseUrl } from './database.ts'
import { openHome } from './home.ts'
import { openSocketDirectory } from './socket-directory.ts'

const CONNECT_TIMEOUT_MS = 5_000

/** The address of the PostgreSQL that a running server has started on this data directory; undefined when there is none. */
export const findRunningPostgres = async (dataDir: string): Promise<string | undefined> => {
  const url = databaseUrl({ socketDirectory: await findSocketDirectory(dataDir) })
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return url
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => undefined)
  }
}

const findSocketDirectory = async (dataDir: string): Promise<string> => {
  try {
    return await openSocketDirectory(await openHome(dataDir))
  } catch (error) {
    throw asDataDirectoryError(error, dataDir)
  }
}
