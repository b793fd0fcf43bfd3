import { associatedData, CannotOpenError, decrypt, encrypt } from './aead.ts'
import type { DataKey } from './data-key.ts'

/** Where a value lives. It opens only there; what does not apply is null, so that nothing is forgotten. */
export type SealContext = {
  purpose: string
  organizationId: string | null
  projectId: string | null
  folderId: string | null
  rowId: string | null
  version: number | null
  field: string
}

const FORMAT = 1
const KEY_ID_BYTES = 16
/** Format, key id. */
const PREFIX_BYTES = 1 + KEY_ID_BYTES

/** Format, key id, nonce, ciphertext, tag: 45 bytes more than the value. Text is kept as UTF-8. */
export const seal = (key: DataKey, plaintext: Buffer | string, context: SealContext): Buffer =>
  encrypt(key.secret, plaintext, associatedDataOf(key, context), Buffer.from([FORMAT, ...key.idBytes]))

/** Throws `CannotOpenError` unless it is unchanged, where it was sealed and under this key. */
export const open = (key: DataKey, sealed: Buffer, context: SealContext): Buffer => {
  if (sealed[0] !== FORMAT || !key.idBytes.equals(sealed.subarray(1, PREFIX_BYTES))) throw new CannotOpenError()
  return decrypt(key.secret, sealed, associatedDataOf(key, context), PREFIX_BYTES)
}

/** Which key a sealed value says it is under. */
export const keyIdOf = (sealed: Buffer): string => {
  if (sealed[0] !== FORMAT || sealed.length < PREFIX_BYTES) throw new CannotOpenError()
  const hex = sealed.toString('hex', 1, PREFIX_BYTES)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const associatedDataOf = (key: DataKey, context: SealContext): Buffer =>
  associatedData([
    'sealed value',
    String(FORMAT),
    key.id,
    context.purpose,
    context.organizationId,
    context.projectId,
    context.folderId,
    context.rowId,
    context.version === null ? null : String(context.version),
    context.field,
  ])
