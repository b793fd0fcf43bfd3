import type { Logger } from 'pino'

export type Usage = { key: string; count: number; lastAt: Date }

type Options = {
  /** One statement for all of them. Keys come once each. */
  write: (usages: readonly Usage[]) => Promise<unknown>
  log: Logger
  periodMs?: number
}

const PERIOD_MS = 10_000
const KEYS_MAX = 50_000

/**
 * Counts that may be a little late, such as the last login: the first is written at once, beside the request that made
 * it; those that follow are gathered, and written together at the end of the period. So one row that everybody uses is
 * locked once in a period and not once per request.
 */
export class UsageRecorder {
  readonly #options: Options
  #due = new Map<string, Usage>()
  /** Of keys that were written in this period. */
  #gathered = new Map<string, Usage>()
  readonly #written = new Set<string>()
  #writing: Promise<void> | undefined
  #period: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  note(key: string, atMs: number): void {
    const isFirst = !this.#written.has(key) && this.#written.size < KEYS_MAX
    add(isFirst ? this.#due : this.#gathered, key, new Date(atMs))
    this.#period ??= setTimeout(() => this.#endPeriod(), this.#options.periodMs ?? PERIOD_MS).unref()
    if (isFirst) this.#write()
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#period)
    this.#endPeriod()
    await this.#writing
  }

  #endPeriod(): void {
    this.#period = undefined
    this.#written.clear()
    for (const usage of this.#gathered.values()) this.#due.set(usage.key, usage)
    this.#gathered = new Map()
    this.#write()
  }

  #write(): void {
    this.#writing ??= this.#writeDue().finally(() => (this.#writing = undefined))
  }

  /** What becomes due while a statement runs goes into the next one. */
  async #writeDue(): Promise<void> {
    while (this.#due.size > 0) {
      const usages = [...this.#due.values()]
      this.#due = new Map()
      for (const { key } of usages) this.#written.add(key)
      try {
        await this.#options.write(usages)
      } catch (error) {
        this.#options.log.warn({ err: error, lost: usages.length }, 'counts of uses could not be written')
      }
    }
  }
}

const add = (usages: Map<string, Usage>, key: string, lastAt: Date): void => {
  const known = usages.get(key)
  if (known) {
    known.count++
    known.lastAt = lastAt
  } else if (usages.size < KEYS_MAX) usages.set(key, { key, count: 1, lastAt })
}
