import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { unavailable } from '../../lib/app-error.ts'
import { connectionConfig, type ConnectionOptions } from './connection.ts'
import { readableFailure } from './failures.ts'
import { PooledConnection } from './pooled-connection.ts'
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
  readonly #connections = new WeakMap<pg.PoolClient, PooledConnection>()
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

  #wrap(client: pg.PoolClient): PooledConnection {
    const known = this.#connections.get(client)
    if (known) return known
    const connection = new PooledConnection(client, this.#names)
    this.#connections.set(client, connection)
    return connection
  }
}
