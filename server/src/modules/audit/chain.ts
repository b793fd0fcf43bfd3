import { createHmac } from 'node:crypto'
import { associatedData } from '../../platform/crypto/aead.ts'
import type { DataKey } from '../../platform/crypto/data-key.ts'
import { isSameCode } from '../../platform/crypto/hmac.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Db } from '../../platform/db/db.ts'

const PURPOSE = 'audit-chain'

export type Head = {
  /** Null until the first row is sealed. */
  keyId: string | null
  position: number
  mac: Buffer
  basePosition: number
  baseMac: Buffer
  sealedSeq: number
  sealedSnapshot: string
  signature: Buffer
}

export type Seal = { position: number; logSeq: number; logId: string; mac: Buffer }

/** The log was changed by someone other than this program. */
export class TamperedError extends Error {}

/** The code of a row: says that this row, as its digest has it, stands after all those before it. */
export const rowMac = (key: DataKey, previousMac: Buffer, digest: Buffer): Buffer =>
  createHmac('sha256', key.secret).update('audit row').update(previousMac).update(digest).digest()

export const signed = (key: DataKey, head: Omit<Head, 'signature' | 'keyId'>): Head => ({
  ...head,
  keyId: key.id,
  signature: signatureOf(key, head),
})

export const isSigned = (key: DataKey, head: Head): boolean => isSameCode(head.signature, signatureOf(key, head))

const signatureOf = (key: DataKey, head: Omit<Head, 'signature' | 'keyId'>): Buffer =>
  createHmac('sha256', key.secret)
    .update(
      associatedData([
        'audit head',
        String(head.position),
        head.mac.toString('hex'),
        String(head.basePosition),
        head.baseMac.toString('hex'),
        String(head.sealedSeq),
        head.sealedSnapshot,
      ]),
    )
    .digest()

/** The key of a chain that has begun. Undefined when the head does not name one of ours. */
export const findChainKey = async (db: Db, keyring: Keyring, { keyId }: Head): Promise<DataKey | undefined> =>
  (await keyring.list(db, PURPOSE, null)).find(({ id }) => id === keyId)

/** Whether a chain has ever begun here: a head that knows of none was then reset. */
export const hasChainKey = async (db: Db, keyring: Keyring): Promise<boolean> =>
  (await keyring.list(db, PURPOSE, null)).length > 0

/** The key of a chain, made with its first seal. Throws unless the head is as this program left it. */
export const requireChainKey = async (db: Db, keyring: Keyring, head: Head): Promise<DataKey> => {
  if (head.keyId === null && !(await hasChainKey(db, keyring))) return keyring.ensure(db, PURPOSE, null)
  const key = await findChainKey(db, keyring, head)
  if (!key || !isSigned(key, head)) throw new TamperedError('The head of the audit chain was changed: it is not signed')
  return key
}
