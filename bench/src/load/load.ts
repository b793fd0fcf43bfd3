import { type Percentiles, percentiles } from '../statistics.ts'
import { Connection, type Exchange } from './connection.ts'
import type { Answer } from './response-reader.ts'
import { type Request, requestWriter } from './request.ts'

export type Load = {
  url: string
  request: Request
  connections: number
  seconds: number
}

export type Outcome = {
  perSecond: number
  /** Of the answers that were good. */
  milliseconds: Percentiles
  requests: number
  errors: number
  /** Body of the last good answer. */
  bytes: number
  /** How the errors showed themselves, and how often. */
  complaints: Record<string, number>
}

/** Bounds the memory of one run. */
const REQUESTS_MAX = 1_000_000
const FAILURES_MAX = 1_000
const COMPLAINTS_MAX = 10

/** Sends the request over all connections for as long as told, and counts what is answered within that time. */
export const runLoad = async ({ url, request, connections, seconds }: Load): Promise<Outcome> => {
  const base = new URL(url)
  const tally = new Tally()
  const write = requestWriter(base, request)
  let isOver = false
  const opened: Connection[] = []
  const startedAt = performance.now()
  await new Promise<void>((resolve) => {
    const finish = () => {
      isOver = true
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(finish, seconds * 1_000)
    const exchange: Exchange = {
      next: () => (isOver ? undefined : write()),
      onAnswer: (answer, milliseconds) => {
        if (tally.answer(answer, milliseconds).isFull) finish()
      },
      onFailure: (reason) => {
        if (tally.failure(reason).isFull) finish()
      },
    }
    for (let number = 0; number < connections; number++) opened.push(new Connection(base, exchange))
    for (const connection of opened) connection.open()
  })
  const outcome = tally.close((performance.now() - startedAt) / 1_000)
  for (const connection of opened) connection.close()
  return outcome
}

class Tally {
  readonly #latencies = new Float64Array(REQUESTS_MAX)
  readonly #complaints = new Map<string, number>()
  #good = 0
  #errors = 0
  #failures = 0
  #bytes = 0

  get isFull(): boolean {
    return this.#good + this.#errors >= REQUESTS_MAX || this.#failures >= FAILURES_MAX
  }

  answer({ status, bytes }: Answer, milliseconds: number): this {
    if (status < 200 || status >= 400) return this.#complain(`status ${status}`)
    this.#latencies[this.#good++] = milliseconds
    this.#bytes = bytes
    return this
  }

  failure(reason: string): this {
    this.#failures++
    return this.#complain(reason)
  }

  close(seconds: number): Outcome {
    return {
      perSecond: this.#good / seconds,
      milliseconds: percentiles(this.#latencies.subarray(0, this.#good)),
      requests: this.#good + this.#errors,
      errors: this.#errors,
      bytes: this.#bytes,
      complaints: Object.fromEntries(this.#complaints),
    }
  }

  #complain(reason: string): this {
    this.#errors++
    if (this.#complaints.has(reason) || this.#complaints.size < COMPLAINTS_MAX)
      this.#complaints.set(reason, (this.#complaints.get(reason) ?? 0) + 1)
    return this
  }
}
