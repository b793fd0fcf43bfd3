import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FailureRecords } from './failure-records.ts'

/** How many of so many failures are recorded. */
const recorded = (records: FailureRecords, target: string | undefined, { failures = 1_000, at = 0 } = {}) =>
  Array.from({ length: failures }, () => records.mayRecord(target, at)).filter(Boolean).length

describe('of failed logins', () => {
  test('each identity has records of its own, however many fail elsewhere', () => {
    const records = new FailureRecords()
    assert.equal(recorded(records, undefined), 100)
    assert.equal(recorded(records, 'noise'), 10)
    assert.equal(recorded(records, 'victim'), 10)
  })

  test('a new period begins anew', () => {
    const records = new FailureRecords()
    recorded(records, 'victim')
    assert.equal(recorded(records, 'victim', { at: 9_999 }), 0)
    assert.equal(recorded(records, 'victim', { at: 10_000 }), 10)
  })

  test('all of them together are bounded', () => {
    const records = new FailureRecords()
    const targets = Array.from({ length: 5_000 }, (_, index) => String(index))
    const all = targets.map((target) => recorded(records, target, { failures: 20 }))
    assert.equal(
      all.reduce((sum, count) => sum + count),
      1_000 * 10 + 100,
    )
  })
})
