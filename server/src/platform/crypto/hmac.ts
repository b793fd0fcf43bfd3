import { createHmac, timingSafeEqual } from 'node:crypto'
import { associatedData } from './aead.ts'
import type { DataKey } from './data-key.ts'

/**
 * What is stored of a secret that has 256 random bits of its own, so that no password hash is needed. `boundTo` names
 * what the secret opens: a code copied to another row does not match there.
 */
export const secretCode = (key: DataKey, secret: string, boundTo: readonly string[]): Buffer =>
  createHmac('sha256', key.secret)
    .update(associatedData([...boundTo, secret]))
    .digest()

/** Takes the same time wherever the codes differ. */
export const isSameCode = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right)
