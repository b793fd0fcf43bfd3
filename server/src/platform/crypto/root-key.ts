import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { KEY_BYTES } from './data-key.ts'
import { OperatorError } from '../../lib/operator-error.ts'

/** A key from outside, which wraps all others. Its id is a fingerprint: safe to show, useless to guess from. */
export type RootKey = { readonly id: string; readonly secret: KeyObject }

/** One that replaces another is held together with it until every key has been rewrapped. */
export type RootKeyPair = { current: RootKey; previous?: RootKey | undefined }

/** The root key is missing, malformed or not the right one. */
export class RootKeyError extends OperatorError {}

export const HOW_TO_MAKE_ONE = `make one with: node -p "crypto.randomBytes(32).toString('base64')"`

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/
const ID_BYTES = 8

export const generateRootKeyText = (): string => randomBytes(KEY_BYTES).toString('base64')

/** `origin` names the setting or file the text came from; the text itself is never repeated. */
export const parseRootKey = (text: string, origin: string): RootKey => {
  const raw = Buffer.from(text, 'base64')
  // Several texts decode to the same bytes; only the one an encoder writes is taken, so a damaged one is noticed.
  if (!BASE64_OF_32_BYTES.test(text) || raw.toString('base64') !== text) {
    throw new RootKeyError(`${origin} must be exactly ${KEY_BYTES} bytes in base64 (44 characters): ${HOW_TO_MAKE_ONE}`)
  }
  const secret = createSecretKey(raw)
  raw.fill(0)
  return { id: fingerprint(secret), secret }
}

const fingerprint = (secret: KeyObject): string =>
  createHmac('sha256', secret).update('holdfast root key id').digest().toString('hex', 0, ID_BYTES)

/** The root keys this process holds. They can be read again, because a rotation may replace their file meanwhile. */
export class RootKeys {
  readonly #read: () => Promise<RootKeyPair>
  /** All that were ever read: a row fetched a moment ago may be under one that has just been replaced. */
  readonly #known = new Map<string, RootKey>()
  #pair: RootKeyPair

  constructor(pair: RootKeyPair, read: () => Promise<RootKeyPair> = () => Promise.resolve(pair)) {
    this.#read = read
    this.#pair = this.#learn(pair)
  }

  get current(): RootKey {
    return this.#pair.current
  }

  get previous(): RootKey | undefined {
    return this.#pair.previous
  }

  find(id: string): RootKey | undefined {
    return this.#known.get(id)
  }

  /** As `find`, but looks at the source again before giving up. */
  async findAfresh(id: string): Promise<RootKey | undefined> {
    if (!this.#known.has(id)) this.#pair = this.#learn(await this.#read())
    return this.#known.get(id)
  }

  #learn(pair: RootKeyPair): RootKeyPair {
    for (const key of [pair.current, pair.previous]) if (key) this.#known.set(key.id, key)
    return pair
  }
}
