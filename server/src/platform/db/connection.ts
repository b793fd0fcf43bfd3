import pg from 'pg'
import { OperatorError } from '../../lib/operator-error.ts'

export type ConnectionOptions = {
  url: string
  /** Shown by PostgreSQL in pg_stat_activity. */
  applicationName: string
  statementTimeoutMs: number
}

const INT8_OID = pg.types.builtins.INT8
const CONNECT_TIMEOUT_MS = 5_000
/** A process that stops in the middle of a transaction must not hold its locks for long. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

const types: pg.CustomTypesConfig = {
  // Counts and sequence numbers; none of ours comes near 2^53.
  getTypeParser: (oid, format) => (oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as never,
}

export const connectionConfig = ({ url, applicationName, statementTimeoutMs }: ConnectionOptions): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  keepAlive: true,
  // Statements may be sent before those ahead of them are answered.
  pipeline: true,
  types,
})

/** A connection of one's own beside the pool, for what lives in a session: LISTEN, advisory locks, migrations. */
export const connectDirectly = async (options: ConnectionOptions): Promise<pg.Client> => {
  const client = createClient(options)
  // Whoever runs a query sees its failure; an idle connection's end is seen by 'end' listeners.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The driver reads the URL here, and the certificates and keys that it names. */
const createClient = (options: ConnectionOptions): pg.Client => {
  try {
    return new pg.Client({ ...connectionConfig(options), connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new OperatorError(`DATABASE_URL cannot be used (${reason}): correct it`, { cause })
  }
}
