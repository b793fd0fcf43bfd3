import { Child } from './child.ts'
import type { Load, Outcome } from './load/load.ts'
import { type Usage, usageOf } from './process-usage.ts'
import { middleBy } from './statistics.ts'

export type Pace = { repeats: number; seconds: number; warmUpSeconds: number }

export type Measurement = {
  /** Of the run in the middle. */
  outcome: Outcome
  /** Of the server's process, in the same run; undefined where it cannot be seen. */
  cpuShare: number | undefined
  memoryMb: number | undefined
  runsPerSecond: number[]
}

type Run = { outcome: Outcome; cpuShare: number | undefined; memoryMb: number | undefined }

/** Runs loads, one at a time, in a process of its own. */
export class Meter {
  readonly #driver: Child
  readonly #pace: Pace

  constructor(pace: Pace, signal: AbortSignal) {
    this.#driver = new Child(new URL('./load/driver.js', import.meta.url), signal)
    this.#pace = pace
  }

  /** Warms up, runs the load several times and takes the run in the middle. */
  async measure(load: Omit<Load, 'seconds'>, pid?: number): Promise<Measurement> {
    const { repeats, seconds, warmUpSeconds } = this.#pace
    await this.#run({ ...load, seconds: warmUpSeconds })
    const runs: [Run, ...Run[]] = [await this.#observe({ ...load, seconds }, pid)]
    while (runs.length < repeats) runs.push(await this.#observe({ ...load, seconds }, pid))
    return {
      ...middleBy(runs, ({ outcome }) => outcome.perSecond),
      runsPerSecond: runs.map(({ outcome }) => outcome.perSecond),
    }
  }

  stop(): Promise<void> {
    return this.#driver.stop()
  }

  async #observe(load: Load, pid: number | undefined): Promise<Run> {
    const before = await usageOf(pid)
    const startedAt = performance.now()
    const outcome = await this.#run(load)
    const after = await usageOf(pid)
    return { outcome, memoryMb: after?.memoryMb, cpuShare: cpuShare(before, after, performance.now() - startedAt) }
  }

  async #run(load: Load): Promise<Outcome> {
    return (await this.#driver.ask<{ outcome: Outcome }>(load)).outcome
  }
}

/** 1 is a whole core. */
const cpuShare = (before: Usage | undefined, after: Usage | undefined, milliseconds: number): number | undefined =>
  before && after && ((after.cpuSeconds - before.cpuSeconds) * 1_000) / milliseconds
