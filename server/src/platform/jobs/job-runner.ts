import type pg from 'pg'
import type { Logger } from 'pino'

export type Job = {
  name: string
  everyMs: number
  /** Must do no harm when two processes run it at once: a leader may lose its lock in the middle. */
  run: () => Promise<void>
}

type Options = {
  /** A connection of one's own, around any pooler: the lock lives in its session. */
  connect: () => Promise<pg.Client>
  jobs: Job[]
  log: Logger
  onFailure?: (job: string) => void
}

const ADVISORY_LOCK = 7_166_423
const TICK_MS = 200
const RETRY_LEADERSHIP_MS = 2_000

/** Runs the jobs of the whole cluster in one process: whoever holds the lock. Another takes over when it goes. */
export class JobRunner {
  readonly #options: Options
  readonly #dueAt = new Map<string, number>()
  #stopped = false
  #wake: () => void = () => undefined
  #loop: Promise<void> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    this.#loop = this.#runUntilStopped()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    await this.#loop
  }

  async #runUntilStopped(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#leadWhilePossible()
      } catch (error) {
        this.#options.log.debug({ err: error }, 'no connection for jobs')
      }
      await this.#sleep(RETRY_LEADERSHIP_MS)
    }
  }

  async #leadWhilePossible(): Promise<void> {
    const client = await this.#options.connect()
    try {
      while (!this.#stopped && (await holdsLock(client))) {
        for (const job of this.#options.jobs) await this.#runIfDue(job)
        await this.#sleep(TICK_MS)
      }
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async #runIfDue({ name, everyMs, run }: Job): Promise<void> {
    if (this.#stopped || performance.now() < (this.#dueAt.get(name) ?? 0)) return
    this.#dueAt.set(name, performance.now() + everyMs)
    try {
      await run()
    } catch (error) {
      this.#options.log.error({ err: error, job: name }, 'a job failed and will be tried again')
      this.#options.onFailure?.(name)
    }
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Takes the lock if it is free; asks for it once only, since a session may hold it several times over. */
const holdsLock = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query<{ held: boolean }>(
    `select exists (select from pg_locks where locktype = 'advisory' and objid = $1::bigint::oid and pid = pg_backend_pid() and granted)
       or pg_try_advisory_lock($1::bigint) as held`,
    [ADVISORY_LOCK],
  )
  return rows[0]?.held ?? false
}
