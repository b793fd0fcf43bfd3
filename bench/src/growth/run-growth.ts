import { CONNECTIONS } from '../measure-case.ts'
import { Meter } from '../meter.ts'
import type { Options } from '../options.ts'
import { growthPicture } from '../report/growth-picture.ts'
import type { Print } from '../report/lines.ts'
import { machine } from '../report/machine.ts'
import { readable } from '../report/numbers.ts'
import { writeResult } from '../report/results.ts'
import { Skipped } from '../skipped.ts'
import { openTarget, type Target } from '../target.ts'
import { members } from './members.ts'
import { organizations } from './organizations.ts'
import { privileges } from './privileges.ts'
import { revoked } from './revoked.ts'
import { secrets } from './secrets.ts'
import type { Point, Series } from './series.ts'
import { subscribers } from './subscribers.ts'

const SERIES: readonly Series[] = [secrets, privileges, organizations, members, subscribers, revoked]
/** More than a project may have by default. */
const STREAMS_MAX = '10000'

/** A line for each size: only the bytes of an answer may make it cost more. */
export const runGrowth = async (options: Options, print: Print, signal: AbortSignal): Promise<void> => {
  const points: Point[] = []
  const environment = { HOLDFAST_MAX_STREAMS_PER_PROJECT: STREAMS_MAX }
  const target = await openTarget(options, { signal, environment })
  const meter = new Meter(options.pace, signal)
  try {
    for (const series of SERIES) {
      print(`\n${series.title.padEnd(28)}${HEAD}`)
      try {
        for await (const point of measureSeries(series, target, meter)) {
          points.push(point)
          print(pointLine(point))
        }
      } catch (error) {
        if (!(error instanceof Skipped)) throw error
        print(`  ${error.message}`)
      }
    }
  } finally {
    await meter.stop()
    await target.stop()
  }
  if (options.url !== undefined || options.isQuick) return
  const growth = { takenAt: new Date().toISOString(), machine: machine(), connections: CONNECTIONS, points }
  const files = [
    await writeResult('growth.json', `${JSON.stringify(growth, undefined, 2)}\n`),
    await writeResult('growth.svg', growthPicture(growth)),
  ]
  print(`\nwritten: ${files.join(', ')}`)
}

const measureSeries = async function* (series: Series, { tenant, own }: Target, meter: Meter): AsyncGenerator<Point> {
  const growing = await series.prepare(tenant, own?.databaseUrl)
  try {
    for (const size of series.sizes) {
      await growing.growTo(size)
      for (const [name, request] of Object.entries(await growing.requests(size))) {
        await tenant.api.send(request)
        const { outcome } = await meter.measure({ url: tenant.api.url, request, connections: CONNECTIONS }, own?.pid)
        const { perSecond, bytes, errors, milliseconds } = outcome
        const { p50, p99 } = milliseconds
        yield { series: series.title, size, request: name, perSecond, p50, p99, bytes, errors }
      }
    }
  } finally {
    growing.close?.()
  }
}

const WIDTHS = [10, 9, 9, 10, 8]
const inColumns = (...cells: string[]): string => cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join('')
const HEAD = inColumns('per s', 'p50 ms', 'p99 ms', 'bytes', 'errors')

const pointLine = ({ size, request, perSecond, p50, p99, bytes, errors }: Point): string => {
  const label = `${size.toLocaleString('en-US').padStart(8)}  ${request}`.padEnd(28)
  return (
    label + inColumns(readable(perSecond), readable(p50), readable(p99), bytes.toLocaleString('en-US'), String(errors))
  )
}
