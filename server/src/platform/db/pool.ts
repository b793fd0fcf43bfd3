import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { unavailable } from '../../lib/app-error.ts'
import { connectionConfig, type ConnectionOptions } from './connection.ts'
import { readableFailure } from './failures.ts'
import { StatementNames } from './statement-names.ts'

export type PoolOptions = ConnectionOptions & {
  connectionsMax: number
  /** Requests that may wait for a connection; one more is answered 503. */
  waitersMax: number
  /** How long one may wait for a connection before it is answered 503. */
  waitMsMax: number
  /** Off behind a pooler that cannot keep prepared statements. */
  preparedStatements: boolean
  /** Throws when code inside a transaction asks for a second connection. For tests: it costs a little on each await. */
  forbidNesting?: boolean
}

const IDLE_CONNECTION_MS_MAX = 60_000
const RETRY_AFTER_SECONDS = 1

/** A `pg` pool whose queue has an end, and whose statements are prepared once they have shown to come again. */
export class BoundedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #waitersMax: number
  readonly #names: StatementNames | undefined
  readonly #connections = new WeakMap<pg.PoolClient, Connection>()
  readonly #insideTransaction: AsyncLocalStorage<true> | undefined

  constructor({
    connectionsMax,
    waitersMax,
    waitMsMax,
    preparedStatements,
    forbidNesting,
    ...connection
  }: PoolOptions) {
    this.#waitersMax = waitersMax
    this.#names = preparedStatements ? new StatementNames() : undefined
    this.#insideTransaction = forbidNesting ? new AsyncLocalStorage() : undefined
    this.#pool = new pg.Pool({
      ...connectionConfig(connection),
      max: connectionsMax,
      connectionTimeoutMillis: waitMsMax,
      idleTimeoutMillis: IDLE_CONNECTION_MS_MAX,
      allowExitOnIdle: true,
    })
    // A connection that breaks is replaced on the next use; without listeners, idle or in use, it would end the process.
    this.#pool.on('error', () => undefined)
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#insideTransaction?.getStore()) throw new Error('A second connection was asked for inside a transaction')
    if (this.#pool.waitingCount >= this.#waitersMax) {
      throw unavailable('Too many requests are waiting for the database, please try again', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    try {
      return this.#wrap(await this.#pool.connect())
    } catch (error) {
      throw readableFailure(error)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Runs work that holds a connection already and may not take a second one. */
  insideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#insideTransaction ? this.#insideTransaction.run(true, work) : work()
  }

  get usage() {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount }
  }

  #wrap(client: pg.PoolClient): Connection {
    const known = this.#connections.get(client)
    if (known) return known
    const connection = new Connection(client, this.#names)
    this.#connections.set(client, connection)
    return connection
  }
}

class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames | undefined

  constructor(client: pg.PoolClient, names: StatementNames | undefined) {
    this.#client = client
    this.#names = names
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, parameters: readonly unknown[] = []): never {
    if (typeof text !== 'string') throw new Error('Cursors are not in use')
    return this.#run(text, parameters as unknown[]) as never
  }

  release(): void {
    this.#client.release()
  }

  async #run(text: string, values: unknown[]): Promise<pg.QueryResult> {
    try {
      // Without parameters (begin, commit) the simple protocol saves PostgreSQL three messages.
      const result = await (values.length === 0
        ? this.#client.query(text)
        : this.#client.query(this.#named(text, values)))
      // PostgreSQL answers the commit of a failed transaction with a quiet rollback.
      if (text === 'commit' && result.command !== 'COMMIT')
        throw new Error('A transaction was committed after one of its statements had failed')
      return result
    } catch (error) {
      throw readableFailure(error)
    }
  }

  #named(text: string, values: unknown[]): pg.QueryConfig {
    const name = this.#names?.nameOf(text)
    return name === undefined ? { text, values } : { name, text, values }
  }
}
