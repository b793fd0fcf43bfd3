/** Milliseconds since 1970, in the database's time. Never goes back. */
export type Clock = { now(): number }

/** How much of the elapsed time is given up while this clock is ahead: an hour too much is gone after two. */
const SLOWDOWN = 0.5

/**
 * The database's time, carried on by this machine's monotonic clock between two looks at it. It follows the database
 * forward at once. Backward it follows by running at half speed until they agree: what has ended stays ended, nothing
 * lasts longer than the database says, and this process does not differ for long from one that was started later.
 */
export class DatabaseClock implements Clock {
  readonly #elapsed: () => number
  readonly #system: () => number
  #latest = -Infinity
  #aheadOfElapsed: number | undefined
  #observedAt = 0

  constructor(elapsed = () => performance.now(), system = () => Date.now()) {
    this.#elapsed = elapsed
    this.#system = system
  }

  now(): number {
    // Until the database has been heard once nothing can be decided anyway, so this does not bind what comes later.
    if (this.#aheadOfElapsed === undefined) return this.#system()
    this.#latest = Math.max(this.#latest, Math.floor(this.#elapsed() + this.#aheadOfElapsed))
    return this.#latest
  }

  /**
   * Takes note of the database's time in an answer that has just come in, to a question that was asked at `askedAt`:
   * by now it is that, or later by at most what has elapsed since.
   */
  observe(databaseMs: number, askedAt = this.#elapsed()): void {
    const at = this.#elapsed()
    const [least, most] = [databaseMs - at, databaseMs - askedAt]
    const slowed = (this.#aheadOfElapsed ?? least) - SLOWDOWN * (at - this.#observedAt)
    this.#aheadOfElapsed = Math.max(least, Math.min(this.#aheadOfElapsed ?? least, Math.max(most, slowed)))
    this.#observedAt = at
  }
}
