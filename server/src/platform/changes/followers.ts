import type { Change } from './change.ts'
import type { ResetReason } from './position.ts'
import type { ReadChange } from './read.ts'

/** All three are synchronous, and done when they return. */
export type Follower = {
  /**
   * Something may have been taken away: look again before relying on what any of these scopes tags. Comes before the
   * events of its batch, for own changes also at the moment of their commit; so it may come twice for one change, and
   * for one whose commit failed in a way that left its outcome unknown.
   */
  takeAway?: (changes: readonly Change[]) => void
  /** Each committed change once; two that were committed one after the other come in that order. */
  deliver?: (changes: readonly ReadChange[]) => void
  /** Changes may have been missed: drop everything that was built upon them. */
  reset?: (reason: ResetReason) => void
}

/** Hands changes on. One that throws is reset, and harms no other. */
export class Followers {
  readonly #followers = new Set<Follower>()
  readonly #unsound = new Set<Follower>()
  readonly #onFailure: (error: unknown) => void

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  add(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
      this.#unsound.delete(follower)
    }
  }

  /** False while there is one that threw and could not be reset either. */
  get areSound(): boolean {
    return this.#unsound.size === 0
  }

  takeAway(changes: readonly Change[]): void {
    for (const follower of [...this.#followers]) this.#attempt(follower, () => follower.takeAway?.(changes))
  }

  /** In two passes: no event of a batch is given out before all have heard what the batch takes away. */
  apply(changes: readonly ReadChange[]): void {
    for (const follower of this.#unsound) this.#reset(follower, 'follower-failed')
    if (changes.length === 0) return
    this.takeAway(changes)
    for (const follower of [...this.#followers]) this.#attempt(follower, () => follower.deliver?.(changes))
  }

  reset(reason: ResetReason): void {
    for (const follower of [...this.#followers]) this.#reset(follower, reason)
  }

  #attempt(follower: Follower, action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#reset(follower, 'follower-failed')
      this.#onFailure(error)
    }
  }

  #reset(follower: Follower, reason: ResetReason): void {
    try {
      follower.reset?.(reason)
      this.#unsound.delete(follower)
    } catch (error) {
      this.#unsound.add(follower)
      this.#onFailure(error)
    }
  }
}
