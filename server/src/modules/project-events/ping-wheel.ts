/** Gives each of what it holds its turn once in a full round, spread evenly over the steps of the round. */
export class PingWheel<T> {
  readonly #steps: Set<T>[]
  readonly #stepOf = new Map<T, Set<T>>()
  #present = 0
  #next = 0

  constructor(steps: number) {
    this.#steps = Array.from({ length: steps }, () => new Set<T>())
  }

  add(item: T): void {
    const step = this.#steps[this.#next]
    this.#next = (this.#next + 1) % this.#steps.length
    if (!step) return
    step.add(item)
    this.#stepOf.set(item, step)
  }

  delete(item: T): void {
    this.#stepOf.get(item)?.delete(item)
    this.#stepOf.delete(item)
  }

  get size(): number {
    return this.#stepOf.size
  }

  items(): Iterable<T> {
    return this.#stepOf.keys()
  }

  /** Those whose turn the next step is. */
  turn(): Iterable<T> {
    this.#present = (this.#present + 1) % this.#steps.length
    return this.#steps[this.#present] ?? []
  }
}
