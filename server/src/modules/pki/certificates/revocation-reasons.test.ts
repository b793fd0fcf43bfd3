import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRaisedBy, numberOf, REVOCATION_REASONS } from './revocation-reasons.ts'

test('the reasons have the numbers of RFC 5280', () => {
  assert.deepEqual(REVOCATION_REASONS.map(numberOf), [0, 1, 2, 3, 4, 5, 6, 9, 10])
})

test('only a lost key weighs more than a reason that is final', () => {
  for (const present of REVOCATION_REASONS) {
    for (const next of REVOCATION_REASONS) {
      const isExpected =
        (present === 'CERTIFICATE_HOLD' && next !== present && next !== 'UNSPECIFIED') ||
        (next === 'KEY_COMPROMISE' && present !== 'KEY_COMPROMISE')
      assert.equal(isRaisedBy(numberOf(present), numberOf(next)), isExpected, `${present} then ${next}`)
    }
  }
})
