import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { type AddressPolicy, addressPolicy } from './address-policy.ts'
import { getText, type Received } from './get-text.ts'
import { type Lookup, NameResolver } from './name-resolver.ts'
import { OutboundError } from './outbound-error.ts'
import { hostOf, parseOutboundUrl } from './outbound-url.ts'

type Options = {
  /** Addresses and ranges that may be connected to although they are not public. */
  allowedCidrs: readonly string[]
  timeoutMs?: number
  lookUp?: Lookup
}

export type Fetched = { body: unknown; maxAgeSeconds: number | undefined }

/** For everything, from the name to the last byte. */
const TIMEOUT_MS = 5_000
const RUNNING_MAX = 100

/**
 * Requests to addresses that someone typed in. The address that was checked is the one that is connected to; redirects
 * are not followed; what is said of a failure does not tell what is where in the network.
 */
export class Outbound {
  readonly #isAllowed: AddressPolicy
  readonly #resolver: NameResolver
  readonly #timeoutMs: number
  #running = 0

  constructor({ allowedCidrs, timeoutMs = TIMEOUT_MS, lookUp }: Options) {
    this.#isAllowed = addressPolicy(allowedCidrs)
    this.#resolver = new NameResolver(lookUp)
    this.#timeoutMs = timeoutMs
  }

  /** Throws unless one may go there. Nothing is sent. */
  async check(url: string): Promise<void> {
    await this.#run((signal) => this.#addressesOf(parseOutboundUrl(url), signal))
  }

  /** With `ca`, certificates of an https server count only if it vouches for them. */
  async getJson(url: string, { ca }: { ca?: string | undefined } = {}): Promise<Fetched> {
    return this.#run(async (signal) => {
      const parsed = parseOutboundUrl(url)
      const addresses = await this.#addressesOf(parsed, signal)
      return parse(await getText(parsed, { addresses, ca, signal }))
    })
  }

  async #run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#running >= RUNNING_MAX) throw new OutboundError('failed', 'Too many requests are under way')
    this.#running++
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), this.#timeoutMs)
    try {
      return await work(abort.signal)
    } catch (error) {
      throw error instanceof OutboundError ? error : new OutboundError('failed', 'There was no usable answer', error)
    } finally {
      clearTimeout(timer)
      this.#running--
    }
  }

  /** Those that may be connected to. One answer for a name that does not exist and one that is inside the network. */
  async #addressesOf(url: URL, signal: AbortSignal): Promise<LookupAddress[]> {
    const host = hostOf(url)
    const family = isIP(host)
    const refused = (cause: unknown) => new OutboundError('refused', 'The host is not known or not allowed', cause)
    const found =
      family > 0
        ? [{ address: host, family }]
        : await this.#resolver.resolve(host, signal).catch((error: unknown) => {
            throw refused(error)
          })
    const allowed = found.filter(({ address }) => this.#isAllowed(address))
    if (allowed.length === 0) throw refused(new Error('None of its addresses is allowed'))
    return allowed
  }
}

const parse = ({ text, cacheControl }: Received): Fetched => {
  try {
    return { body: JSON.parse(text), maxAgeSeconds: maxAgeIn(cacheControl) }
  } catch {
    // Without its cause, whose message quotes the text.
    throw new Error('The answer is not JSON')
  }
}

const maxAgeIn = (cacheControl: string | undefined): number | undefined => {
  const seconds = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}
