import type { Clock } from '../../platform/clock.ts'
import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import { type Head, requireChainKey, signed, TamperedError } from './chain.ts'
import * as store from './chain.store.ts'
import { type Link, linkFault } from './link-faults.ts'

type Deps = { db: Database; keyring: Keyring; clock: Clock; retentionDays: number }

const EVERY_MS = 10_000
const ROWS_PER_ROUND = 1_000
/** Other jobs wait while this one runs. */
const ROUNDS_PER_RUN_MAX = 10
const DAY_MS = 86_400_000

/** Removes rows whose time is over, from the old end of the chain only, and signs where it begins now. */
export class AuditRetention {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get job(): Job {
    return { name: 'remove old audit rows', everyMs: EVERY_MS, run: () => this.run() }
  }

  async run(): Promise<void> {
    const { db, clock, retentionDays } = this.#deps
    const before = new Date(clock.now() - retentionDays * DAY_MS)
    const oldest = await store.findOldestSealedAt(db.pool)
    if (!oldest || oldest >= before) return
    for (let round = 0; round < ROUNDS_PER_RUN_MAX; round++) {
      const removed = await db.transaction((tx) => this.#remove(tx, before))
      if (removed < ROWS_PER_ROUND) return
    }
  }

  async #remove(tx: Tx, before: Date): Promise<number> {
    const head = await store.lockHead(tx)
    if (!head || head.position === head.basePosition) return 0
    const key = await requireChainKey(tx, this.#deps.keyring, head)
    const expired = takeExpired(key, head, await store.listSealed(tx, head.basePosition, ROWS_PER_ROUND), before)
    const last = expired.at(-1)
    if (!last) return 0
    await store.deleteSealed(tx, expired)
    await store.updateHead(tx, signed(key, { ...head, basePosition: last.position, baseMac: last.mac }))
    return expired.length
  }
}

/** Whoever changed a row would have it removed for good by making it old: so only rows that are right are removed. */
const takeExpired = (key: DataKey, head: Head, rows: readonly store.SealedRow[], before: Date): store.SealedRow[] => {
  const expired: store.SealedRow[] = []
  let last: Link = { position: head.basePosition, mac: head.baseMac }
  for (const sealed of rows) {
    if (sealed.createdAt !== null && sealed.createdAt >= before) break
    const fault = linkFault(key, last, sealed)
    if (fault) throw new TamperedError(`Old audit rows are kept: ${fault} at position ${last.position + 1}`)
    expired.push(sealed)
    last = sealed
  }
  return expired
}
