import pg from 'pg'
import { SUPERUSER } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { PORT } from './socket-directory.ts'

/** Both the database and the role that owns it. */
const NAME = 'holdfast'

/** `invalid_catalog_name` and `invalid_authorization_specification`: the database or its role is not there yet. */
const MISSING = new Set(['3D000', '28000'])

/** A healthy server answers in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000

type Login = { user: string; database: string }

const withClient = async <T>(cluster: Cluster, login: Login, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const options = { host: cluster.socketDirectory, port: PORT, ssl: false, ...login }
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS * 6,
  })
  // A connection that breaks also fails the query under way, which is where it is handled.
  client.on('error', () => undefined)
  await client.connect()
  return work(client).finally(() => client.end())
}

const readVersion = (cluster: Cluster) =>
  withClient(cluster, { user: NAME, database: NAME }, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown'
  })

const createDatabase = (cluster: Cluster) =>
  withClient(cluster, { user: SUPERUSER, database: 'postgres' }, async (client) => {
    const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [NAME])
    if (!roles) await client.query(`create role ${NAME} login createdb`)
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [NAME])
    if (!databases) await client.query(`create database ${NAME} owner ${NAME}`)
  })

/** Makes sure that the database is there and answers; returns the server's version. */
export const openDatabase = async (cluster: Cluster): Promise<string> => {
  try {
    return await readVersion(cluster)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && MISSING.has(error.code ?? ''))) throw error
  }
  await createDatabase(cluster)
  return readVersion(cluster)
}

/** For the `pg` driver and for libpq; complete, so that nothing is taken from the environment. */
export const databaseUrl = ({ socketDirectory }: Pick<Cluster, 'socketDirectory'>) =>
  `postgresql://${NAME}@localhost:${PORT}/${NAME}?host=${encodeURIComponent(socketDirectory)}&sslmode=disable`
