import type { Figure } from '../cases/case.ts'
import { CEILING_TITLES } from '../ceilings/ceiling.ts'
import { type CaseResult, CONNECTIONS, type MeasuredCase } from '../measure-case.ts'
import { percent, readable } from './numbers.ts'

export type Print = (line: string) => void

type Column = { title: string; width: number }

const TITLE_WIDTH = 36
const COLUMNS = {
  connections: { title: 'conn', width: 5 },
  perSecond: { title: 'per s', width: 9 },
  p50: { title: 'p50 ms', width: 8 },
  p90: { title: 'p90 ms', width: 8 },
  p99: { title: 'p99 ms', width: 8 },
  errors: { title: 'errors', width: 7 },
  cpu: { title: 'cpu', width: 6 },
  memory: { title: 'MB', width: 5 },
  share: { title: 'share', width: 7 },
} satisfies Record<string, Column>

type Cells = Record<keyof typeof COLUMNS, string>

const tableLine = (title: string, cells: Cells, rest: string): string => {
  const columns = Object.entries(COLUMNS) as [keyof Cells, Column][]
  const line = columns.map(([name, { width }]) => cells[name].padStart(width)).join('')
  return `${title.padEnd(TITLE_WIDTH)}${line}  ${rest}`.trimEnd()
}

export const resultHead = (): string => {
  const titles = Object.fromEntries(Object.entries(COLUMNS).map(([name, { title }]) => [name, title])) as Cells
  return `\n${tableLine('', titles, 'of, and the goal')}`
}

export const resultLine = (result: CaseResult): string =>
  'skipped' in result ? `${result.title.padEnd(TITLE_WIDTH)}  ${result.skipped}` : measuredLine(result)

const measuredLine = (result: MeasuredCase): string => {
  const { title, connections, outcome, cpuShare, memoryMb, ceiling } = result
  const { p50, p90, p99 } = outcome.milliseconds
  const cells = {
    connections: String(connections),
    perSecond: readable(outcome.perSecond),
    p50: readable(p50),
    p90: readable(p90),
    p99: readable(p99),
    errors: String(outcome.errors),
    cpu: cpuShare === undefined ? '–' : percent(cpuShare),
    memory: memoryMb === undefined ? '–' : memoryMb.toFixed(0),
    share: ceiling ? percent(ceiling.share) : '–',
  }
  const against = ceiling && `${CEILING_TITLES[ceiling.name]} ${readable(ceiling.perSecond)} /s`
  const complaints = Object.entries(outcome.complaints).map(([reason, count]) => `${count} × ${reason}`)
  return tableLine(title, cells, [against, goalText(result), ...complaints].filter(Boolean).join('; '))
}

const mark = (isReached: boolean): string => (isReached ? '✓' : '✗')

/** Goals are for one number of connections. */
const goalText = ({ connections, goal, outcome, ceiling }: MeasuredCase): string => {
  if (connections !== CONNECTIONS) return ''
  const share = ceiling && `${percent(goal.share)} ${mark(ceiling.share >= goal.share)}`
  const rate = goal.perSecond && `${readable(goal.perSecond)} /s ${mark(outcome.perSecond >= goal.perSecond)}`
  return [share, rate].filter(Boolean).join(', ')
}

export const figureLine = ({ title, value, unit, goalMax }: Figure): string => {
  const goal = goalMax === undefined ? '' : `  goal ${goalMax} ${unit} ${mark(value <= goalMax)}`
  return `${title}: ${readable(value)} ${unit}${goal}`
}
