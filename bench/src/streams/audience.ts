import { Stream, type Subscription } from './stream.ts'

/** As many at once as a fleet of clients that comes back would. */
const CONNECTING_MAX = 100
const RECEIPT_MS_MAX = 10_000

type Receipt = { key: string; sentAt: number; milliseconds: number[]; onAll: () => void }

/** Many streams of one project that expect one change after the other. */
export class Audience {
  readonly #streams: Stream[] = []
  /** The number of times that each stream was told of each key. */
  readonly #told: Map<string, number>[] = []
  #expected: Receipt | undefined

  /** Seconds until all of them are open. */
  async gather(subscription: Subscription, size: number): Promise<number> {
    const startedAt = performance.now()
    const connect = async () => {
      while (this.#streams.length < size) await this.#add(subscription)
    }
    await Promise.all(Array.from({ length: CONNECTING_MAX }, connect))
    return (performance.now() - startedAt) / 1_000
  }

  /** Makes a change and waits until everybody has heard of it; milliseconds from its beginning to each receipt. */
  async hear(key: string, change: () => Promise<unknown>): Promise<number[]> {
    const milliseconds: number[] = []
    const heardByAll = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RECEIPT_MS_MAX)
      const onAll = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#expected = { key, sentAt: performance.now(), milliseconds, onAll }
    })
    await change()
    await heardByAll
    return milliseconds
  }

  /** Of the keys that each should have heard of once. */
  faults(keys: readonly string[]): { lost: number; doubled: number } {
    const times = this.#told.flatMap((told) => keys.map((key) => told.get(key) ?? 0))
    return { lost: times.filter((count) => count === 0).length, doubled: times.filter((count) => count > 1).length }
  }

  get openCount(): number {
    return this.#streams.filter(({ isOpen }) => isOpen).length
  }

  leave(): void {
    for (const stream of this.#streams) stream.close()
  }

  async #add(subscription: Subscription): Promise<void> {
    const told = new Map<string, number>()
    const stream = new Stream(subscription, (key) => {
      told.set(key, (told.get(key) ?? 0) + 1)
      this.#receive(key)
    })
    this.#streams.push(stream)
    this.#told.push(told)
    await stream.opened()
  }

  #receive(key: string): void {
    const expected = this.#expected
    if (expected?.key !== key) return
    expected.milliseconds.push(performance.now() - expected.sentAt)
    if (expected.milliseconds.length === this.#streams.length) expected.onAll()
  }
}
