import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../lib/app-error.ts'
import { type Clock, DatabaseClock } from '../clock.ts'
import type { Database, Tx } from '../db/db.ts'
import { isConnectionFailure } from '../db/failures.ts'
import type { Change } from './change.ts'
import * as store from './changes.store.ts'
import { type Follower, Followers } from './followers.ts'
import { Position, type ResetReason, type Step } from './position.ts'
import { Pulse } from './pulse.ts'
import { Session, type SessionOptions } from './session.ts'

/** For logs and metrics. */
export type FeedObserver = {
  /** A read was applied; `tookMs` from asking the database to having told every follower. */
  applied?: (batch: { rows: number; tookMs: number }) => void
  reset?: (reason: ResetReason) => void
  connected?: () => void
  /** Once for each loss, however many attempts follow. */
  disconnected?: (error: unknown) => void
  failed?: (what: 'follower' | 'notify', error: unknown) => void
}

type Options = {
  db: Database
  /** Around any pooler: the feed listens in a session of its own. */
  direct: SessionOptions
  observer?: FeedObserver
}

type Waiters = { applied: Promise<void>; resolve: () => void; reject: (error: unknown) => void }

/** What was revoked longer ago than this must have no effect anywhere. */
const TRUST_MS = 1_000
const RECONNECT_MS_MIN = 20
const RECONNECT_MS_MAX = 500
const RETRY_AFTER_SECONDS = 1

/** Carries what any process commits to every process. */
export class ChangeFeed {
  readonly clock: Clock
  readonly #databaseClock = new DatabaseClock()
  readonly #db: Database
  readonly #direct: SessionOptions
  readonly #observer: FeedObserver
  readonly #followers: Followers
  readonly #position = new Position()
  readonly #pulse = new Pulse()
  readonly #stopping = new AbortController()
  #running = Promise.resolve()
  #session: Session | undefined
  #isConnected = true
  #hasOwnNews = false
  #waiters: Waiters | undefined
  /** When the last fully applied read began, by the monotonic clock and by the wall's. */
  #readAt = -Infinity
  #readAtWall = -Infinity

  constructor({ db, direct, observer = {} }: Options) {
    this.#db = db
    this.#direct = direct
    this.#observer = observer
    this.clock = this.#databaseClock
    this.#followers = new Followers((error) => this.#observer.failed?.('follower', error))
  }

  start(): void {
    this.#running = this.#runUntilStopped()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#pulse.poke()
    await this.#session?.close()
    await this.#running
    this.#readAt = -Infinity
  }

  /**
   * Adds to what `tx` will have changed, to be called while it holds the lock of that. On commit it is out of date in
   * this process before the caller goes on, and in the others as soon as they read.
   */
  async append(tx: Tx, ...changes: Change[]): Promise<void> {
    if (changes.length === 0) return
    await store.insert(tx, changes)
    this.appended(tx, changes)
  }

  /** The same for those that another statement of `tx` appends, which saves one. */
  appended(tx: Tx, changes: readonly Change[]): void {
    this.#db.afterCommit(tx, () => {
      this.#followers.takeAway(changes)
      this.#hasOwnNews = true
      this.#pulse.poke()
    })
  }

  follow(follower: Follower): () => void {
    return this.#followers.add(follower)
  }

  /**
   * Whether what was cached behind this feed may be used. A change that was committed before a read began is visible to
   * it, so once that read is applied nothing older than its beginning can still be unknown here. The wall clock is asked
   * as well because the monotonic one stands still while the machine sleeps.
   */
  isTrusted(): boolean {
    return (
      performance.now() - this.#readAt < TRUST_MS &&
      Date.now() - this.#readAtWall < TRUST_MS &&
      this.#followers.areSound
    )
  }

  /** How long ago the last applied read began. */
  get readAgeMs(): number {
    return performance.now() - this.#readAt
  }

  /** Resolves when a read that began after this call has been applied; throws when it cannot be made now. */
  readNow(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.reject(notReadable(new Error('The feed has stopped')))
    this.#waiters ??= newWaiters()
    this.#pulse.poke()
    return this.#waiters.applied
  }

  /** Deletes what every process has long read. A job: once a minute is enough, and several at once do no harm. */
  async prune(): Promise<number> {
    await store.updatePruneMark(this.#db.pool)
    return (await store.deleteBelowPruneMark(this.#db.pool)) + (await store.deleteFromOtherCluster(this.#db.pool))
  }

  async #runUntilStopped(): Promise<void> {
    const { signal } = this.#stopping
    let pauseMs = RECONNECT_MS_MIN
    const onConnected = () => (pauseMs = RECONNECT_MS_MIN)
    while (!signal.aborted) {
      try {
        await this.#readWhileConnected(onConnected)
      } catch (error) {
        this.#noteLoss(error)
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
        pauseMs = Math.min(2 * pauseMs, RECONNECT_MS_MAX)
      }
    }
    this.#takeWaiters()?.reject(notReadable(new Error('The feed has stopped')))
  }

  async #readWhileConnected(onConnected: () => void): Promise<void> {
    // It listens before it reads: what committed before is read, what commits after is announced.
    const session = (this.#session = await Session.open(this.#direct, () => this.#pulse.poke()))
    try {
      this.#position.beginSession(session)
      await this.#read(session)
      onConnected()
      this.#noteConnection()
      while (!this.#stopping.signal.aborted) {
        await this.#pulse.next()
        await this.#read(session)
      }
    } finally {
      await session.close()
    }
  }

  async #read(session: Session): Promise<void> {
    const waiters = this.#takeWaiters()
    try {
      const [beganAt, beganAtWall] = [performance.now(), Date.now()]
      // They travel together, and are done one after the other.
      const [read] = await Promise.all([session.read(this.#position.next), this.#announceOwnNews(session)])
      this.#databaseClock.observe(read.databaseMs, beganAt)
      // From here on nothing waits: no request comes between the parts of a batch, and the read is applied as a whole.
      const rows = this.#apply(this.#position.take(read, performance.now()))
      this.#readAt = beganAt
      this.#readAtWall = beganAtWall
      waiters?.resolve()
      this.#observer.applied?.({ rows, tookMs: performance.now() - beganAt })
    } catch (error) {
      waiters?.reject(notReadable(error))
      throw error
    }
  }

  #apply(step: Step): number {
    if ('news' in step) {
      this.#followers.apply(step.news)
      return step.news.length
    }
    this.#followers.reset(step.reset)
    this.#observer.reset?.(step.reset)
    return 0
  }

  /** A hint only: without it the others read a quarter of a second later. */
  async #announceOwnNews(session: Session): Promise<void> {
    if (!this.#hasOwnNews) return
    this.#hasOwnNews = false
    try {
      await session.notify()
    } catch (error) {
      this.#hasOwnNews = isConnectionFailure(error)
      if (this.#hasOwnNews) throw error
      this.#observer.failed?.('notify', error)
    }
  }

  #takeWaiters(): Waiters | undefined {
    const waiters = this.#waiters
    this.#waiters = undefined
    return waiters
  }

  #noteConnection(): void {
    if (!this.#isConnected) this.#observer.connected?.()
    this.#isConnected = true
  }

  #noteLoss(error: unknown): void {
    this.#takeWaiters()?.reject(notReadable(error))
    if (this.#isConnected && !this.#stopping.signal.aborted) this.#observer.disconnected?.(error)
    this.#isConnected = false
  }
}

const newWaiters = (): Waiters => {
  let settle: Omit<Waiters, 'applied'> = { resolve: () => undefined, reject: () => undefined }
  const applied = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { applied, ...settle }
}

const notReadable = (cause: unknown) =>
  unavailable('The database is not available at the moment, please try again', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
