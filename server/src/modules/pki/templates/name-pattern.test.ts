import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matchesNamePattern, requireNamePattern } from './name-pattern.ts'

describe('the pattern of a name', () => {
  for (const [pattern, name, isMatch] of [
    ['.*', 'anything', true],
    ['.*\\.example\\.com', 'api.example.com', true],
    ['.*\\.example\\.com', 'api.example.org', false],
    ['^api\\.example\\.com$', 'api.example.com', true],
    ['^api\\.example\\.com$', 'evil-api.example.com', false],
    ['^(api|web)-[0-9]+$', 'web-12', true],
    ['example', 'example', true],
    ['example', 'an example inside a name', false],
    ['api|web', 'web-of-evil', false],
  ] as const) {
    test(`${pattern} ${isMatch ? 'matches' : 'does not match'} ${name}`, () => {
      requireNamePattern(pattern)
      assert.equal(matchesNamePattern(pattern, name), isMatch)
    })
  }

  test('is refused when it is none, or could take for ever', () => {
    for (const pattern of ['(', '(a+)+$', '(.)\\1']) assert.throws(() => requireNamePattern(pattern), /is not taken/)
  })
})
