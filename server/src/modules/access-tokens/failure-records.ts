/** Anyone can fail to log in any number of times. What is not recorded here is still counted with all refusals. */
const PERIOD_MS = 10_000
const PER_TARGET_MAX = 10
/** Identities that have a number of records of their own in one period; the others share one with what is unknown. */
const TARGETS_MAX = 1_000
const SHARED_MAX = 100

/** Decides which failed logins are recorded one by one, so that noise about some never hides what happens to another. */
export class FailureRecords {
  #endsAtMs = 0
  readonly #ofTargets = new Map<string, number>()
  #shared = 0

  /** The target is undefined where there is no such identity. */
  mayRecord(target: string | undefined, nowMs: number): boolean {
    if (nowMs >= this.#endsAtMs) this.#begin(nowMs + PERIOD_MS)
    if (target === undefined) return ++this.#shared <= SHARED_MAX
    const recorded = this.#ofTargets.get(target)
    if (recorded === undefined && this.#ofTargets.size >= TARGETS_MAX) return ++this.#shared <= SHARED_MAX
    this.#ofTargets.set(target, (recorded ?? 0) + 1)
    return (recorded ?? 0) < PER_TARGET_MAX
  }

  #begin(endsAtMs: number): void {
    this.#endsAtMs = endsAtMs
    this.#ofTargets.clear()
    this.#shared = 0
  }
}
