import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchesWildcard } from './wildcard.ts'

for (const [pattern, text, isMatch] of [
  ['api.example.com', 'API.Example.com', true],
  ['api.example.com', 'api.example.com.', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', '.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'a.example.com.evil.test', false],
  ['api-*-eu.*.com', 'api-1-eu.x.com', true],
  ['api-*-eu.*.com', 'api--eu.com', false],
  ['a*a', 'a', false],
  ['a**b', 'ab', true],
  ['a.c', 'abc', false],
  ['', '', true],
  ['', 'a', false],
] as const) {
  test(`'${pattern}' ${isMatch ? 'matches' : 'does not match'} '${text}'`, () => {
    assert.equal(matchesWildcard(pattern, text), isMatch)
  })
}

test('it agrees with a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 })
  fc.assert(
    fc.property(text, text, (pattern, value) => {
      const source = pattern.replace(/\./g, '\\.').replace(/\*+/g, '.*')
      assert.equal(matchesWildcard(pattern, value), new RegExp(`^${source}$`, 's').test(value))
    }),
    { numRuns: 2_000 },
  )
})
