import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { newId } from '../../lib/uuid.ts'

export const KEY_BYTES = 32

/** A key that never changes under its id. A KeyObject shows nothing of itself when printed or serialised. */
export type DataKey = { readonly id: string; readonly idBytes: Buffer; readonly secret: KeyObject }

/** Takes the raw key over and wipes it. */
export const dataKeyOf = (id: string, raw: Buffer): DataKey => {
  const secret = createSecretKey(raw)
  raw.fill(0)
  return { id, idBytes: Buffer.from(id.replaceAll('-', ''), 'hex'), secret }
}

export const generateDataKey = (): DataKey => dataKeyOf(newId(), randomBytes(KEY_BYTES))
