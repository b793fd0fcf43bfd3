import { associatedData, decrypt, encrypt } from './aead.ts'
import { dataKeyOf, type DataKey } from './data-key.ts'
import type { KeyRow } from './keys.store.ts'
import type { RootKey } from './root-key.ts'

const CHECK_TEXT = 'the root key is the right one'

type Holder = Pick<KeyRow, 'id' | 'purpose' | 'ownerId'>

/** The row in which a key is kept. */
export const wrap = (root: RootKey, key: DataKey, holder: Omit<Holder, 'id'>): KeyRow => {
  const { purpose, ownerId } = holder
  const row = { id: key.id, purpose, ownerId, rootKeyId: root.id }
  const raw = key.secret.export()
  const wrapped = encrypt(root.secret, raw, associatedDataOf(root, row))
  raw.fill(0)
  return { ...row, wrapped }
}

/** Throws `CannotOpenError` when the row was changed or is under another root key. */
export const unwrap = (root: RootKey, row: KeyRow): DataKey =>
  dataKeyOf(row.id, decrypt(root.secret, row.wrapped, associatedDataOf(root, row)))

/** Kept in the database to recognise the root key by, before anything is done with it. */
export const checkValueOf = (root: RootKey): Buffer =>
  encrypt(root.secret, CHECK_TEXT, associatedData(['root key check', root.id]))

/** Throws `CannotOpenError` unless the check value was made by this root key. */
export const openCheckValue = (root: RootKey, checkValue: Buffer): void => {
  decrypt(root.secret, checkValue, associatedData(['root key check', root.id]))
}

const associatedDataOf = (root: RootKey, { id, purpose, ownerId }: Holder): Buffer =>
  associatedData(['wrapped key', root.id, id, purpose, ownerId])
