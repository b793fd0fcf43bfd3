import { randomBytes } from 'node:crypto'
import { secretCode } from '../../platform/crypto/hmac.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database } from '../../platform/db/db.ts'

const SECRET_BYTES = 32
const KEY_PURPOSE = 'client-secret-hmac'

/** 256 random bits: nobody guesses them, so what is stored of them needs no slow hash. */
export const newClientSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

export type CodesDeps = { db: Database; keyring: Keyring }

/** What is stored of client secrets, and looked for when they are presented. */
export class ClientSecretCodes {
  readonly #deps: CodesDeps

  constructor(deps: CodesDeps) {
    this.#deps = deps
  }

  /** Under another client id the same secret has another code. Not inside a transaction: the key is made on first use. */
  async codeOf(clientId: string, secret: string): Promise<Buffer> {
    const key = await this.#deps.keyring.ensure(this.#deps.db.pool, KEY_PURPOSE, null)
    return secretCode(key, secret, ['client secret', clientId.toLowerCase()])
  }
}
