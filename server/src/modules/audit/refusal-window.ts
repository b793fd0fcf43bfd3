import type { Clock } from '../../platform/clock.ts'
import type { Origin } from '../permissions/actor.ts'

export type Refusal = { origin: Origin; method: string; route: string; statusCode: number; error: string }
export type CountedRefusal = Refusal & { count: number; firstAt: Date; lastAt: Date }

type Options = {
  clock: Clock
  windowMs?: number | undefined
  write: (refusal: CountedRefusal) => Promise<void>
}

const WINDOW_MS = 10_000
/** What an attacker with many addresses can make us write per window. */
const KINDS_MAX = 100

/** Counts refusals of the same kind from the same address, and writes each count when the window ends. */
export class RefusalWindow {
  readonly #options: Options
  #counted = new Map<string, CountedRefusal>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  add(refusal: Refusal): void {
    const at = new Date(this.#options.clock.now())
    this.#count({ ...refusal, count: 1, firstAt: at, lastAt: at })
  }

  async close(): Promise<void> {
    await this.#flush()
    clearTimeout(this.#timer)
  }

  #count(refusal: CountedRefusal): void {
    this.#timer ??= setTimeout(() => void this.#flush(), this.#options.windowMs ?? WINDOW_MS).unref()
    const kind = this.#kindOf(refusal)
    const key = JSON.stringify([kind.origin.ip, kind.method, kind.route, kind.error])
    const { count = 0, firstAt = refusal.firstAt } = this.#counted.get(key) ?? {}
    this.#counted.set(key, { ...kind, count: count + refusal.count, firstAt })
  }

  /** Once there are too many kinds, further ones are counted together. */
  #kindOf(refusal: CountedRefusal): CountedRefusal {
    const key = JSON.stringify([refusal.origin.ip, refusal.method, refusal.route, refusal.error])
    if (this.#counted.size < KINDS_MAX || this.#counted.has(key)) return refusal
    return { ...refusal, origin: { ip: '', userAgent: '', requestId: '' }, method: '', route: 'others' }
  }

  /** What cannot be written now is counted again for the next window. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = [...this.#counted.values()]
    this.#counted = new Map()
    const written = await Promise.allSettled(counted.map((refusal) => this.#options.write(refusal)))
    counted.filter((_, index) => written[index]?.status === 'rejected').forEach((refusal) => this.#count(refusal))
  }
}
