import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { licenseFromNow } from '../../../test/test-licenses.ts'
import { EVENT_SUBSCRIPTIONS } from './license.ts'
import { rightTo, stateOf, warningOf } from './validity.ts'

const DAY = 86_400_000
const lasting = (startsAt: number, endsAt: number, features = [EVENT_SUBSCRIPTIONS]) => ({
  ...licenseFromNow(),
  ...{ startsAt, endsAt, features },
})
const endOf = (now: number, ...licenses: ReturnType<typeof lasting>[]) =>
  rightTo(EVENT_SUBSCRIPTIONS, licenses, now)?.endsAt

describe('the right that licences give', () => {
  for (const [name, end, actual] of [
    ['there is none without one', undefined, endOf(5)],
    ['begins with the first moment', 10, endOf(5, lasting(5, 10))],
    ['has not begun before it', undefined, endOf(4, lasting(5, 10))],
    ['is over at the end', undefined, endOf(10, lasting(5, 10))],
    ['lasts as long as the longest', 20, endOf(6, lasting(5, 10), lasting(1, 20), lasting(2, 7))],
    ['goes on with one that takes over at once', 20, endOf(6, lasting(10, 20), lasting(5, 10))],
    ['goes on through several', 40, endOf(6, lasting(18, 40), lasting(9, 20), lasting(5, 10))],
    ['ends where there is a gap', 10, endOf(6, lasting(11, 20), lasting(5, 10))],
    ['is not that to another feature', undefined, endOf(6, lasting(5, 10, ['another']))],
  ] as const) {
    test(name, () => assert.equal(actual, end))
  }

  test('has a state at every moment', () => {
    const license = lasting(5, 10)
    assert.deepEqual(
      [4, 5, 9, 10].map((now) => stateOf(license, now)),
      ['upcoming', 'active', 'active', 'expired'],
    )
  })
})

describe('the warning', () => {
  const end = Date.UTC(2030, 0, 31, 12)
  const license = lasting(0, end)
  for (const [name, now, pattern] of [
    ['is not given eleven days before', end - 11 * DAY, undefined],
    ['is given ten days before', end - 10 * DAY, /ends on 2030-01-31, in 10 days$/],
    ['is given on the last day', end - DAY / 2, /within a day$/],
    ['says that it is over', end, /ended on 2030-01-31$/],
    ['stops ten days after', end + 11 * DAY, undefined],
  ] as const) {
    test(name, () => {
      const warning = warningOf([license], now)
      if (pattern) assert.match(warning ?? '', pattern)
      else assert.equal(warning, undefined)
    })
  }

  test('is not given when the next licence has been installed', () => {
    assert.equal(warningOf([license, lasting(end, end + 99 * DAY)], end - DAY), undefined)
  })
})
