import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isUuid, newId } from './uuid.ts'

describe('a new id', () => {
  test('is a UUID of version 7 and of the usual variant', () => {
    for (let n = 0; n < 2_000; n++)
      assert.match(newId(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('never comes twice', () => {
    assert.equal(new Set(Array.from({ length: 20_000 }, () => newId())).size, 20_000)
  })

  test('sorts after those made in an earlier millisecond', () => {
    assert.ok(newId(1_700_000_000_000) < newId(1_700_000_000_001))
  })

  test('sorts after those made before it in the same millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => newId(1_700_000_000_002))
    assert.deepEqual(ids.toSorted(), ids)
  })
})

describe('what is a UUID', () => {
  for (const [text, expected] of [
    ['2f50b291-90b8-4f76-9df8-daa69c9d6c55', true],
    ['2F50B291-90B8-4F76-9DF8-DAA69C9D6C55', false],
    ['00000000-0000-0000-0000-000000000000', true],
    ['{2f50b291-90b8-4f76-9df8-daa69c9d6c55}', false],
    ['2f50b29190b84f769df8daa69c9d6c55', false],
    ['2f50b291-90b8-4f76-9df8-daa69c9d6c5g', false],
    ['', false],
  ] as const) {
    test(`'${text}': ${expected}`, () => assert.equal(isUuid(text), expected))
  }
})
