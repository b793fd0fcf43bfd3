import type { Logger } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import { CannotOpenError } from '../../../platform/crypto/aead.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { Job } from '../../../platform/jobs/job-runner.ts'
import { CoalescedRuns } from './coalesced-runs.ts'
import { encodeEntry, REASON } from './list-entry.ts'
import { ListMaker, type Signers } from './list-maker.ts'
import * as lists from './lists.store.ts'
import * as store from './revocations.store.ts'

type Deps = {
  db: Database
  changes: ChangeFeed
  clock: Clock
  log: Logger
  signers: Signers
  config: { siteUrl: string }
}

type NewRevocation = { caId: string; serialNumber: string; notAfter: Date; revokedAt: Date; reason: number }
type Release = { caId: string; serialNumber: string; releasedAt: Date }

const PUBLICATION_WAIT_MS = 1_000
const REPAIR_EVERY_MS = 2_000
const REPAIRED_AT_ONCE = 100
const CAUGHT_UP_MAX = 1_000

/** What authorities have taken back, and the lists that say so. */
export class Revocations {
  readonly #deps: Deps
  readonly #maker: ListMaker
  readonly #making: CoalescedRuns

  constructor(deps: Deps) {
    this.#deps = deps
    this.#maker = new ListMaker(deps)
    this.#making = new CoalescedRuns((caId) =>
      this.#maker.make(caId).catch((error: unknown) => {
        deps.log.error({ err: error, caId }, 'a revocation list could not be made and will be tried again')
      }),
    )
  }

  /** Makes a place for the list of a new authority, in its transaction. Returns the id of the list. */
  async createList(tx: Tx, caId: string): Promise<string> {
    const id = newId()
    await lists.insert(tx, id, caId)
    return id
  }

  /** First in a transaction that revokes or releases: its authority is not deleted before the end, or gone already. */
  hold(tx: Tx, caId: string): Promise<unknown> {
    return store.holdAuthority(tx, caId)
  }

  /**
   * In the transaction that revokes, which holds the lock of the certificate. The next list says this, whatever was said
   * of the certificate before; the list is begun when the transaction has committed.
   */
  async revoke(tx: Tx, { revokedAt, ...revocation }: NewRevocation): Promise<void> {
    const entry = encodeEntry({ ...revocation, at: revokedAt })
    await store.save(tx, { ...revocation, revokedAt, entry })
    this.#makeAfter(tx, revocation.caId)
  }

  /** Lifts a hold: the certificate is gone from the next full list, and the next deltas say that it is. */
  async release(tx: Tx, { caId, serialNumber, releasedAt }: Release): Promise<void> {
    const entry = encodeEntry({ serialNumber, at: releasedAt, reason: REASON.removeFromCrl })
    await store.release(tx, { caId, serialNumber, releasedAt, entry })
    this.#makeAfter(tx, caId)
  }

  /** Resolves when a list is published that says all this process has committed before, or after a second. */
  async published(caId: string): Promise<void> {
    const waiting = new AbortController()
    const timeout = sleep(PUBLICATION_WAIT_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined)
    await Promise.race([this.#making.latest(caId) ?? this.#making.request(caId), timeout])
    waiting.abort()
  }

  /**
   * In the transaction that deletes an authority and has locked it for that: its list is served for ever, and nobody can
   * revoke any more, so what was revoked a moment ago must be on it.
   */
  async publishLast(tx: Tx, caId: string): Promise<void> {
    try {
      await this.#maker.makeIn(tx, caId)
    } catch (error) {
      if (!isBeyondOpening(error)) throw error
      this.#deps.log.error({ err: error, caId }, 'the last revocation list of an authority could not be signed')
    }
  }

  /** Before the transaction that deletes a project: what can be done outside is not done while it holds its locks. */
  async catchUp(projectId: string): Promise<void> {
    const { db, clock } = this.#deps
    const due = { now: new Date(clock.now()), projectId }
    await this.#makeAll(await lists.listBehind(db.pool, due, CAUGHT_UP_MAX))
  }

  /** In the transaction that deletes a project: waits for those who are revoking, and publishes all that is owed. */
  async publishLastOf(tx: Tx, projectId: string): Promise<void> {
    await store.lockAuthorities(tx, projectId)
    const due = { now: new Date(this.#deps.clock.now()), projectId }
    for (const caId of await lists.listBehind(tx, due)) await this.publishLast(tx, caId)
  }

  /** The list of an authority as it was last published; none until it has a certificate. */
  async lists(caId: string): Promise<{ id: string; der: Buffer }[]> {
    const list = await lists.findByAuthority(this.#deps.db.pool, caId)
    return list ? [list] : []
  }

  /** Makes what a process that ended owed, and what has grown old. */
  readonly job: Job = {
    name: 'make revocation lists',
    everyMs: REPAIR_EVERY_MS,
    run: async () => {
      const { db, clock } = this.#deps
      await this.#makeAll(await lists.listBehind(db.pool, { now: new Date(clock.now()) }, REPAIRED_AT_ONCE))
    },
  }

  /** Finishes the lists that are being made. */
  close(): Promise<void> {
    return this.#making.close()
  }

  async #makeAll(caIds: readonly string[]): Promise<void> {
    for (const caId of caIds) await (this.#making.latest(caId) ?? this.#making.request(caId))
  }

  #makeAfter(tx: Tx, caId: string): void {
    this.#deps.db.afterCommit(tx, () => void this.#making.request(caId))
  }
}

/** The key of an authority was changed in the database, or the key that seals it: neither passes. */
const isBeyondOpening = (error: unknown): boolean =>
  error instanceof CannotOpenError || (error instanceof Error && error.cause instanceof CannotOpenError)
