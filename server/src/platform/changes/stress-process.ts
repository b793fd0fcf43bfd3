import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Tx } from '../db/db.ts'
import { isConnectionFailure } from '../db/failures.ts'
import { TrustedCache } from './cache.ts'
import { ChangeFeed } from './feed.ts'
import type { SessionOptions } from './session.ts'
import type { Ledger, Update } from './stress-ledger.ts'

export const ITEMS = 50

const scopeOf = (key: number) => `item:${key}`
const chance = (share: number) => Math.random() < share
/** Some are hardly ever changed, so that what is kept of them grows old. */
const anyKey = () => Math.floor(Math.random() ** 3 * ITEMS)

class Undone extends Error {}

/** What one server process would have: a pool, a feed, a cache; with writers and readers that never rest. */
export class StressProcess {
  readonly feed: ChangeFeed
  readonly deliveries: (Update & { atMs: number })[] = []
  readonly resets: string[] = []
  readonly faults: string[] = []
  readonly #db: Database
  readonly #cache: TrustedCache<number>
  readonly #ledger: Ledger
  readonly #work: Promise<void>[] = []
  #isStopping = false

  constructor(db: Database, direct: SessionOptions, ledger: Ledger) {
    this.#ledger = ledger
    this.#db = db
    this.feed = new ChangeFeed({
      db,
      direct,
      observer: { failed: (what, error) => this.faults.push(`${what}: ${String(error)}`) },
    })
    this.#cache = new TrustedCache(this.feed, ITEMS - 5)
    this.feed.follow({
      deliver: (changes) => {
        const atMs = performance.now()
        for (const { body } of changes) this.deliveries.push({ ...(body as Update), atMs })
      },
      reset: (reason) => this.resets.push(reason),
    })
  }

  work(writers: number, readers: number): void {
    for (let index = 0; index < writers; index++) this.#work.push(this.#repeat(() => this.#write()))
    for (let index = 0; index < readers; index++) this.#work.push(this.#repeat(() => this.#read()))
  }

  async rest(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#work)
  }

  async close(): Promise<void> {
    await this.rest()
    await this.feed.stop()
    await this.#db.close()
  }

  /** Transactions per second of one kind: a small update with or without its change. */
  async measure(withChange: boolean, durationMs: number): Promise<number> {
    let done = 0
    const end = performance.now() + durationMs
    const worker = async (key: number) => {
      for (; performance.now() < end; done++) {
        await this.#db.transaction(async (tx) => {
          await sql`update items set note = note + 1 where key = ${key}`.execute(tx)
          const body = { id: randomUUID(), key, version: 0 }
          if (withChange) await this.feed.append(tx, { scope: scopeOf(key), kind: 'measured', body })
        })
      }
    }
    await Promise.all([0, 1, 2, 3].map(worker))
    return Math.round((done * 1_000) / durationMs)
  }

  async #repeat(action: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      try {
        await action()
      } catch (error) {
        if (!isConnectionFailure(error)) this.faults.push(String(error))
        await sleep(20)
      }
    }
  }

  async #write(): Promise<void> {
    const update: Update = { id: randomUUID(), key: anyKey(), version: 0 }
    this.#ledger.doubt(update.id)
    try {
      await this.#db.transaction((tx) => this.#update(tx, update))
      this.#ledger.acknowledge(update)
    } catch (error) {
      if (!(error instanceof Undone)) throw error
      this.#ledger.undo(update.id)
      return
    }
    const own = this.#cache.peek(update.key.toString())
    if (own !== undefined && own < update.version) this.faults.push('a process did not see its own write')
    await sleep(Math.random() * 10)
  }

  async #update(tx: Tx, update: Update): Promise<void> {
    if (chance(0.3)) await this.#tryInVain(tx, update)
    const { rows } = await sql<{ version: number }>`
      update items set version = version + 1 where key = ${update.key} returning version`.execute(tx)
    update.version = rows[0]?.version ?? 0
    if (chance(0.2)) await sql`savepoint released`.execute(tx)
    await this.feed.append(tx, { scope: scopeOf(update.key), kind: 'updated', body: update })
    if (chance(0.3)) await sleep(Math.random() * 30)
    if (chance(0.1)) throw new Undone()
  }

  /** Takes an xid early, so that it ends long after younger ones, and appends what a savepoint takes back. */
  async #tryInVain(tx: Tx, { key }: Update): Promise<void> {
    const id = randomUUID()
    await sql`savepoint vain`.execute(tx)
    await this.feed.append(tx, { scope: scopeOf(key), kind: 'updated', body: { id, key, version: -1 } })
    await sql`rollback to vain`.execute(tx)
    this.#ledger.undo(id)
    await sleep(Math.random() * 20)
  }

  async #read(): Promise<void> {
    const key = Math.floor(Math.random() * ITEMS)
    const kept = this.#cache.peek(key.toString())
    if (kept !== undefined) this.#ledger.serve(key, kept)
    else await this.#cache.get(key.toString(), [scopeOf(key)], () => this.#load(key))
    await sleep(Math.random() * 2)
  }

  async #load(key: number): Promise<number | undefined> {
    const { rows } = await sql<{ version: number }>`select version from items where key = ${key}`.execute(this.#db.pool)
    // So that changes come in while an answer is on its way.
    if (chance(0.3)) await sleep(Math.random() * 20)
    return rows[0]?.version
  }
}
