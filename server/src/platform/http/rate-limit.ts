import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

const WINDOW_MS = 60_000
const KEYS_MAX = 50_000

export type RateDecision = { limit: number; remaining: number; resetSeconds: number; isAllowed: boolean }

/** Counts requests in fixed windows of a minute, in this process. Remembers a bounded number of clients. */
export class RateLimiter {
  readonly #windows = new Map<string, { endsAtMs: number; count: number }>()
  readonly #now: () => number
  readonly #keysMax: number

  constructor({ now = () => performance.now(), keysMax = KEYS_MAX } = {}) {
    this.#now = now
    this.#keysMax = keysMax
  }

  get size(): number {
    return this.#windows.size
  }

  take(rateClass: string, ip: string, limit: number): RateDecision {
    const now = this.#now()
    const window = this.#windowOf(`${rateClass} ${networkOf(ip)}`, now)
    window.count++
    return {
      limit,
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.max(1, Math.ceil((window.endsAtMs - now) / 1000)),
      isAllowed: window.count <= limit,
    }
  }

  /** The map is ordered by the end of the windows, so the first key is the one to forget. */
  #windowOf(key: string, now: number) {
    const known = this.#windows.get(key)
    if (known && known.endsAtMs > now) return known

    this.#windows.delete(key)
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > now && this.#windows.size < this.#keysMax) break
      this.#windows.delete(oldest)
    }
    const window = { endsAtMs: now + WINDOW_MS, count: 0 }
    this.#windows.set(key, window)
    return window
  }
}

/** One IPv6 customer holds a whole /64, so that is what counts as one client. */
const networkOf = (ip: string): string => (isIPv6(ip) ? ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':') : ip)
