import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { periodOf } from './audit-period.ts'

const NOW = Date.parse('2026-05-10T14:30:00.000Z')
const at = (text: string | undefined) => (text === undefined ? undefined : new Date(text))

describe('the period that is searched', () => {
  for (const [start, end, from, to] of [
    [undefined, undefined, '2026-05-10T00:00:00.000Z', '2026-05-10T14:30:00.000Z'],
    ['2026-04-01T10:00:00Z', undefined, '2026-04-01T10:00:00.000Z', '2026-05-10T14:30:00.000Z'],
    [undefined, '2026-03-03T03:00:00Z', '2026-03-03T00:00:00.000Z', '2026-03-03T03:00:00.000Z'],
    ['2026-01-31T00:00:00Z', '2026-05-01T00:00:00Z', '2026-01-31T00:00:00.000Z', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-05-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'],
  ] as const) {
    test(`is ${from} to ${to} for ${start ?? 'no start'} and ${end ?? 'no end'}`, () => {
      const period = periodOf(at(start), at(end), NOW)
      assert.deepEqual([period.from.toISOString(), period.to.toISOString()], [from, to])
    })
  }

  for (const [start, end, reason] of [
    ['2026-05-01T00:00:00Z', '2026-04-30T23:59:59Z', 'it ends before it starts'],
    ['2026-05-11T00:00:00Z', undefined, 'it starts after now'],
    ['2026-01-01T00:00:00Z', '2026-04-01T00:00:01Z', 'it is longer than three months'],
    ['2026-02-10T14:29:59Z', undefined, 'it started more than three months ago and has no end'],
  ] as const) {
    test(`is refused when ${reason}`, () => {
      assert.throws(
        () => periodOf(at(start), at(end), NOW),
        (error) => error instanceof AppError && error.kind === 'invalid-input',
      )
    })
  }
})
