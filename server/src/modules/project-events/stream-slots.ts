import { newId } from '../../lib/uuid.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import * as store from './stream-slots.store.ts'

type Deps = { db: Database; streamsPerProjectMax: number }
type Waiting = { resolve: (isGranted: boolean) => void; reject: (error: unknown) => void }

/** What this process holds of one project, and what it has told the database: NaN when that is not known. */
type Holding = { streams: number; told: number; waiting: Waiting[]; isWriting: boolean }

const ALIVE_EVERY_MS = 2_000
const PURGE_EVERY_MS = 60_000

/**
 * How many streams a project has in all processes together. Each process writes down how many it holds, under a lock of
 * the project and always as a whole number, so that a write whose outcome is unknown is put right by the next one. What
 * comes while one write is under way goes together in the next: a thousand at once cost a few transactions.
 */
export class StreamSlots {
  readonly #db: Database
  readonly #perProjectMax: number
  readonly #processId = newId()
  readonly #holdings = new Map<string, Holding>()
  #heartbeat: NodeJS.Timeout | undefined
  #noted: Promise<unknown> | undefined
  #isClosed = false

  constructor({ db, streamsPerProjectMax }: Deps) {
    this.#db = db
    this.#perProjectMax = streamsPerProjectMax
  }

  get perProjectMax(): number {
    return this.#perProjectMax
  }

  /** False when the project has as many streams as it may have. */
  take(projectId: string): Promise<boolean> {
    const holding = this.#holdings.get(projectId) ?? { streams: 0, told: 0, waiting: [], isWriting: false }
    this.#holdings.set(projectId, holding)
    return new Promise((resolve, reject) => {
      holding.waiting.push({ resolve, reject })
      void this.#writeDown(projectId, holding)
    })
  }

  release(projectId: string): void {
    const holding = this.#holdings.get(projectId)
    if (!holding) return
    holding.streams -= 1
    void this.#writeDown(projectId, holding)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    if (this.#heartbeat) await store.deleteProcess(this.#db.pool, this.#processId).catch(() => undefined)
  }

  readonly purgeJob: Job = {
    name: 'purge dead holders of event streams',
    everyMs: PURGE_EVERY_MS,
    run: async () => {
      await store.deleteDead(this.#db.pool)
    },
  }

  /** One write at a time for a project, until there is nothing left to tell. */
  async #writeDown(projectId: string, holding: Holding): Promise<void> {
    if (holding.isWriting || this.#isClosed) return
    holding.isWriting = true
    // Let those who come in the same turn of the event loop go with it.
    await Promise.resolve()
    while (holding.waiting.length > 0 || holding.told !== holding.streams) {
      const waiting = holding.waiting.splice(0)
      try {
        await this.#settle(projectId, holding, waiting)
      } catch (error) {
        holding.told = NaN
        for (const { reject } of waiting) reject(error)
        // What is not told now is told with the next sign of life.
        if (holding.waiting.length === 0) break
      }
    }
    holding.isWriting = false
    if (holding.streams === 0 && holding.told === 0 && holding.waiting.length === 0) this.#holdings.delete(projectId)
  }

  async #settle(projectId: string, holding: Holding, waiting: Waiting[]): Promise<void> {
    const held = { projectId, processId: this.#processId }
    const { streams } = holding
    await this.#begin()
    const granted = await this.#db.transaction(async (tx) => {
      await store.lockProject(tx, projectId)
      const elsewhere = waiting.length > 0 ? await store.countElsewhere(tx, held) : 0
      const free = Math.max(0, this.#perProjectMax - elsewhere - streams)
      const count = Math.min(waiting.length, free)
      if (streams + count !== holding.told) await store.setCount(tx, held, streams + count)
      return count
    })
    holding.told = streams + granted
    holding.streams += granted
    for (const [index, { resolve }] of waiting.entries()) resolve(index < granted)
  }

  /** Before the first count, so that it has something to belong to. */
  #begin(): Promise<unknown> {
    this.#heartbeat ??= setInterval(() => void this.#sayAlive(), ALIVE_EVERY_MS).unref()
    this.#noted ??= store.noteAlive(this.#db.pool, this.#processId).catch((error: unknown) => {
      this.#noted = undefined
      throw error
    })
    return this.#noted
  }

  async #sayAlive(): Promise<void> {
    if (this.#isClosed) return
    try {
      const isForgotten = await store.noteAlive(this.#db.pool, this.#processId)
      if (isForgotten) for (const holding of this.#holdings.values()) holding.told = NaN
    } catch {
      // The next one comes soon; while the database is away nobody else can take what is held here.
      return
    }
    for (const [projectId, holding] of this.#holdings) void this.#writeDown(projectId, holding)
  }
}
