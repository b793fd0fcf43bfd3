import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CaseResult } from '../measure-case.ts'
import type { Report } from '../run.ts'
import { picture } from './picture.ts'

const measured = (title: string, share: number): CaseResult => ({
  ...{ name: 'case', title, connections: 16, goal: { share: 0.5 }, cpuShare: 0.9, memoryMb: 120 },
  runsPerSecond: [share * 1_000],
  outcome: {
    ...{ perSecond: share * 1_000, requests: 1_000, errors: 0, bytes: 100, complaints: {} },
    milliseconds: { p50: 1, p90: 2, p99: 3 },
  },
  ceiling: { name: 'bare', bytes: 128, perSecond: 1_000, share },
})

const report = (...cases: CaseResult[]): Report => ({
  ...{ takenAt: '2026-01-01T00:00:00Z', machine: '2 × "A & B" <cpu>', secondsPerRun: 1, cases, ceilings: [] },
  figures: [{ title: 'memory', value: 99, unit: 'MB' }],
})

/** Opens and closes every element in order, quotes every attribute, and leaves no bare `<` or `&`. */
const assertWellFormed = (xml: string) => {
  const open: string[] = []
  const tag = /<(?<closing>\/?)(?<name>[a-z]+)(?: [\w:-]+="[^"<]*")*(?<empty>\/?)>/g
  for (const { groups } of xml.matchAll(tag)) {
    if (groups?.['closing']) assert.equal(open.pop(), groups['name'])
    else if (!groups?.['empty']) open.push(groups?.['name'] ?? '')
  }
  assert.deepEqual(open, [])
  assert.doesNotMatch(xml.replace(tag, ''), /<|&(?!(amp|lt|gt|quot);)/)
}

describe('the picture', () => {
  test('is well-formed, whatever the names hold', () => {
    assertWellFormed(picture(report(measured('a < b & "c"', 0.6), measured('plain', 0.2))))
  })

  test('has a bar for each case that was measured, and none for others', () => {
    const svg = picture(
      report(measured('one', 0.5), { name: 'other', title: 'other', skipped: 'not built', isFailure: false }),
    )
    assert.equal(svg.match(/class="bar"/g)?.length, 1)
    assert.doesNotMatch(svg, /not built/)
  })

  test('draws no bar beyond its field when a case is faster than its ceiling', () => {
    const svg = picture(report(measured('fast', 2)))
    const widths = Array.from(svg.matchAll(/class="(?:bar|ceiling)"[^>]* width="([\d.]+)"/g), ([, width]) =>
      Number(width),
    )
    assert.deepEqual(widths, [160, 320])
  })

  test('of nothing is still a picture', () => {
    assertWellFormed(picture(report()))
  })
})
