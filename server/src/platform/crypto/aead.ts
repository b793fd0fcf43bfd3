import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OPTIONS = { authTagLength: TAG_BYTES }
const EMPTY = Buffer.alloc(0)

/** Nonces fetched from the generator at once: one by one, fetching costs as much as encrypting. */
const NONCES_PER_FETCH = 256

/** Says nothing about why, so that it helps nobody who is trying. */
export class CannotOpenError extends Error {
  constructor() {
    super('A sealed value could not be opened')
    this.name = 'CannotOpenError'
  }
}

/** An encoding that no two lists share. UTF-16 because UTF-8 turns every lone surrogate into the same bytes. */
export const associatedData = (parts: readonly (string | null)[]): Buffer => {
  let text = ''
  for (const part of parts) text += part === null ? '-' : `${part.length}:${part}`
  return Buffer.from(text, 'utf16le')
}

/** Prefix, nonce, ciphertext, tag. The prefix is not authenticated here: its meaning belongs in the associated data. */
export const encrypt = (key: KeyObject, plaintext: Buffer | string, aad: Buffer, prefix: Buffer = EMPTY): Buffer => {
  const nonce = nextNonce()
  const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS)
  cipher.setAAD(aad)
  const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([prefix, nonce, ciphertext, cipher.getAuthTag()])
}

/** The plaintext of what `encrypt` made with a prefix of that length. */
export const decrypt = (key: KeyObject, box: Buffer, aad: Buffer, prefixBytes = 0): Buffer => {
  const start = prefixBytes + NONCE_BYTES
  const end = box.length - TAG_BYTES
  if (end < start) throw new CannotOpenError()

  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(prefixBytes, start), OPTIONS)
  decipher.setAAD(aad)
  decipher.setAuthTag(box.subarray(end))
  const plaintext = decipher.update(box.subarray(start, end))
  try {
    decipher.final()
  } catch {
    throw new CannotOpenError()
  }
  return plaintext
}

let nonces = EMPTY
let nonceOffset = 0

const nextNonce = (): Buffer => {
  if (nonceOffset === nonces.length) {
    nonces = randomBytes(NONCE_BYTES * NONCES_PER_FETCH)
    nonceOffset = 0
  }
  return nonces.subarray(nonceOffset, (nonceOffset += NONCE_BYTES))
}
