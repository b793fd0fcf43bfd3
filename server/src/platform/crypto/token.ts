import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { badRequest, tokenRejected, type AppError } from '../../lib/app-error.ts'
import type { Database } from '../db/db.ts'
import type { DataKey } from './data-key.ts'
import type { Keyring } from './keyring.ts'
import { RecentMap } from './recent-map.ts'

/** What a token says. Whether it suffices is for the caller to judge. */
export type TokenClaims = Readonly<{ iat: number; exp: number; [claim: string]: unknown }>

type Lifetime = { issuedAtSeconds: number; expiresAtSeconds: number }
type Deps = { db: Database; keyring: Pick<Keyring, 'ensure' | 'list'> }

const PURPOSE = 'token-signing'
/** Node takes no more than this in all headers of a request together. */
const TOKEN_LENGTH_MAX = 16_384
/** Of those that were verified, the claims are kept. Longer ones are rare, and would take too much room. */
const KEPT_LENGTH_MAX = 2_048
const KEPT_MAX = 2_000

/**
 * Access tokens: JWTs with HS256 under the keys of this installation, and nothing else. A header is never obeyed: it
 * must be, letter for letter, one that this class writes, which leaves no choice of algorithm or key to the sender.
 */
export class TokenSigner {
  readonly #deps: Deps
  readonly #keysByHeader = new Map<string, DataKey>()
  /** By the hash of the whole token: no token stays in memory. A key never changes, so what was verified once stays so. */
  readonly #verified = new RecentMap<TokenClaims>(KEPT_MAX)
  #signing: { key: DataKey; header: string } | undefined
  #running: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A first use outside any transaction, so that later ones find the key in memory. */
  async prepare(): Promise<void> {
    await this.#signingKey()
  }

  async sign(claims: Record<string, unknown>, { issuedAtSeconds, expiresAtSeconds }: Lifetime): Promise<string> {
    const { key, header } = await this.#signingKey()
    const payload = { ...claims, iat: issuedAtSeconds, exp: expiresAtSeconds } satisfies TokenClaims
    if (!isTime(payload.iat) || !isTime(payload.exp)) throw new Error('A token needs whole seconds')

    const input = `${header}.${encode(payload)}`
    const token = `${input}.${signatureOf(key, input)}`
    if (token.length > TOKEN_LENGTH_MAX) throw badRequest('The claims are too large for an access token')
    return token
  }

  /** The claims of a token of ours that is valid at this time; throws `token-rejected` otherwise. */
  async verify(token: string, nowMs: number): Promise<TokenClaims> {
    if (token.length > KEPT_LENGTH_MAX) return validAt(await this.#open(token), nowMs)
    const name = hash('sha256', token, 'base64')
    let claims = this.#verified.get(name)
    if (!claims) this.#verified.set(name, (claims = await this.#open(token)))
    return validAt(claims, nowMs)
  }

  async #open(token: string): Promise<TokenClaims> {
    const [header, payload, signature] = split(token)
    const key = this.#keysByHeader.get(header) ?? (await this.#keyOfUnknown(header))
    if (!isSameText(signatureOf(key, `${header}.${payload}`), signature)) throw wronglySigned()
    return readTimes(decode(payload))
  }

  async #signingKey(): Promise<{ key: DataKey; header: string }> {
    const key = await this.#deps.keyring.ensure(this.#deps.db.pool, PURPOSE, null)
    if (this.#signing?.key !== key) this.#signing = { key, header: this.#learn(key) }
    return this.#signing
  }

  #learn(key: DataKey): string {
    const header = encode({ alg: 'HS256', typ: 'JWT', kid: key.id })
    this.#keysByHeader.set(header, key)
    return header
  }

  /** Another process may have begun to sign with a new key. */
  async #keyOfUnknown(header: string): Promise<DataKey> {
    const { alg, kid } = decode(header)
    if (alg !== 'HS256') throw tokenRejected('The access token is signed with an algorithm that is not accepted')
    if (typeof kid !== 'string') throw wronglySigned()

    await this.#reload()
    const key = this.#keysByHeader.get(header)
    if (!key) throw wronglySigned()
    return key
  }

  /** However many invented keys are sent, one query runs at a time. One that runs already may be too old: the next is shared. */
  #reload(): Promise<void> {
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined
        this.#running = this.#load()
        return this.#running
      })
    return this.#queued
  }

  async #load(): Promise<void> {
    for (const key of await this.#deps.keyring.list(this.#deps.db.pool, PURPOSE, null)) this.#learn(key)
  }
}

const malformed = (): AppError => tokenRejected('The access token is malformed')
const wronglySigned = (): AppError => tokenRejected('The access token has an invalid signature')

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const signatureOf = (key: DataKey, input: string): string =>
  createHmac('sha256', key.secret).update(input).digest('base64url')

/** Compared as text, which leaves no second spelling of the same signature. */
const isSameText = (left: string, right: string): boolean => {
  const [leftBytes, rightBytes] = [Buffer.from(left), Buffer.from(right)]
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes)
}

const split = (token: string): [header: string, payload: string, signature: string] => {
  if (token.length > TOKEN_LENGTH_MAX) throw malformed()
  const [header, payload, signature, ...rest] = token.split('.', 4)
  if (!header || !payload || signature === undefined || rest.length > 0) throw malformed()
  return [header, payload, signature]
}

const decode = (part: string): Record<string, unknown> => {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw malformed()
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (isRecord(value)) return value
  } catch {
    // Not JSON: malformed like anything else that is not an object.
  }
  throw malformed()
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTime = (value: unknown): value is number => Number.isSafeInteger(value)

const readTimes = (claims: Record<string, unknown>): TokenClaims => {
  const { iat, exp, nbf = 0 } = claims
  if (!isTime(iat) || !isTime(exp) || !isTime(nbf)) throw malformed()
  return Object.freeze({ ...claims, iat, exp })
}

const validAt = (claims: TokenClaims, nowMs: number): TokenClaims => {
  const { exp, nbf } = claims
  if (nowMs >= exp * 1000) throw tokenRejected('The access token has expired, please log in again')
  if (nowMs < Number(nbf ?? 0) * 1000) throw tokenRejected('The access token is not valid yet')
  return claims
}
