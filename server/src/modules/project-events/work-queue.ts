/** Does something for each of what is added, a few at once. What is added again while it waits is done once. */
export class WorkQueue<T> {
  readonly #waiting = new Set<T>()
  readonly #work: (item: T) => Promise<void>
  readonly #atOnceMax: number
  #workers = 0

  /** `work` throws nothing. */
  constructor(work: (item: T) => Promise<void>, atOnceMax: number) {
    this.#work = work
    this.#atOnceMax = atOnceMax
  }

  add(item: T): void {
    this.#waiting.add(item)
    if (this.#workers < Math.min(this.#atOnceMax, this.#waiting.size)) void this.#drain()
  }

  async #drain(): Promise<void> {
    this.#workers++
    // Not at once: whoever adds may be in the middle of something.
    await Promise.resolve()
    for (const item of this.#waiting) {
      this.#waiting.delete(item)
      await this.#work(item)
    }
    this.#workers--
  }
}
