import { lookup as lookUpInSystem, type LookupAddress } from 'node:dns'
import { promisify } from 'node:util'

export type Lookup = (host: string) => Promise<LookupAddress[]>

/** Node asks the system in one of four threads that all of the process shares, and nobody can be made to answer soon. */
const LOOKUPS_MAX = 2

const lookUp = promisify(lookUpInSystem)

/** Turns names into addresses, a few at a time. */
export class NameResolver {
  readonly #lookUp: Lookup
  readonly #waiting = new Set<() => Promise<void>>()
  #running = 0

  constructor(lookUpName: Lookup = (host) => lookUp(host, { all: true })) {
    this.#lookUp = lookUpName
  }

  /** Whoever stops waiting leaves a question that is asked already to its end. */
  resolve(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    return new Promise((resolve, reject) => {
      const ask = () => this.#lookUp(host).then(resolve, reject)
      signal.addEventListener(
        'abort',
        () => {
          this.#waiting.delete(ask)
          reject(new Error('The name was not found in time'))
        },
        { once: true },
      )
      this.#waiting.add(ask)
      this.#run()
    })
  }

  #run(): void {
    for (const ask of this.#waiting) {
      if (this.#running >= LOOKUPS_MAX) return
      this.#waiting.delete(ask)
      this.#running++
      void ask().finally(() => {
        this.#running--
        this.#run()
      })
    }
  }
}
