import { createSecretKey, randomBytes } from 'node:crypto'
import { associatedData, decrypt, encrypt } from './aead.ts'
import { KEY_BYTES } from './data-key.ts'

/** Seals what a process keeps in its own memory, under a key that is born and dies with it. */
export class ProcessSeal {
  readonly #key = createSecretKey(randomBytes(KEY_BYTES))

  /** The name is that of the cache entry: a block opens under its own name only. */
  seal(plaintext: Buffer | string, name: string): Buffer {
    return encrypt(this.#key, plaintext, associatedData([name]))
  }

  open(sealed: Buffer, name: string): Buffer {
    return decrypt(this.#key, sealed, associatedData([name]))
  }
}
