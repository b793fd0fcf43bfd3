import type { Ceilings } from './ceilings/ceilings.ts'
import type { Goal, RequestCase } from './cases/case.ts'
import type { CeilingName } from './ceilings/ceiling.ts'
import type { Measurement, Meter } from './meter.ts'
import { numbered, type Request } from './load/request.ts'
import { Skipped } from './skipped.ts'
import type { Target } from './target.ts'

export type MeasuredCase = Measurement & {
  name: string
  title: string
  connections: number
  goal: Goal
  ceiling: { name: CeilingName; bytes: number; perSecond: number; share: number } | undefined
}
export type SkippedCase = { name: string; title: string; skipped: string; isFailure: boolean }
export type CaseResult = MeasuredCase | SkippedCase

export type Bench = { target: Target; meter: Meter; ceilings: Ceilings | undefined; signal: AbortSignal }

export const CONNECTIONS = 16

/** One result for each number of connections, as they come. */
export const measureCase = async function* (
  bench: Bench,
  measured: RequestCase,
  connections: readonly number[] = measured.connections ?? [CONNECTIONS],
): AsyncGenerator<CaseResult> {
  const { name, title } = measured
  try {
    const { request, bytes } = await prepare(bench, measured)
    for (const number of connections) yield await measureAt(bench, measured, { request, bytes, connections: number })
  } catch (error) {
    bench.signal.throwIfAborted()
    // One case that fails says so, and leaves the others their turn.
    const isFailure = !(error instanceof Skipped)
    const reason = error instanceof Error ? error.message : String(error)
    yield { name, title, isFailure, skipped: isFailure ? `failed: ${reason}` : reason }
  }
}

/** Sends the request once, so that a load of refusals is never taken for a load. */
const prepare = async ({ target }: Bench, measured: RequestCase) => {
  const request = await measured.prepare(target.tenant, target.own?.databaseUrl)
  const answer = await target.tenant.api.send(numbered(request))
  return { request, bytes: Buffer.byteLength(answer) }
}

const measureAt = async (
  { target, meter, ceilings }: Bench,
  { name, title, goal, ceiling: ceilingName }: RequestCase,
  { request, bytes, connections }: { request: Request; bytes: number; connections: number },
): Promise<MeasuredCase> => {
  const ceiling = await ceilings?.of(ceilingName, { request, bytes, connections })
  const load = { url: target.tenant.api.url, request, connections }
  const measurement = await meter.measure(load, target.own?.pid)
  const { perSecond } = measurement.outcome
  return {
    ...{ name, title, connections, goal, ...measurement },
    ceiling: ceiling && {
      name: ceiling.name,
      bytes: ceiling.bytes,
      perSecond: ceiling.perSecond,
      share: perSecond / ceiling.perSecond,
    },
  }
}
