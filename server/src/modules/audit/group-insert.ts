import { setImmediate as endOfTurn } from 'node:timers/promises'
import { unavailable } from '../../lib/app-error.ts'
import { isConnectionFailure } from '../../platform/db/failures.ts'

type Waiting = { row: string; resolve: () => void; reject: (error: unknown) => void }

const WAITING_ROWS_MAX = 10_000
const WAITING_CHARACTERS_MAX = 64 * 1_024 * 1_024
const GROUP_ROWS_MAX = 1_000
const GROUP_CHARACTERS_MAX = 8 * 1_024 * 1_024
const RETRY_AFTER_SECONDS = 1

/**
 * Stores rows, one statement at a time: what arrives while one is under way goes together in the next. Whoever adds a
 * row waits for no more than two statements, and a thousand at once cost little more than one.
 */
export class GroupInsert {
  readonly #insert: (rows: string) => Promise<unknown>
  #waiting: Waiting[] = []
  #waitingCharacters = 0
  #draining: Promise<void> | undefined

  /** `insert` is given a JSON array. */
  constructor(insert: (rows: string) => Promise<unknown>) {
    this.#insert = insert
  }

  /** Resolves when the row is durable; rejects when that is not certain. */
  add(row: string): Promise<void> {
    if (this.#waiting.length >= WAITING_ROWS_MAX || this.#waitingCharacters >= WAITING_CHARACTERS_MAX) {
      return Promise.reject(
        unavailable('Too many requests are waiting to be recorded, please try again', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      )
    }
    this.#waitingCharacters += row.length
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when nothing is waiting any more. */
  async settled(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Those whose requests were read in this turn of the event loop go together: one statement costs more than a row.
      await endOfTurn()
      await this.#store(this.#takeGroup())
    }
    this.#draining = undefined
  }

  #takeGroup(): Waiting[] {
    let characters = 0
    let rows = 0
    for (const { row } of this.#waiting.slice(0, GROUP_ROWS_MAX)) {
      if (rows > 0 && characters + row.length > GROUP_CHARACTERS_MAX) break
      characters += row.length
      rows++
    }
    this.#waitingCharacters -= characters
    return this.#waiting.splice(0, rows)
  }

  async #store(group: Waiting[]): Promise<void> {
    try {
      await this.#insert(`[${group.map(({ row }) => row).join()}]`)
      for (const { resolve } of group) resolve()
    } catch (error) {
      if (group.length > 1 && !isConnectionFailure(error)) await this.#storeOneByOne(group)
      else for (const { reject } of group) reject(error)
    }
  }

  /** A row that PostgreSQL will not take must not take others down with it. */
  async #storeOneByOne(group: Waiting[]): Promise<void> {
    for (const waiting of group) await this.#store([waiting])
  }
}
