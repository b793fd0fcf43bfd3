type Entry<V> = { value: V; weight: number; tags: ReadonlySet<string> }

/**
 * Values that can be dropped by what they were tagged with. Those used longest ago go when all together weigh too much;
 * the latest stays in any case.
 */
export class TaggedEntries<V> {
  readonly #weightMax: number
  readonly #weigh: (value: V) => number
  #weight = 0
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry<V>>()
  readonly #keysByTag = new Map<string, Set<string>>()

  constructor(weightMax: number, weigh: (value: V) => number = () => 1) {
    this.#weightMax = weightMax
    this.#weigh = weigh
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, tags: ReadonlySet<string>): void {
    this.delete(key)
    const weight = this.#weigh(value)
    this.#weight += weight
    this.#entries.set(key, { value, weight, tags })
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag)
      if (keys) keys.add(key)
      else this.#keysByTag.set(tag, new Set([key]))
    }
    while (this.#weight > this.#weightMax && this.#entries.size > 1) this.#deleteOldest()
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    for (const tag of entry.tags) {
      const keys = this.#keysByTag.get(tag)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysByTag.delete(tag)
    }
  }

  deleteTagged(tag: string): void {
    for (const key of this.#keysByTag.get(tag) ?? []) this.delete(key)
  }

  clear(): void {
    this.#weight = 0
    this.#entries.clear()
    this.#keysByTag.clear()
  }

  #deleteOldest(): void {
    for (const key of this.#entries.keys()) {
      this.delete(key)
      return
    }
  }
}
