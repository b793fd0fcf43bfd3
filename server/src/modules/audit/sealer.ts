import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import { type Head, requireChainKey, rowMac, type Seal, signed, TamperedError } from './chain.ts'
import * as store from './chain.store.ts'

type Deps = { db: Database; keyring: Keyring }

const EVERY_MS = 300
/** The codes of this many rows are made in one go, a millisecond or two. */
const ROWS_PER_ROUND = 500
/** Other jobs wait while this one runs. */
const ROUNDS_PER_RUN_MAX = 40
/** What only a person can mend is not told three times a second. */
const REST_WHEN_TAMPERED_MS = 60_000

/**
 * Links the rows of committed transactions into one chain of codes. They were written without it, since writers that
 * wait for each other's code would come one at a time. Two sealers at once take turns.
 */
export class AuditSealer {
  readonly #deps: Deps
  #restUntil = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get job(): Job {
    return { name: 'seal audit log', everyMs: EVERY_MS, run: () => this.run() }
  }

  async run(): Promise<void> {
    if (performance.now() < this.#restUntil) return
    try {
      await this.#sealAll()
    } catch (error) {
      // To seal on top of it would hide it.
      if (error instanceof TamperedError) this.#restUntil = performance.now() + REST_WHEN_TAMPERED_MS
      throw error
    }
  }

  /** For the metric: how long the oldest row without a seal has been there. */
  async lagSeconds(): Promise<number> {
    return (await store.findOldestUnsealedAge(this.#deps.db.pool)) ?? 0
  }

  async #sealAll(): Promise<void> {
    if ((await store.findOldestUnsealedAge(this.#deps.db.pool)) === undefined) return
    for (let round = 0; round < ROUNDS_PER_RUN_MAX; round++) {
      const { stragglers, newcomers } = await this.#deps.db.transaction((tx) => this.#seal(tx))
      if (Math.max(stragglers, newcomers) < ROWS_PER_ROUND) return
    }
  }

  async #seal(tx: Tx): Promise<{ stragglers: number; newcomers: number }> {
    const head = await store.lockHead(tx)
    if (!head) throw new TamperedError('The head of the audit chain was removed')
    // After the lock: a statement sees what was committed before it began, other sealers' work included.
    const { stragglers, newcomers, snapshot } = await store.findUnsealed(tx, ROWS_PER_ROUND)
    const counts = { stragglers: stragglers.length, newcomers: newcomers.length }
    if (counts.stragglers + counts.newcomers === 0) return counts

    const key = await requireChainKey(tx, this.#deps.keyring, head)
    const seals = linked(key, head, [...stragglers, ...newcomers])
    await store.insertSeals(tx, seals)
    // Stragglers that were cut off are found again only from the snapshot that missed them.
    const isSettled = counts.stragglers < ROWS_PER_ROUND
    await store.updateHead(
      tx,
      signed(key, {
        ...head,
        position: seals.at(-1)?.position ?? head.position,
        mac: seals.at(-1)?.mac ?? head.mac,
        sealedSeq: newcomers.at(-1)?.seq ?? head.sealedSeq,
        sealedSnapshot: isSettled ? snapshot : head.sealedSnapshot,
      }),
    )
    return counts
  }
}

const linked = (key: DataKey, { position, mac }: Head, rows: readonly store.UnsealedRow[]): Seal[] =>
  rows.map(({ seq, id, digest }) => {
    mac = rowMac(key, mac, Buffer.from(digest, 'hex'))
    return { position: ++position, logSeq: seq, logId: id, mac }
  })
