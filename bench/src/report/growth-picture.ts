import type { Point } from '../growth/series.ts'
import { sheet, text } from './drawing.ts'
import { readable } from './numbers.ts'

type Growth = { machine: string; connections: number; points: readonly Point[] }

const WIDTH = 960
const MARGIN = 24
const TOP = 76
const PANEL_HEIGHT = 220
const PLOT = { left: MARGIN + 60, width: 520, top: 34, height: 150 }
const COLOURS = ['#2f6f4f', '#b35900', '#5b5bd6', '#a02c5a', '#0b7a99']

/** A panel for each kind of thing: the time of a request against their number, both on scales of powers of ten. */
export const growthPicture = ({ machine, connections, points }: Growth): string => {
  const series = groupBy(points, ({ series: name }) => name)
  const panels = [...series].map(([title, own], index) => panel(title, own, TOP + index * PANEL_HEIGHT))
  const head = [
    text({ x: MARGIN, y: 36, kind: 'title' }, 'What a request costs as there is more and more beside it'),
    text(
      { x: MARGIN, y: 56, kind: 'quiet' },
      `${machine}; milliseconds of the server per request, ${connections} connections`,
    ),
  ]
  const size = { title: 'Holdfast: how cost grows', width: WIDTH, height: TOP + panels.length * PANEL_HEIGHT + MARGIN }
  return sheet(size, [...head, ...panels].join('\n'))
}

const panel = (title: string, points: readonly Point[], top: number): string => {
  const scale = scaleOf(points, top)
  const requests = [...groupBy(points, ({ request }) => request)]
  const sizes = [...new Set(points.map(({ size }) => size))]
  const bottom = top + PLOT.top + PLOT.height
  return [
    text({ x: MARGIN, y: top + 18 }, title),
    ...sizes.map((size) =>
      text({ x: scale.x(size), y: bottom + 18, kind: 'quiet', anchor: 'middle' }, size.toLocaleString('en-US')),
    ),
    ...scale.rules.map((cost) => rule(cost, scale.y(cost))),
    ...requests.map(([name, own], index) => curve({ name, points: own, index }, scale, top)),
  ].join('\n')
}

type Scale = { x: (size: number) => number; y: (cost: number) => number; rules: number[] }

const costOf = ({ perSecond }: Point): number => 1_000 / perSecond

const scaleOf = (points: readonly Point[], top: number): Scale => {
  const sizes = points.map(({ size }) => Math.log10(size))
  const costs = points.map((point) => Math.log10(costOf(point)))
  const [left, right] = [Math.min(...sizes), Math.max(...sizes)]
  const [low, high] = [Math.floor(Math.min(...costs)), Math.ceil(Math.max(...costs))]
  const share = (value: number, from: number, to: number) => (to > from ? (value - from) / (to - from) : 0.5)
  return {
    x: (size) => round(PLOT.left + share(Math.log10(size), left, right) * PLOT.width),
    y: (cost) => round(top + PLOT.top + (1 - share(Math.log10(cost), low, high)) * PLOT.height),
    rules: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  }
}

const rule = (cost: number, y: number): string =>
  [
    `<line class="line" x1="${PLOT.left}" y1="${y}" x2="${PLOT.left + PLOT.width}" y2="${y}"/>`,
    text({ x: PLOT.left - 8, y: y + 4, kind: 'quiet', anchor: 'end' }, `${cost >= 1 ? cost : readableCost(cost)} ms`),
  ].join('\n')

type Curve = { name: string; points: readonly Point[]; index: number }

const curve = ({ name, points, index }: Curve, { x, y }: Scale, top: number): string => {
  const colour = COLOURS[index % COLOURS.length] ?? ''
  const path = points.map((point) => `${x(point.size)},${y(costOf(point))}`).join(' ')
  const last = points.at(-1)
  const legendY = top + PLOT.top + 10 + index * 22
  const legendX = PLOT.left + PLOT.width + 28
  return [
    `<polyline class="curve" stroke="${colour}" points="${path}"/>`,
    `<rect x="${legendX}" y="${legendY - 9}" width="10" height="10" fill="${colour}"/>`,
    text({ x: legendX + 18, y: legendY }, `${name}${last ? `: ${readable(costOf(last))} ms at the end` : ''}`),
  ].join('\n')
}

const readableCost = (cost: number): string => cost.toFixed(Math.max(0, -Math.floor(Math.log10(cost))))

const round = (value: number): number => Math.round(value * 10) / 10

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
