import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LifetimeSettings, lifetimeSeconds, renewedLifetimeSeconds, statedLifetime } from './lifetime.ts'

const CEILING = 7_776_000
const settings = (ttl: number, maxTtl: number, period = 0): LifetimeSettings => ({
  tokenTtlSeconds: ttl,
  tokenMaxTtlSeconds: maxTtl,
  tokenPeriodSeconds: period,
})

describe('a new token lives', () => {
  const cases: [name: string, given: LifetimeSettings, expected: number][] = [
    ['its TTL', settings(3_600, 86_400), 3_600],
    ['no longer than the maximum', settings(0, 86_400), 86_400],
    ['to the ceiling without any limit', settings(0, 0), CEILING],
    ['no longer than the ceiling', settings(315_360_000, 315_360_000), CEILING],
    ['its period when it has one', settings(3_600, 7_200, 600), 600],
    ['no longer than the ceiling with a long period', settings(1, 1, 315_360_000), CEILING],
  ]
  for (const [name, given, expected] of cases) {
    test(name, () => assert.equal(lifetimeSeconds(given, CEILING), expected))
  }
})

describe('a renewed token lives', () => {
  const cases: [name: string, given: LifetimeSettings, ageSeconds: number, expected: number][] = [
    ['its TTL again', settings(60, 300), 100, 60],
    ['what is left to the maximum', settings(60, 300), 270, 30],
    ['not at all once the maximum is reached', settings(60, 300), 300, 0],
    ['less than not at all when the maximum was lowered', settings(60, 100), 300, -200],
    ['its TTL for ever without a maximum', settings(60, 0), 1_000_000_000, 60],
    ['its period for ever', settings(60, 300, 120), 1_000_000_000, 120],
    ['no longer than the ceiling', settings(0, 0), 0, CEILING],
  ]
  for (const [name, given, ageSeconds, expected] of cases) {
    test(name, () => {
      const renewal = { createdAtSeconds: 1_700_000_000, nowSeconds: 1_700_000_000 + ageSeconds }
      assert.equal(renewedLifetimeSeconds(given, CEILING, renewal), expected)
    })
  }
})

test('a periodic token states its period and no maximum', () => {
  assert.deepEqual(statedLifetime(settings(60, 300, 120)), { ttlSeconds: 120, maxTtlSeconds: 0, periodSeconds: 120 })
  assert.deepEqual(statedLifetime(settings(60, 300)), { ttlSeconds: 60, maxTtlSeconds: 300, periodSeconds: 0 })
})
