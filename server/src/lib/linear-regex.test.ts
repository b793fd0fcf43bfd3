import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { matchesLinear, parseLinearRegex } from './linear-regex.ts'

describe('linear regex', () => {
  for (const source of [
    ...['x{0,2}', 'a{2}', '(ab)*', '(?:a?)*', '(?:a*)*', '(?:a|bc)+', '^*', '(?!a)?', '(?=a)*', '(?<=a)b', '(?<n>a)'],
    ...['\\d', '\\1', '\\n', '[\\w]', '[]', '(a', 'a)', '[a', '*', '+', '?a'],
    `${'('.repeat(65)}a${')'.repeat(65)}`,
  ]) {
    test(`${source.slice(0, 12)} is beyond it`, () => assert.equal(parseLinearRegex(source), undefined))
  }

  test('the effort of backtracking is not underestimated', () => {
    const effortOf = (source: string) => parseLinearRegex(source)?.effort
    assert.deepEqual(effortOf('^a[^/]*?b.*$'), { branches: 1, repeats: 2 })
    assert.deepEqual(effortOf('(a|b|c)(d|e)f?'), { branches: 12, repeats: 0 })
    assert.deepEqual(effortOf('(?!(?:^|\\/)\\.)a'), { branches: 1, repeats: 0 })
    assert.deepEqual(effortOf('(?!(a|b|c)(a|b))c'), { branches: 6, repeats: 0 })
    assert.deepEqual(effortOf('(?=.*b)a'), { branches: 1, repeats: 1 })
  })
})

const { source: sources } = fc.letrec<{ source: string; atom: string; step: string }>((tie) => ({
  step: fc.constantFrom('a', 'b', '.', '[^/]', '[ab]', '\\.', '\\/', '(?!\\.)a', '(?=b)[^/]', '(?!(?:^|\\/)\\.).'),
  atom: fc.oneof(
    { maxDepth: 4 },
    tie('step'),
    fc.constantFrom('^', '$'),
    tie('step').map((step) => `(?:${step})*?`),
    fc.constantFrom('a+', 'b*', '[^/]+?', '(?:a|b)*', '(a|[^b])+'),
    tie('source').map((source) => `(?:x${source})?`),
    tie('source').map((source) => `(?!${source})`),
    tie('source').map((source) => `(?=${source})`),
    fc.tuple(tie('source'), tie('source')).map(([one, other]) => `(${one}|${other})`),
    tie('step').map((step) => `(?:${step}){0,1}`),
  ),
  source: fc.array(tie('atom'), { maxLength: 4 }).map((atoms) => atoms.join('')),
}))

test('it says what RegExp says', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '/', '.', 'x', '\n'), { maxLength: 7 }).map((list) => list.join(''))
  let compared = 0
  fc.assert(
    fc.property(sources, fc.boolean(), texts, (source, isWhole, text) => {
      const whole = isWhole ? `^(?:${source})$` : source
      const regex = parseLinearRegex(whole)
      if (!regex) return
      compared++
      assert.equal(matchesLinear(regex, text), new RegExp(whole).test(text), `${whole} on ${JSON.stringify(text)}`)
    }),
    { numRuns: 3000 },
  )
  assert.ok(compared > 2000, `only ${compared} were compared`)
})
