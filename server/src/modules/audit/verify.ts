import type { DataKey } from '../../platform/crypto/data-key.ts'
import { isSameCode } from '../../platform/crypto/hmac.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { findChainKey, hasChainKey, type Head, isSigned, rowMac } from './chain.ts'
import * as store from './chain.store.ts'
import { type Link, linkFault } from './link-faults.ts'

type Deps = { db: Database; keyring: Keyring }

export type FaultKind =
  | 'head-missing'
  | 'chain-begun-anew'
  | 'head-changed'
  | 'row-edited'
  | 'row-removed'
  | 'row-never-sealed'
  | 'seal-missing'
  | 'seal-edited'
  | 'seal-forged'
  | 'end-cut-off'
  | 'other-chain'

/** The first thing that is wrong. */
export type Fault = { kind: FaultKind; position?: number; logId?: string; at?: Date }

/** A link that someone noted earlier: the code may be given by its beginning, in hexadecimal. */
export type Anchor = { position: number; mac: string }

export type Verdict = {
  /** Rows found to be as they were written. */
  rows: number
  /** Rows before this position were removed when their time was over. */
  basePosition: number
  head: Link | undefined
  /** Rows too new to be sealed. */
  unsealed: number
  fault?: Fault | undefined
}

const BATCH_ROWS = 1_000
/** From the first key of an organization or project to the first seal: a second, unless the server was stopped there. */
const FIRST_SEAL_MS_MAX = 24 * 60 * 60_000

/** Follows the chain from its beginning, as of one moment, while the server goes on working. */
export const verifyAuditLog = ({ db, keyring }: Deps, anchor?: Anchor): Promise<Verdict> =>
  db.transaction(async (tx) => {
    await store.holdStill(tx)
    const head = await store.findHead(tx)
    const begun = { rows: 0, basePosition: head?.basePosition ?? 0, head, unsealed: await store.countUnsealed(tx) }
    if (!head) return { ...begun, fault: { kind: 'head-missing' } }
    if (head.keyId === null && !(await hasChainKey(tx, keyring))) {
      return { ...begun, fault: anchorFault(head, anchor) ?? (await missingChain(tx, begun.unsealed)) }
    }

    const key = await findChainKey(tx, keyring, head)
    if (!key || !isSigned(key, head)) return { ...begun, fault: { kind: 'head-changed' } }
    const begunAt = hasTime(key.id) ? timeOf(key.id) : undefined
    if (begunAt && (await isYounger(tx, begunAt))) return { ...begun, fault: { kind: 'chain-begun-anew', at: begunAt } }
    return { ...begun, ...(await follow(tx, { key, head, anchor })) }
  })

type Chain = { key: DataKey; head: Head; anchor: Anchor | undefined }

const follow = async (tx: Tx, chain: Chain): Promise<Pick<Verdict, 'rows' | 'fault'>> => {
  const { head, anchor } = chain
  let rows = 0
  let last: Link = { position: head.basePosition, mac: head.baseMac }
  for (;;) {
    const batch = await store.listSealed(tx, last.position, BATCH_ROWS)
    if (batch.length === 0) break
    for (const sealed of batch) {
      const fault = (await faultOf(tx, chain, last, sealed)) ?? otherChain(sealed, anchor)
      if (fault) return { rows, fault }
      last = sealed
      rows++
    }
  }
  return { rows, fault: endFault(last, head) ?? anchorFault(head, anchor) ?? (await neverSealed(tx)) }
}

const faultOf = async (tx: Tx, chain: Chain, last: Link, sealed: store.SealedRow): Promise<Fault | undefined> => {
  const position = last.position + 1
  const named = { position, logId: sealed.logId, at: sealed.createdAt ?? timeOf(sealed.logId) }
  if (sealed.position > chain.head.position) return { kind: 'seal-forged', ...named, position: sealed.position }
  switch (linkFault(chain.key, last, sealed)) {
    case 'seal missing':
      return { kind: 'seal-missing', position }
    case 'row missing':
      return { kind: (await store.findRowById(tx, sealed.logId)) ? 'row-edited' : 'row-removed', ...named }
    case 'code differs':
      return { kind: (await isSealEdited(tx, chain, last, sealed)) ? 'seal-edited' : 'row-edited', ...named }
    case 'seal names another row':
      return { kind: 'seal-edited', ...named }
    case undefined:
      return undefined
  }
}

/** If what comes next fits the row, it was not the row that was changed. */
const isSealEdited = async (tx: Tx, { key, head }: Chain, last: Link, sealed: store.SealedRow): Promise<boolean> => {
  if (sealed.digest === null) return false
  const right = rowMac(key, last.mac, sealed.digest)
  if (sealed.position === head.position) return isSameCode(right, head.mac)
  const [next] = await store.listSealed(tx, sealed.position, 1)
  return next !== undefined && linkFault(key, { position: sealed.position, mac: right }, next) === undefined
}

const endFault = (last: Link, head: Head): Fault | undefined => {
  if (last.position < head.position) return { kind: 'end-cut-off', position: last.position + 1 }
  return isSameCode(last.mac, head.mac) ? undefined : { kind: 'head-changed' }
}

/** A chain that was put back to an earlier state fits its own head, but not what was noted since. */
const anchorFault = (head: Head, anchor: Anchor | undefined): Fault | undefined => {
  if (!anchor) return undefined
  if (anchor.position > head.position) return { kind: 'end-cut-off', position: head.position + 1 }
  return otherChain({ position: head.basePosition, mac: head.baseMac }, anchor)
}

const otherChain = ({ position, mac }: Link, anchor: Anchor | undefined): Fault | undefined =>
  anchor?.position !== position || mac.toString('hex').startsWith(anchor.mac)
    ? undefined
    : { kind: 'other-chain', position }

const neverSealed = async (tx: Tx): Promise<Fault | undefined> => {
  const row = await store.findNeverSealed(tx)
  return row && { kind: 'row-never-sealed', logId: row.id, at: row.createdAt }
}

/** Whoever makes an organization leaves a row, which is sealed a second later. */
const missingChain = async (tx: Tx, unsealed: number): Promise<Fault | undefined> => {
  const isGone = unsealed === 0 ? await store.hasOrganizations(tx) : await isYounger(tx, new Date())
  return isGone ? { kind: 'chain-begun-anew' } : undefined
}

/** The id of a key tells when it was made, and is bound to it by the root key: a chain cannot be made to look older. */
const isYounger = async (tx: Tx, begunAt: Date): Promise<boolean> => {
  const oldest = await store.findOldestKeyId(tx)
  return oldest !== undefined && begunAt.getTime() > timeOf(oldest).getTime() + FIRST_SEAL_MS_MAX
}

/** Our ids begin with the time at which they were made. */
const timeOf = (id: string): Date => new Date(parseInt(id.replaceAll('-', '').slice(0, 12), 16))

/** Version 7. Older keys have random ids. */
const hasTime = (id: string): boolean => id[14] === '7'
