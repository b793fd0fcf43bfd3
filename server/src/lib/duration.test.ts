import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseDurationMs } from './duration.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('parseDurationMs', () => {
  for (const [text, expected] of [
    ['90', 90],
    ['1ms', 1],
    ['30s', 30_000],
    ['1m', 60_000],
    ['1M', 60_000],
    ['5 mins', 300_000],
    ['2h', 2 * HOUR],
    ['2HRS', 2 * HOUR],
    ['1.5h', 1.5 * HOUR],
    ['.5h', 0.5 * HOUR],
    ['7d', 7 * DAY],
    ['1   day', DAY],
    ['1w', 7 * DAY],
    ['1y', 365.25 * DAY],
    ['100 years', 36_525 * DAY],
    ['1.9', 1],
    ['007h', 7 * HOUR],
  ] as const) {
    test(`'${text}' is ${expected} ms`, () => assert.equal(parseDurationMs(text), expected))
  }

  for (const [text, reason] of [
    ['', 'is empty'],
    ['   ', 'is blank'],
    ['abc', 'is no number'],
    ['h', 'has no number'],
    ['0', 'is zero'],
    ['0h', 'is zero hours'],
    ['0.5', 'is less than a millisecond'],
    ['-1h', 'is negative'],
    ['+1h', 'has a sign'],
    ['1e3', 'has an exponent'],
    ['0x10', 'is hexadecimal'],
    ['1,5h', 'has a comma'],
    ['1.h', 'ends its number in a point'],
    ['1..5h', 'has two points'],
    ['1h30m', 'is compound'],
    ['1mo', 'names months'],
    ['1 month', 'spells months'],
    [' 1h', 'begins with a blank'],
    ['1h ', 'ends with a blank'],
    ['1\th', 'has a tab'],
    ['1h\n', 'ends with a newline'],
    ['１h', 'has a full-width digit'],
    ['1ｈ', 'has a full-width unit'],
    ['1ſ', 'has a long s'],
    ['NaN', 'is NaN'],
    ['Infinity', 'is infinite'],
    ['101y', 'is more than a hundred years'],
    ['99999999999999999999d', 'overflows a date'],
    [`${'9'.repeat(99)}y`, 'overflows more'],
    [`${'0'.repeat(100)}1h`, 'is longer than 100 characters'],
    ['1constructor', 'names a property of every object'],
  ] as const) {
    test(`'${text.slice(0, 24)}' is refused: it ${reason}`, () => assert.equal(parseDurationMs(text), undefined))
  }

  test('whatever it is given, it answers a whole number of milliseconds in bounds or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?\d{0,20}\.?\d{0,20} *[a-z]{0,6}$/)), (text) => {
        const duration = parseDurationMs(text)
        assert.ok(duration === undefined || (Number.isSafeInteger(duration) && duration >= 1))
      }),
    )
  })
})
