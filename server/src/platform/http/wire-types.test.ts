import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import {
  emptyAsAbsent,
  Id,
  Instant,
  NullableTimestamp,
  optionalBody,
  QueryFlag,
  Timestamp,
  Uuid,
} from './wire-types.ts'

describe('Timestamp', () => {
  test('leaves as ISO 8601 in UTC with milliseconds', () => {
    const schema = z.object({ at: Timestamp, end: NullableTimestamp })
    const encoded = z.encode(schema, { at: new Date('2026-01-02T03:04:05+02:00'), end: null })
    assert.equal(JSON.stringify(encoded), '{"at":"2026-01-02T01:04:05.000Z","end":null}')
  })

  test('an invalid date does not leave', () => {
    assert.equal(z.safeEncode(Timestamp, new Date('x')).success, false)
  })
})

describe('Instant', () => {
  for (const [text, expected] of [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.5-23:59', '2026-01-03T03:03:05.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ] as const) {
    test(`takes ${text}`, () => assert.equal(Instant.parse(text).toISOString(), expected))
  }

  for (const text of [
    'tomorrow',
    '',
    '2026-01-02',
    '2026-01-02T03:04:05',
    '2026-02-30T00:00:00Z',
    '2026-01-02T25:00:00Z',
  ]) {
    test(`refuses '${text}'`, () => assert.equal(Instant.safeParse(text).success, false))
  }
})

test('QueryFlag is false for nothing, 0 and any false, and true for the rest', () => {
  assert.deepEqual(
    ['', '0', 'false', 'False', 'FALSE', 'true', 'True', '1', 'no', ' '].map((text) => QueryFlag.parse(text)),
    [false, false, false, false, false, true, true, true, true, true],
  )
  assert.equal(QueryFlag.safeParse(['true', 'false']).success, false)
})

test('emptyAsAbsent treats an empty parameter as one that was not sent', () => {
  const schema = z.object({ id: emptyAsAbsent(z.string().min(3)), limit: emptyAsAbsent(z.coerce.number().min(1)) })
  assert.deepEqual({ ...schema.parse({ id: '', limit: '' }) }.id, undefined)
  assert.equal(schema.parse({ limit: '' }).limit, undefined)
  assert.deepEqual(schema.parse({}), {})
  assert.equal(schema.parse({ id: 'abc', limit: '5' }).limit, 5)
  assert.equal(schema.safeParse({ id: 'ab' }).success, false)
})

test('optionalBody takes nothing for an empty object, and no other type', () => {
  const schema = optionalBody(z.object({ a: z.string().default('x') }))
  assert.deepEqual(
    [schema.parse(null), schema.parse({}), schema.parse({ a: 'y' })],
    [{ a: 'x' }, { a: 'x' }, { a: 'y' }],
  )
  assert.equal(schema.safeParse([]).success, false)
  assert.equal(schema.safeParse('').success, false)
})

test('ids have bounds, and UUIDs their form', () => {
  assert.equal(Id.parse(' a '), 'a')
  assert.equal(Id.safeParse(' ').success, false)
  assert.equal(Id.safeParse('x'.repeat(101)).success, false)
  assert.equal(Uuid.safeParse('00000000-0000-0000-0000-000000000000').success, true)
  assert.equal(Uuid.safeParse('{00000000-0000-0000-0000-000000000000}').success, false)
})
