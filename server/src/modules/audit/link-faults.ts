import type { DataKey } from '../../platform/crypto/data-key.ts'
import { isSameCode } from '../../platform/crypto/hmac.ts'
import { rowMac } from './chain.ts'
import type { SealedRow } from './chain.store.ts'

/** The last link that is known to be right: position and code. */
export type Link = { position: number; mac: Buffer }

export type LinkFault = 'seal missing' | 'row missing' | 'code differs' | 'seal names another row'

/** What is wrong with the seal that comes next, or with its row. */
export const linkFault = (key: DataKey, last: Link, sealed: SealedRow): LinkFault | undefined => {
  if (sealed.position !== last.position + 1) return 'seal missing'
  if (sealed.digest === null) return 'row missing'
  if (!isSameCode(rowMac(key, last.mac, sealed.digest), sealed.mac)) return 'code differs'
  if (sealed.rowId !== sealed.logId) return 'seal names another row'
  return undefined
}
