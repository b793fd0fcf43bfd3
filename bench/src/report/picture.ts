import type { Figure } from '../cases/case.ts'
import { CEILING_TITLES } from '../ceilings/ceiling.ts'
import { CONNECTIONS, type MeasuredCase } from '../measure-case.ts'
import type { Report } from '../run.ts'
import { sheet, text } from './drawing.ts'
import { percent, readable } from './numbers.ts'

const WIDTH = 960
const MARGIN = 24
const LABEL_WIDTH = 250
const BAR_LEFT = MARGIN + LABEL_WIDTH
const BAR_WIDTH = 320
const ROW_HEIGHT = 30
const BAR_HEIGHT = 16
const TEXT_LEFT = BAR_LEFT + BAR_WIDTH + 16
const TOP = 92

type Measured = MeasuredCase & { ceiling: NonNullable<MeasuredCase['ceiling']> }

const isShown = (result: Report['cases'][number]): result is Measured =>
  !('skipped' in result) && result.ceiling !== undefined && result.connections === CONNECTIONS

/** The results as a picture for people: each case as a share of its ceiling. */
export const picture = (report: Report): string => {
  const cases = report.cases.filter(isShown)
  const scaleMax = Math.max(1, ...cases.map(({ ceiling }) => ceiling.share))
  const figuresTop = TOP + cases.length * ROW_HEIGHT + 44
  const height = figuresTop + report.figures.length * 20 + MARGIN
  const content = [
    text({ x: MARGIN, y: 36, kind: 'title' }, `Requests per second, ${CONNECTIONS} connections`),
    text({ x: MARGIN, y: 56, kind: 'quiet' }, `${report.machine}; load, server and PostgreSQL together`),
    text(
      { x: MARGIN, y: 74, kind: 'quiet' },
      'The pale bar is the least that a server could do for such a request: its ceiling, measured in the same run.',
    ),
    ...cases.map((result, index) => row(result, TOP + index * ROW_HEIGHT, scaleMax)),
    axis(TOP + cases.length * ROW_HEIGHT, scaleMax),
    ...report.figures.map((figure, index) => text({ x: MARGIN, y: figuresTop + index * 20 }, figureText(figure))),
  ]
  return sheet({ title: 'Holdfast: requests per second', width: WIDTH, height }, content.join('\n'))
}

const row = ({ title, outcome, ceiling }: Measured, top: number, scaleMax: number): string => {
  const middle = top + ROW_HEIGHT / 2
  const bar = (kind: string, share: number) =>
    `<rect class="${kind}" x="${BAR_LEFT}" y="${middle - BAR_HEIGHT / 2}" width="${((share / scaleMax) * BAR_WIDTH).toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`
  const rate = `${readable(outcome.perSecond)} /s, p99 ${readable(outcome.milliseconds.p99)} ms`
  return [
    text({ x: MARGIN, y: middle + 4 }, title),
    bar('ceiling', 1),
    bar('bar', ceiling.share),
    text({ x: TEXT_LEFT, y: middle + 4 }, rate),
    text({ x: WIDTH - MARGIN, y: middle + 4, kind: 'quiet', anchor: 'end' }, CEILING_TITLES[ceiling.name]),
  ].join('\n')
}

const axis = (bottom: number, scaleMax: number): string =>
  [0, 0.5, 1]
    .map((share) => {
      const x = (BAR_LEFT + (share / scaleMax) * BAR_WIDTH).toFixed(1)
      const label = text({ x: Number(x), y: bottom + 16, kind: 'quiet', anchor: 'middle' }, percent(share))
      return `<line class="line" x1="${x}" y1="${TOP}" x2="${x}" y2="${bottom}"/>\n${label}`
    })
    .join('\n')

const figureText = ({ title, value, unit }: Figure): string => `${title}: ${readable(value)} ${unit}`
