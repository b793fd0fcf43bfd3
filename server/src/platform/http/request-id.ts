import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 14

/** Asking the system for randomness once per few hundred ids keeps an id at a fraction of a microsecond. */
const pool = Buffer.allocUnsafe(8192)
let position = pool.length

export const newRequestId = (): string => {
  let id = 'req-'
  for (let length = 0; length < LENGTH;) {
    if (position === pool.length) {
      randomFillSync(pool)
      position = 0
    }
    const index = pool.readUInt8(position++) & 63
    // 62 and 63 are thrown away, so that every character is equally likely.
    if (index < ALPHABET.length) {
      id += ALPHABET.charAt(index)
      length++
    }
  }
  return id
}
