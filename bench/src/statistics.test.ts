import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { median, middleBy, percentile, percentiles } from './statistics.ts'

describe('percentiles', () => {
  test('are values that occurred, by nearest rank', () => {
    const hundred = Float64Array.from({ length: 100 }, (_, index) => 100 - index)
    assert.deepEqual(percentiles(hundred), { p50: 50, p90: 90, p99: 99 })
  })

  test('of one value are that value', () => {
    assert.deepEqual(percentiles(Float64Array.of(7)), { p50: 7, p90: 7, p99: 7 })
  })

  test('do not reorder what they are taken of', () => {
    const values = Float64Array.of(3, 1, 2)
    percentiles(values)
    assert.deepEqual([...values], [3, 1, 2])
  })

  test('of nothing are no number', () => {
    assert.ok(Number.isNaN(percentile([], 0.5)))
  })
})

describe('the median', () => {
  for (const [values, expected] of [
    [[5], 5],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
  ] as const) {
    test(`of ${values.join(', ')} is ${expected}`, () => assert.equal(median(values), expected))
  }

  test('of nothing is no number', () => assert.ok(Number.isNaN(median([]))))
})

describe('the element in the middle', () => {
  test('is one of the elements, whole', () => {
    type Run = { rate: number; name: string }
    const slow = { rate: 10, name: 'slow' }
    const usual = { rate: 20, name: 'usual' }
    const runs: [Run, ...Run[]] = [{ rate: 30, name: 'fast' }, slow, usual]
    assert.equal(
      middleBy(runs, ({ rate }) => rate),
      usual,
    )
  })

  test('of an even number is the lower one', () => {
    assert.equal(
      middleBy([4, 1, 3, 2], (value) => value),
      2,
    )
  })
})
