import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { rateLimited } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import * as store from './login-attempts.store.ts'

type Deps = { db: Database; clock: Clock }
type Counter = { key: Buffer; attemptsMax: number }

/** Somebody at some address who tries to come in as some user. */
export type Attempt = {
  account: string
  ip: string
  /** The user has been here before: others who guess elsewhere, or at others from here, do not lock the owner out. */
  isKnownAddress: boolean
}

const WINDOW_MS = 15 * 60_000
const PER_ACCOUNT_AND_ADDRESS_MAX = 10
/** Guessing at many accounts from one place. */
const PER_ADDRESS_MAX = 100
/** Guessing at one account from many places. */
const PER_ACCOUNT_MAX = 100
const PURGE_BATCH_MAX = 10_000

/**
 * Holds back those who guess passwords. An attempt counts as a failure before the password is looked at and is taken
 * back when it was right, so that no more than the allowed number are looked at however many come at once.
 */
export class LoginThrottle {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A look that counts nothing, so that those who are held back cost next to nothing. */
  async requireOpen(attempt: Attempt): Promise<void> {
    const counters = countersOf(attempt)
    const now = this.#deps.clock.now()
    const counted = await store.list(
      this.#deps.db.pool,
      counters.map(({ key }) => key),
      new Date(now),
    )
    requireBelow(
      counters,
      counted.map((row) => ({ ...row, attempts: row.attempts + 1 })),
      now,
    )
  }

  /** One that is refused leaves nothing behind. */
  async begin(attempt: Attempt): Promise<void> {
    const counters = countersOf(attempt)
    const now = this.#deps.clock.now()
    const window = { now: new Date(now), endsAt: new Date(now + WINDOW_MS) }
    await this.#deps.db.transaction(async (tx) => {
      requireBelow(
        counters,
        await store.add(
          tx,
          counters.map(({ key }) => key),
          window,
        ),
        now,
      )
    })
  }

  async succeed(attempt: Attempt): Promise<void> {
    const keys = countersOf(attempt).map(({ key }) => key)
    const [both, ...others] = keys
    await this.#deps.db.transaction(async (tx) => {
      await store.lock(tx, keys)
      if (others.length > 0) await store.takeBack(tx, others)
      if (both) await store.forget(tx, both)
    })
  }

  /** Forgets windows that have ended. A job. */
  async purge(): Promise<void> {
    const now = new Date(this.#deps.clock.now())
    while ((await store.deleteEnded(this.#deps.db.pool, now, PURGE_BATCH_MAX)) === PURGE_BATCH_MAX);
  }
}

const countersOf = ({ account, ip, isKnownAddress }: Attempt): Counter[] => {
  const network = networkOf(ip)
  const both = { key: digest('both', account, network), attemptsMax: PER_ACCOUNT_AND_ADDRESS_MAX }
  if (isKnownAddress) return [both]
  return [
    both,
    { key: digest('address', network), attemptsMax: PER_ADDRESS_MAX },
    { key: digest('account', account), attemptsMax: PER_ACCOUNT_MAX },
  ]
}

const requireBelow = (counters: readonly Counter[], counted: readonly store.Counted[], now: number): void => {
  const exceeded = counted.filter(({ key, attempts }) =>
    counters.some((counter) => counter.key.equals(key) && attempts > counter.attemptsMax),
  )
  if (exceeded.length === 0) return
  const endsAt = Math.max(...exceeded.map((row) => row.endsAt.getTime()))
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
  // wire: clients look for the number of seconds in the text.
  throw rateLimited(`Too many failed logins, please try again in ${retryAfterSeconds} seconds`, { retryAfterSeconds })
}

const digest = (...parts: string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest()

/** One IPv6 customer holds a whole /64, so that is what counts as one address. */
const networkOf = (ip: string): string => (isIPv6(ip) ? ipaddr.IPv6.parse(ip).parts.slice(0, 4).join(':') : ip)
