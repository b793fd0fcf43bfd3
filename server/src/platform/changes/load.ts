/** Tags of an answer that became known only with it; also good when one of them was named while the query ran. */
export type AlsoTag = (...tags: string[]) => void

export type Loader<V> = (alsoTag: AlsoTag) => Promise<V | undefined>

/** Beyond this a query that takes so long is not worth keeping. */
const NAMED_MAX = 10_000

/** One query on its way for one key. It exists before the query begins, and hears of every change until it ends. */
export class Load<V> {
  /** Later ones have higher numbers. */
  readonly number: number
  readonly beganAt = performance.now()
  readonly tags: Set<string>
  /** Shared by everyone who needs a query that begins later than this one. */
  following: Promise<V | undefined> | undefined
  readonly #named = new Set<string>()
  #isStale = false

  constructor(number: number, tags: readonly string[]) {
    this.number = number
    this.tags = new Set(tags)
  }

  /** The answer may be older than a change that names it. */
  get isStale(): boolean {
    return this.#isStale
  }

  alsoTag(tags: readonly string[]): void {
    for (const tag of tags) {
      this.tags.add(tag)
      if (this.#named.has(tag)) this.#isStale = true
    }
  }

  hear(scope: string): void {
    if (this.tags.has(scope) || this.#named.size >= NAMED_MAX) this.#isStale = true
    this.#named.add(scope)
  }

  spoil(): void {
    this.#isStale = true
  }
}
