import { setTimeout as sleep } from 'node:timers/promises'

type Run = { beganAt: number; current: Promise<void>; next?: Promise<void> }

const PAUSE_MS_MAX = 250

/**
 * Work for a key, one run at a time: those who ask while it runs share the next one. After a run it rests as long as
 * the run took, up to a limit, so that a large one which is always wanted leaves room for others.
 */
export class CoalescedRuns {
  readonly #work: (key: string) => Promise<void>
  readonly #runs = new Map<string, Run>()
  #isClosed = false

  /** `work` must not reject. */
  constructor(work: (key: string) => Promise<void>) {
    this.#work = work
  }

  /** Resolves when a run that began after this call has ended. */
  request(key: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const run = this.#runs.get(key)
    if (!run) return this.#begin(key)
    run.next ??= run.current
      .then(() => sleep(Math.min(performance.now() - run.beganAt, PAUSE_MS_MAX)))
      .then(() => this.#begin(key))
    return run.next
  }

  /** What was last asked for, if it has not ended. */
  latest(key: string): Promise<void> | undefined {
    const run = this.#runs.get(key)
    return run?.next ?? run?.current
  }

  /** Resolves when all that was asked for has ended; nothing more is begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#runs.size > 0) {
      await Promise.all([...this.#runs.values()].map(({ current, next }) => next ?? current))
    }
  }

  #begin(key: string): Promise<void> {
    const run: Run = { beganAt: performance.now(), current: Promise.resolve() }
    this.#runs.set(key, run)
    run.current = this.#work(key).finally(() => {
      if (!run.next) this.#runs.delete(key)
    })
    return run.current
  }
}
