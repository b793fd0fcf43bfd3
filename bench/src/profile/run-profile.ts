import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { REQUEST_CASES } from '../cases/all-cases.ts'
import type { RequestCase } from '../cases/case.ts'
import { CONNECTIONS } from '../measure-case.ts'
import { Meter } from '../meter.ts'
import { isSelected, type Options, UsageError } from '../options.ts'
import type { Print } from '../report/lines.ts'
import { readable } from '../report/numbers.ts'
import { RESULTS } from '../report/results.ts'
import { openTarget } from '../target.ts'
import { type CpuProfile, selfTimes } from './cpu-profile.ts'

const SHOWN_MAX = 30

/** The clock of V8's profiles: system-wide and monotonic, in microseconds. */
const profileTime = (): number => Number(process.hrtime.bigint() / 1_000n)

/** Runs the server under Node's profiler for one case, and shows where its time went while the load lasted. */
export const runProfile = async (options: Options, print: Print, signal: AbortSignal): Promise<void> => {
  const profiled = REQUEST_CASES.find((measured) => isSelected(options, measured))
  if (!profiled) throw new UsageError('only requests can be profiled')
  if (options.url !== undefined) throw new UsageError('only a server of its own can be profiled')

  const file = path.join(RESULTS, `${profiled.name}.cpuprofile`)
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${RESULTS}`, `--cpu-prof-name=${profiled.name}.cpuprofile`]
  const window = await loadServer(profiled, options, { nodeOptions, print, signal })
  const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile
  for (const { name, place, milliseconds, share } of selfTimes(profile, window).slice(0, SHOWN_MAX))
    print(
      `${readable(milliseconds).padStart(9)} ms ${(share * 100).toFixed(1).padStart(5)} %  ${name.padEnd(32)}  ${place}`,
    )
  print(`\nwritten: ${path.relative(process.cwd(), file)} (open it in a browser's developer tools)`)
}

type Surroundings = { nodeOptions: readonly string[]; print: Print; signal: AbortSignal }

/** From when to when the load lasted. The profile is written when the server ends. */
const loadServer = async (
  { title, prepare }: RequestCase,
  options: Options,
  { nodeOptions, print, signal }: Surroundings,
): Promise<{ from: number; to: number }> => {
  const target = await openTarget(options, { signal, nodeOptions })
  const meter = new Meter(options.pace, signal)
  try {
    const request = await prepare(target.tenant)
    const from = profileTime()
    const { outcome } = await meter.measure({ url: target.tenant.api.url, request, connections: CONNECTIONS })
    print(`${title}: ${readable(outcome.perSecond)} /s under the profiler, ${outcome.errors} errors\n`)
    return { from, to: profileTime() }
  } finally {
    await meter.stop()
    await target.stop()
  }
}
