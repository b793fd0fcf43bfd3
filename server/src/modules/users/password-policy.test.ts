import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PASSWORD_POLICY, passwordFaults } from './password-policy.ts'

const GOOD = 'correct horse 9'

describe('a password is accepted when it', () => {
  for (const [name, password] of [
    ['has 14 characters, letters and a digit', 'abcdefghijklm1'],
    ['has a special character instead of a digit', 'abcdefghijklm-'],
    ['has 100 characters', `1${'abc'.repeat(33)}`],
    ['is written in another script', 'пароль-достаточно-длинный'],
    ['has three equal characters in a row', `aaa${GOOD}`],
    ['has three spaces in a row', `a   ${GOOD}`],
  ] as const) {
    test(name, () => assert.deepEqual(passwordFaults(password), []))
  }
})

describe('a password is refused when it', () => {
  for (const [name, password, pattern] of [
    ['has 13 characters', 'abcdefghijkl1', /at least 14 characters/],
    ['has 101 characters', `12${'abc'.repeat(33)}`, /at most 100 characters/],
    ['has no letter', '12345678901234', /at least 1 letter/],
    ['has letters only', 'abcdefghijklmn', /at least 1 digit or special/],
    ['has four equal characters in a row', `aaaa${GOOD}`, /more than 3 equal/],
    ['has four characters of whitespace in a row', `a \u00a0 \u00a0${GOOD}`, /more than 3 equal/],
    ['has a line break', `${GOOD}\nx`, /line break/],
    ['has a tab', `${GOOD}\tx`, /line break/],
    ['has a backslash', `${GOOD}\\x`, /backslash/],
  ] as const) {
    test(name, () => {
      const faults = passwordFaults(password)
      assert.equal(faults.length, 1, faults.join())
      assert.match(faults[0] ?? '', pattern)
    })
  }

  test('breaks several rules, each of which is told', () => {
    assert.equal(passwordFaults('aaaa').length, 3)
  })

  test('is far too long, without a look at the rest of it', () => {
    assert.deepEqual(passwordFaults('a'.repeat(1_000_000)), ['The password must have at most 100 characters'])
  })
})

test('whoever follows the published list comes to the same verdict', () => {
  for (const password of [GOOD, 'short', 'aaaa', 'x'.repeat(150), 'abcdefghijklm1', `${GOOD}\n`]) {
    const broken = PASSWORD_POLICY.requirements.filter(
      ({ patterns, flags, shouldMatch }) =>
        patterns.some((one) => new RegExp(one, flags).test(password)) !== shouldMatch,
    )
    assert.deepEqual(
      broken.map(({ validationMessage }) => validationMessage),
      passwordFaults(password),
    )
  }
})
