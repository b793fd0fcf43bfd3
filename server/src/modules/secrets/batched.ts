type Waiting<K, V> = { key: K; resolve: (value: V | undefined) => void; reject: (error: unknown) => void }

/** Asks for many things that are wanted at the same moment with one question; the answers stand in the order of the keys. */
export class Batched<K, V> {
  readonly #ask: (keys: readonly K[]) => Promise<readonly (V | undefined)[]>
  #waiting: Waiting<K, V>[] = []

  constructor(ask: (keys: readonly K[]) => Promise<readonly (V | undefined)[]>) {
    this.#ask = ask
  }

  get(key: K): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const values = await this.#ask(waiting.map(({ key }) => key))
      waiting.forEach(({ resolve }, index) => resolve(values[index]))
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
