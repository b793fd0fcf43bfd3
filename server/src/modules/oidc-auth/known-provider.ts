import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { fetchDocuments, type Provider, providerIdOf } from './provider-documents.ts'
import * as store from './provider-keys.store.ts'
import type { SigningKey } from './signing-keys.ts'

/** How long keys are used before they are fetched again: as the provider wishes, within bounds. */
export type RefreshMs = { min: number; usual: number; max: number }

export type ProviderDeps = { db: Database; outbound: Outbound; clock: Clock; log: Logger; refreshMs: RefreshMs }

export type ProviderKeySet = { issuer: string; keys: readonly SigningKey[]; fetchedAtMs: number }

/** Whatever is sent here, a provider is not asked more often than this because of it. */
const ASKED_EVERY_MS = 10_000
/** So long the last known good keys serve while the provider does not answer, and are refreshed while nobody asks. */
export const KEPT_MS = 86_400_000

/** One OpenID provider. Once its keys are known nobody waits for it again, whether it is up or down. */
export class KnownProvider {
  readonly #deps: ProviderDeps
  readonly #provider: Provider
  readonly #id: Buffer
  #known: ProviderKeySet | undefined
  #loading: Promise<ProviderKeySet> | undefined
  #failure: { error: unknown; atMs: number } | undefined
  #usedAtMs = 0
  /** When a key that nobody knew was last looked for. */
  #soughtAtMs = -Infinity
  #refreshInMs: number
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: ProviderDeps, provider: Provider) {
    this.#deps = deps
    this.#provider = provider
    this.#id = providerIdOf(provider)
    this.#refreshInMs = deps.refreshMs.usual
  }

  /** What `pick` finds among its keys. If that is nothing they may have changed, and are fetched again. */
  async find<T>(pick: (known: ProviderKeySet) => T | undefined): Promise<T | undefined> {
    const startedAtMs = this.#deps.clock.now()
    this.#usedAtMs = startedAtMs
    const known = await this.#require(startedAtMs)
    const found = pick(known)
    if (found !== undefined || known.fetchedAtMs >= startedAtMs) return found
    return pick(await this.#seek(known))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #require(nowMs: number): Promise<ProviderKeySet> {
    if (isUsable(this.#known, nowMs)) return this.#known
    if (!this.#loading && this.#failure && nowMs - this.#failure.atMs < ASKED_EVERY_MS) throw this.#failure.error
    return this.#load()
  }

  /** Newer keys, if it is time and they can be had; else those that are known. */
  async #seek(known: ProviderKeySet): Promise<ProviderKeySet> {
    const nowMs = this.#deps.clock.now()
    if (!this.#loading) {
      if (nowMs - this.#soughtAtMs < ASKED_EVERY_MS) return this.#known ?? known
      this.#soughtAtMs = nowMs
    }
    return this.#load('from the provider').catch(() => known)
  }

  #load(source: 'from the provider' | 'from anyone' = 'from anyone'): Promise<ProviderKeySet> {
    this.#loading ??= this.#obtain(source === 'from the provider').finally(() => {
      this.#loading = undefined
      this.#schedule()
    })
    return this.#loading
  }

  /** Other processes ask too, and leave what they were told; failing the provider, that may be the last known good. */
  async #obtain(mustAsk: boolean): Promise<ProviderKeySet> {
    const startedAtMs = this.#deps.clock.now()
    const { usual } = this.#deps.refreshMs
    const kept = await this.#findKept()
    const isNews = kept !== undefined && kept.fetchedAtMs > (this.#known?.fetchedAtMs ?? 0)
    if (isNews && !mustAsk && startedAtMs - kept.fetchedAtMs < usual) return this.#learn(kept, usual)
    try {
      return await this.#ask(startedAtMs)
    } catch (error) {
      this.#noteFailure(error)
      if (isNews) this.#known = kept
      if (isUsable(this.#known, startedAtMs)) return this.#known
      throw error
    }
  }

  async #ask(startedAtMs: number): Promise<ProviderKeySet> {
    const { issuer, keys, maxAgeSeconds } = await fetchDocuments(this.#deps.outbound, this.#provider)
    const { min, usual, max } = this.#deps.refreshMs
    const wishedMs = maxAgeSeconds === undefined ? usual : maxAgeSeconds * 1_000
    await store.save(this.#deps.db.pool, this.#id, { issuer, keys, fetchedAt: new Date(startedAtMs) })
    return this.#learn({ issuer, keys, fetchedAtMs: startedAtMs }, Math.min(Math.max(wishedMs, min), max))
  }

  #learn(known: ProviderKeySet, refreshInMs: number): ProviderKeySet {
    this.#known = known
    this.#failure = undefined
    this.#refreshInMs = refreshInMs
    return known
  }

  #noteFailure(error: unknown): void {
    this.#failure = { error, atMs: this.#deps.clock.now() }
    this.#refreshInMs = this.#deps.refreshMs.min
    const { host } = new URL(this.#provider.discoveryUrl)
    this.#deps.log.warn({ err: error, host }, 'the keys of an identity provider could not be fetched')
  }

  async #findKept(): Promise<ProviderKeySet | undefined> {
    const row = await store.find(this.#deps.db.pool, this.#id)
    return row && { issuer: row.issuer, keys: row.keys, fetchedAtMs: row.fetchedAt.getTime() }
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    // A little apart, so that not all processes ask at once and some find the answer of another.
    const delayMs = this.#refreshInMs * (0.9 + 0.2 * Math.random())
    this.#timer = setTimeout(() => this.#refresh(), delayMs).unref()
  }

  #refresh(): void {
    if (this.#deps.clock.now() - this.#usedAtMs < KEPT_MS) void this.#load().catch(() => undefined)
    else this.#known = undefined
  }
}

const isUsable = (known: ProviderKeySet | undefined, nowMs: number): known is ProviderKeySet =>
  known !== undefined && nowMs - known.fetchedAtMs < KEPT_MS
