import type { ChangeFeed } from '../../platform/changes/feed.ts'

const SCOPE = 'actor:'
const KEPT_MAX = 2_000

/** Which actors something was changed of lately. */
export class ActorNews {
  #ids: string[] = []
  #first = 0

  constructor(feed: Pick<ChangeFeed, 'follow'>) {
    feed.follow({
      takeAway: (changes) => {
        for (const { scope } of changes) if (scope.startsWith(SCOPE)) this.#ids.push(scope.slice(SCOPE.length))
        if (this.#ids.length > 2 * KEPT_MAX) this.#forget(this.#ids.length - KEPT_MAX)
      },
      // One further than all that was heard: nobody who asks from before can be told.
      reset: () => {
        this.#forget(this.#ids.length)
        this.#first += 1
      },
    })
  }

  /** To be taken before a query begins: what is heard from then on may not be in its answer. */
  get position(): number {
    return this.#first + this.#ids.length
  }

  /** Undefined when that is too long ago to tell. */
  since(position: number): string[] | undefined {
    if (position < this.#first) return undefined
    return position === this.position ? [] : [...new Set(this.#ids.slice(position - this.#first))]
  }

  #forget(count: number): void {
    this.#ids = this.#ids.slice(count)
    this.#first += count
  }
}
