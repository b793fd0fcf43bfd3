/** Keeps the entries used last, up to a number. */
export class RecentMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #entriesMax: number

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(name: string): V | undefined {
    const value = this.#entries.get(name)
    if (value === undefined) return undefined
    // A Map remembers the order of insertion: the entry moves to the end.
    this.#entries.delete(name)
    this.#entries.set(name, value)
    return value
  }

  set(name: string, value: V): void {
    this.#entries.delete(name)
    this.#entries.set(name, value)
    if (this.#entries.size <= this.#entriesMax) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
