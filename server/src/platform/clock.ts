/** Milliseconds since 1970, in the database's time. Never goes back. */
export type Clock = { now(): number }

/** How much of the elapsed time may be taken back: more than any quartz drifts, far less than a clock set back by an hour. */
const SLEW_MAX = 0.001

/**
 * The database's time, carried on by this machine's monotonic clock between two looks at it. It follows the database
 * forward at once. Backward it follows only by running a little slower: a database whose clock is set back must not
 * bring back what has ended, nor make what runs out last longer.
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

  /** Takes note of the database's time in an answer that has just come in: by now it is that, or a little later. */
  observe(databaseMs: number): void {
    const at = this.#elapsed()
    const ahead = databaseMs - at
    const lowest =
      this.#aheadOfElapsed === undefined ? ahead : this.#aheadOfElapsed - SLEW_MAX * (at - this.#observedAt)
    this.#aheadOfElapsed = Math.max(ahead, lowest)
    this.#observedAt = at
  }
}
