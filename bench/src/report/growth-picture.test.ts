import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Point } from '../growth/series.ts'
import { growthPicture } from './growth-picture.ts'

const point = (size: number, perSecond: number, request = 'get'): Point => ({
  ...{ series: 'things & others', size, request, perSecond, p50: 1, p99: 2, bytes: 10, errors: 0 },
})

const draw = (...points: Point[]): string => growthPicture({ machine: 'a machine', connections: 16, points })

describe('the picture of growth', () => {
  test('has a curve for each request, which rises where a request costs more', () => {
    const svg = draw(point(10, 1_000), point(100, 100), point(10, 500, 'list'), point(100, 500, 'list'))
    const curves = Array.from(svg.matchAll(/class="curve"[^>]* points="([^"]+)"/g), ([, path]) =>
      (path ?? '').split(' ').map((pair) => pair.split(',').map(Number)),
    )
    assert.equal(curves.length, 2)
    const [rising, level] = curves
    assert.ok((rising?.[1]?.[1] ?? 0) < (rising?.[0]?.[1] ?? 0))
    assert.equal(level?.[0]?.[1], level?.[1]?.[1])
  })

  test('stays inside its sheet and writes names as text', () => {
    const svg = draw(point(1, 0.5), point(100_000, 9_000))
    assert.match(svg, /things &amp; others/)
    assert.doesNotMatch(svg, /NaN|Infinity|="-/)
  })

  test('of one size is still a picture', () => {
    assert.doesNotMatch(draw(point(10, 1_000)), /NaN|Infinity/)
  })
})
