import { FIGURE_CASES, REQUEST_CASES } from './cases/all-cases.ts'
import type { Figure } from './cases/case.ts'
import { Ceilings } from './ceilings/ceilings.ts'
import { measurePgbench } from './ceilings/pgbench.ts'
import { type Bench, type CaseResult, measureCase } from './measure-case.ts'
import { Meter } from './meter.ts'
import { isSelected, type Options } from './options.ts'
import { usageOf } from './process-usage.ts'
import { machine } from './report/machine.ts'
import { picture } from './report/picture.ts'
import { figureLine, type Print, resultHead, resultLine } from './report/lines.ts'
import { writeResult } from './report/results.ts'
import { openTarget } from './target.ts'

export type Report = {
  takenAt: string
  machine: string
  secondsPerRun: number
  cases: CaseResult[]
  ceilings: { name: string; bytes: number; connections: number; perSecond: number }[]
  figures: Figure[]
}

type Surroundings = { print: Print; signal: AbortSignal }

/** Measures every selected case, shows each when it is done, and keeps the results of a whole run. */
export const run = async (options: Options, { print, signal }: Surroundings): Promise<void> => {
  const report: Report = {
    takenAt: new Date().toISOString(),
    machine: machine(),
    secondsPerRun: options.pace.seconds,
    ...{ cases: [], ceilings: [], figures: [] },
  }
  print(`\n${report.machine}\n`)
  const showFigures = (figures: Figure[]) => {
    report.figures.push(...figures)
    for (const figure of figures) print(figureLine(figure))
  }
  if (options.url === undefined) {
    for (const measured of FIGURE_CASES)
      if (isSelected(options, measured)) showFigures(await measured.measure({ ...options.pace, signal }))
  }
  if (REQUEST_CASES.some((measured) => isSelected(options, measured)))
    await measureRequests(options, { print, signal, report, showFigures })
  if (options.cases.length === 0 && options.url === undefined) await keep(report, options, print)
}

type Running = Surroundings & { report: Report; showFigures: (figures: Figure[]) => void }

const measureRequests = async (options: Options, { print, signal, report, showFigures }: Running): Promise<void> => {
  const target = await openTarget(options, { signal })
  const meter = new Meter(options.pace, signal)
  let ceilings: Ceilings | undefined
  try {
    if (target.own) {
      ceilings = await Ceilings.start(target.own.databaseUrl, meter, signal)
      showFigures(await measurePgbench(target.own.databaseUrl, options.pace.seconds, signal))
    }
    print(resultHead())
    for await (const result of measureAll(options, { target, meter, ceilings, signal })) {
      report.cases.push(result)
      print(resultLine(result))
      if ('skipped' in result && result.isFailure) process.exitCode = 1
    }
    print('')
    const usage = await usageOf(target.own?.pid)
    if (usage) showFigures([{ title: 'memory after the load', value: usage.memoryMb, unit: 'MB', goalMax: 250 }])
    report.ceilings = (await ceilings?.list()) ?? []
  } finally {
    await ceilings?.stop()
    await meter.stop()
    await target.stop()
  }
}

const measureAll = async function* (options: Options, bench: Bench): AsyncGenerator<CaseResult> {
  for (const measured of REQUEST_CASES)
    if (isSelected(options, measured)) yield* measureCase(bench, measured, options.connections)
}

const keep = async (report: Report, { isQuick }: Options, print: Print): Promise<void> => {
  const name = isQuick ? 'quick' : 'latest'
  const files = [
    await writeResult(`${name}.json`, `${JSON.stringify(report, undefined, 2)}\n`),
    await writeResult(`${name}.svg`, picture(report)),
  ]
  print(`\nwritten: ${files.join(', ')}`)
}
