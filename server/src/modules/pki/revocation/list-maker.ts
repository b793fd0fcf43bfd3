import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { Issuer } from '../x509/certificate.ts'
import * as lists from './lists.store.ts'
import { signRevocationList } from './revocation-list.ts'
import * as revocations from './revocations.store.ts'

/** Authorities with a certificate, also those that are disabled: what they take back must be known. */
export type Signers = {
  /** Not inside a transaction. */
  signer(caId: string): Promise<Signer | undefined>
  signerIn(tx: Tx, caId: string): Promise<Signer | undefined>
}
type Signer = { issuer: Issuer }

type Deps = { db: Database; changes: ChangeFeed; clock: Clock; signers: Signers; config: { siteUrl: string } }

const DAY_MS = 24 * 60 * 60_000
const LIFETIME_MS = 7 * DAY_MS
/** At half its life at the latest, and not all lists of one day at once. */
const REFRESH_AFTER = { from: 0.375, to: 0.5 }
/** A delta that would say more is no relief; the next full list becomes its base. */
const DELTA_ENTRIES_MAX = 1_000

const NONE = Buffer.alloc(0)

type Numbered = { number: number; thisUpdate: Date; nextUpdate: Date }

/** Makes the lists of authorities, one at a time for each in the whole cluster. */
export class ListMaker {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Makes a list that says everything committed before, unless the present one does and is young. */
  async make(caId: string): Promise<void> {
    const signer = await this.#deps.signers.signer(caId)
    if (signer) await this.#deps.db.transaction((tx) => this.#makeIn(tx, caId, signer))
  }

  /** The same in a transaction that does more. */
  async makeIn(tx: Tx, caId: string): Promise<void> {
    const signer = await this.#deps.signers.signerIn(tx, caId)
    if (signer) await this.#makeIn(tx, caId, signer)
  }

  async #makeIn(tx: Tx, caId: string, { issuer }: Signer): Promise<void> {
    const state = await lists.lock(tx, caId)
    if (!state) return
    const taken = await revocations.takeUnlisted(tx, caId, state.number + 1)
    const now = this.#deps.clock.now()
    if (taken > 0 || isDue(state, now)) await this.#publish(tx, { caId, state, now, issuer })
  }

  async #publish(tx: Tx, { caId, state, now, issuer }: Making): Promise<void> {
    const numbered = number(state, now)
    const lastAt = state.thisUpdate ?? new Date(0)
    const base = usableBase(state, numbered.thisUpdate)
    const scope = { number: numbered.number, since: lastAt, base: base?.number ?? null, deltaMax: DELTA_ENTRIES_MAX }
    const { full, delta, deltaCount } = await revocations.joinEntries(tx, caId, scope)
    const deltaUrl = `${this.#deps.config.siteUrl}/api/v1/cert-manager/crl/${state.id}/delta`
    const der = await signRevocationList({ kind: 'full', ...numbered, entries: full ?? NONE, deltaUrl }, issuer)

    // Without a base, or with one that is too far back, this list is the base and there is nothing to add.
    const kept = base && deltaCount <= DELTA_ENTRIES_MAX ? base : { number: numbered.number, at: numbered.thisUpdate }
    const entries = kept === base ? (delta ?? NONE) : NONE
    const deltaDer = await signRevocationList({ kind: 'delta', ...numbered, entries, baseNumber: kept.number }, issuer)

    await revocations.deleteReleased(tx, caId, kept.number)
    const refreshAt = refreshTime(numbered.thisUpdate)
    const bases = { baseNumber: kept.number, baseAt: kept.at }
    await lists.publish(tx, state.id, { ...numbered, refreshAt, der, ...bases, deltaDer })
    await this.#deps.changes.append(tx, { scope: scopeOf(state.id), kind: 'revocation-list-published' })
  }
}

type Making = { caId: string; state: lists.ListState; now: number; issuer: Issuer }

/** What news of a published list is filed under. */
export const scopeOf = (listId: string): string => `crl:${listId}`

const isDue = ({ number, refreshAt }: lists.ListState, now: number): boolean =>
  number === 0 || refreshAt === null || refreshAt.getTime() <= now

const usableBase = ({ baseNumber, baseAt }: lists.ListState, now: Date): { number: number; at: Date } | undefined => {
  if (baseNumber === null || baseAt === null || now.getTime() - baseAt.getTime() >= LIFETIME_MS) return undefined
  return { number: baseNumber, at: baseAt }
}

/** Lists follow each other in number and in time, whatever the clock does. */
const number = (state: lists.ListState, now: number): Numbered => {
  const at = Math.max(now, state.thisUpdate?.getTime() ?? 0)
  const thisUpdate = new Date(at - (at % 1_000))
  return { number: state.number + 1, thisUpdate, nextUpdate: new Date(thisUpdate.getTime() + LIFETIME_MS) }
}

const refreshTime = (thisUpdate: Date): Date => {
  const { from, to } = REFRESH_AFTER
  return new Date(thisUpdate.getTime() + LIFETIME_MS * (from + Math.random() * (to - from)))
}
