import { CamelCasePlugin, type ControlledTransaction, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, leavesOutcomeUnknown, readableFailure } from './failures.ts'
import { BoundedPool, type PoolOptions } from './pool.ts'

/** Every table, declared by the module that writes it: `declare module '…/db.ts' { interface Tables { … } }`. */
export interface Tables {}

/** What a store needs to run a query: the pool or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

type TransactionOptions = { isolation?: 'read committed' | 'serializable' }

const ATTEMPTS_MAX = 5
const RETRY_DELAY_MS_MAX = 20

/** The one PostgreSQL behind everything: single statements through `pool`, changes through `transaction`. */
export class Database {
  readonly pool: Db
  readonly #connections: BoundedPool
  readonly #afterCommit = new WeakMap<Tx, (() => void)[]>()

  constructor(options: PoolOptions) {
    this.#connections = new BoundedPool(options)
    this.pool = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: this.#connections }),
      // Without the flag it would rewrite the keys of users' JSON.
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    })
  }

  /**
   * Runs `work` in one transaction and commits it; nothing is written when it throws. Work that lost to a concurrent
   * transaction is run again, so it must have no effect outside `tx`.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work, options)
      } catch (error) {
        if (!isRetryable(error) || attempt === ATTEMPTS_MAX) throw readableFailure(error)
        await sleep(Math.random() * RETRY_DELAY_MS_MAX * attempt)
      }
    }
  }

  /** Calls `listener` once `tx` has committed or may have, never after a rollback. */
  afterCommit(tx: Tx, listener: () => void): void {
    this.#afterCommit.get(tx)?.push(listener)
  }

  get poolUsage() {
    return this.#connections.usage
  }

  close(): Promise<void> {
    return this.pool.destroy()
  }

  async #attempt<T>(work: (tx: Tx) => Promise<T>, { isolation }: TransactionOptions): Promise<T> {
    const begin = this.pool.startTransaction()
    const tx = await (isolation ? begin.setIsolationLevel(isolation) : begin).execute()
    const listeners: (() => void)[] = []
    this.#afterCommit.set(tx, listeners)

    try {
      const result = await this.#connections.insideTransaction(() => work(tx))
      await commit(tx)
      return result
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) listeners.length = 0
      await rollBack(tx)
      throw error instanceof OutcomeUnknown ? error.cause : error
    } finally {
      for (const listener of listeners) listener()
    }
  }
}

/** The connection was lost while committing: PostgreSQL may or may not have done it. */
class OutcomeUnknown extends Error {}

const commit = async (tx: ControlledTransaction<Tables>): Promise<void> => {
  try {
    await tx.commit().execute()
  } catch (error) {
    throw leavesOutcomeUnknown(error) ? new OutcomeUnknown('commit', { cause: error }) : error
  }
}

const rollBack = async (tx: ControlledTransaction<Tables>): Promise<void> => {
  if (tx.isCommitted || tx.isRolledBack) return
  try {
    await tx.rollback().execute()
  } catch {
    // The connection is gone, and PostgreSQL rolls back what it leaves.
  }
}
