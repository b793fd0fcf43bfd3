import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { compileGlob, HOLE } from './glob.ts'

const matches = (pattern: string, value: string): boolean => compileGlob(pattern)?.(value) ?? false

const TABLE: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ['/', ['/'], ['/a', '']],
  ['/a', ['/a'], ['/a/', '/ab', '/a/b', '/A']],
  ['/a/', ['/a/'], ['/a']],
  ['/**', ['/', '/a', '/a/b'], ['/.hidden', '/a/.b', '/a/.b/c', '']],
  ['/*', ['/a', '/a/'], ['/', '/a/b', '/.a']],
  ['/app/**', ['/app', '/app/x', '/app/x/y', '/app/x/'], ['/app/.x/y', '/apple', '/']],
  ['/app/*', ['/app/x'], ['/app', '/app/x/y', '/app/.x']],
  ['/a**', ['/a', '/ab'], ['/a/b']],
  ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b'], ['/a', '/a/x', '/ab']],
  ['/**/c', ['/a/c', '/a/b/c'], ['/a', '/c', '/c/a']],
  ['/a/**/', ['/a/'], ['/a']],
  ['**', ['/', '/a', '/a/b', 'dev'], ['']],
  ['*', ['dev', '/'], ['/a', '.env', '']],
  ['dev*', ['dev', 'dev-1'], ['dev/1', 'Dev']],
  ['d?v', ['dev', 'd-v'], ['dv', 'd/v', 'deev']],
  ['{dev,prod}', ['dev', 'prod'], ['staging', 'devprod']],
  ['/{a,b}/**', ['/a', '/b/c'], ['/c', '/']],
  ['@(dev|prod)', ['dev', 'prod'], ['staging']],
  ['/!(a)', ['/b', '/ab'], ['/a', '/b/c']],
  ['!prod', ['dev', 'production'], ['prod']],
  ['!/a', ['/b', '/a/b'], ['/a']],
  ['v[0-9]', ['v1'], ['va', 'v10']],
  ['[^a]x', ['bx'], ['ax', '/x']],
  ['+([0-9])', ['1', '123'], ['', '12a']],
  ['{1..3}', ['1', '2', '3'], ['4']],
  ['secrets:*', ['secrets:read', 'secrets:readValue'], ['secret-imports:read']],
  ['a]b}', ['a]b}'], ['ab']],
]

describe('globs', () => {
  for (const [pattern, yes, no] of TABLE) {
    test(`'${pattern}' matches ${yes.join(' ')}`, () => {
      for (const value of yes) assert.ok(matches(pattern, value), value)
    })
    test(`'${pattern}' does not match ${no.join(' ')}`, () => {
      for (const value of no) assert.ok(!matches(pattern, value), value)
    })
  }

  test('a wildcard crosses slashes only where that is asked for', () => {
    const crosses = (pattern: string, value: string) => compileGlob(pattern, [], { crossesSlashes: true })?.(value)
    assert.ok(!matches('repo:a/*', 'repo:a/b/c'))
    assert.ok(crosses('repo:a/*', 'repo:a/b/c'))
    assert.ok(!crosses('repo:a/*', 'repo:ab/c'))
    assert.ok(!matches('repo:a/*', 'repo:a/b/c'))
  })

  test('a pattern matches its own text', () => {
    assert.ok(matches('/app/*', '/app/*'))
    assert.ok(matches('[0-9]', '[0-9]'))
  })

  for (const [pattern, reason] of [
    ['', 'is empty'],
    ['{a,b', 'leaves a brace open'],
    ['a\\', 'ends in a lone backslash'],
    ['(?<=a)b', 'looks behind'],
    ['(a)\\1', 'refers back'],
    ['\\d', 'escapes a letter'],
    ['*(ab)', 'repeats more than one character'],
    ['a'.repeat(1025), 'is longer than 1024 characters'],
    ['*'.repeat(101), 'has more than 100 wildcards'],
    [`${'{a,'.repeat(9)}b${'}'.repeat(9)}`, 'nests deeper than 8'],
    [Array.from({ length: 17 }, (_, index) => `[a${index}-]`).join(''), 'has more than 16 classes'],
  ] as const) {
    test(`'${pattern.slice(0, 20)}' is no glob: it ${reason}`, () => {
      assert.equal(compileGlob(pattern), undefined)
      assert.equal(compileGlob(pattern), undefined, 'nor when asked again')
    })
  }

  test('a thousand others later, a pattern still means the same', () => {
    for (let index = 0; index < 1500; index++) assert.ok(matches(`/app-${index}/*`, `/app-${index}/x`))
    assert.ok(matches('/app-0/*', '/app-0/x'))
  })
})

const piece = fc.constantFrom(
  ...['a', 'b', 'ab', '/', '/', '.', '-', '*', '**', '/**', '/**/', '?', '[ab]', '[^a]', '[0-9]', '{a,b}', '{a,*/b}'],
  ...['{', '}', ',', '@(a|b)', '!(a)', '+(a)', '*(a|b)', '?(a)', '(', ')', '|', '!', '\\*', '"', '+', '$', '^', 'é'],
)
const patterns = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
const values = fc
  .array(fc.constantFrom('a', 'b', 'ab', '/', '.', '-', '1', '/a', '!', '*', '[', 'é', '\n'), { maxLength: 8 })
  .map((pieces) => pieces.join(''))

describe('agreement with picomatch', () => {
  test('a pattern that compiles means what picomatch says', () => {
    fc.assert(
      fc.property(patterns, values, (pattern, value) => {
        const glob = compileGlob(pattern)
        if (glob) assert.equal(glob(value), picomatch.isMatch(value, pattern, { strictSlashes: false }))
      }),
      { numRuns: 2000 },
    )
  })

  test('also where wildcards cross slashes', () => {
    fc.assert(
      fc.property(patterns, values, (pattern, value) => {
        const glob = compileGlob(pattern, [], { crossesSlashes: true })
        if (glob) assert.equal(glob(value), picomatch.isMatch(value, pattern, { strictSlashes: false, bash: true }))
      }),
      { numRuns: 2000 },
    )
  })

  test('any text is a usable pattern or none, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ unit: 'binary' }), (pattern, value) => {
        compileGlob(pattern)?.(value)
      }),
    )
  })
})

describe('holes', () => {
  const filled = (pattern: string, fillings: readonly string[], value: string) =>
    compileGlob(pattern, fillings)?.(value) ?? false

  test('what fills a hole stands for itself', () => {
    assert.ok(filled(`/teams/${HOLE}/**`, ['blue'], '/teams/blue/x'))
    assert.ok(!filled(`/teams/${HOLE}/**`, ['*'], '/teams/blue/x'))
    assert.ok(filled(`/teams/${HOLE}/**`, ['*'], '/teams/*/x'))
    assert.ok(!filled(`/teams/${HOLE}`, ['{blue,red}'], '/teams/blue'))
    assert.ok(!filled(HOLE, ['!prod'], 'dev'))
    assert.ok(!filled(HOLE, ['**'], '/a'))
    assert.ok(filled(`${HOLE}-${HOLE}*`, ['a', 'b'], 'a-bc'))
    assert.ok(!filled(`[${HOLE}]`, ['a-z'], 'c'))
  })

  test('a filled pattern no longer matches its own text', () => {
    assert.ok(!filled(`/${HOLE}`, ['a'], `/${HOLE}`))
  })

  test('holes and fillings must agree in number', () => {
    assert.equal(compileGlob(HOLE), undefined)
    assert.equal(compileGlob('/a', ['b']), undefined)
    assert.equal(compileGlob(`${HOLE}/${HOLE}`, ['b']), undefined)
  })

  test('a range that a filling turns around is refused', () => {
    assert.ok(compileGlob(`[a-${HOLE}]`, ['c'])?.('b'))
    assert.equal(compileGlob(`[a-${HOLE}]`, ['A']), undefined)
  })

  test('a hole behind a backslash is refused', () => {
    assert.equal(compileGlob(`a\\${HOLE}`, ['*']), undefined)
    assert.equal(compileGlob(`a\\\\${HOLE}/b`, ['*']), undefined)
  })

  test('a filling counts towards the length', () => {
    assert.equal(compileGlob(HOLE, ['a'.repeat(1024)]), undefined)
  })

  test('whatever the filling, the hole matches exactly that', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), patterns, values)
    fc.assert(
      fc.property(texts, texts, (filling, other) => {
        const glob = compileGlob(`x${HOLE}y`, [filling])
        assert.ok(glob)
        assert.ok(glob(`x${filling}y`))
        assert.equal(glob(`x${other}y`), filling === other)
      }),
    )
  })
})

describe('time', () => {
  const long = (text: string) => text.repeat(1024).slice(0, 1024)
  const head = (text: string) => text.repeat(Math.floor(99 / (text.match(/[*[{(]/g)?.length ?? 1)))

  for (const pattern of [
    `${head('*a')}b`,
    `${head('*a')}${'a'.repeat(700)}b`,
    `${head('**/a/')}b`,
    `${head('{a,a}')}c`,
    `${head('{a*,*a}')}c`,
    `${head('@(a|aa)')}c`,
    `${head('+(a|b)')}c`,
    `!(${head('*a').slice(2)}b)`,
    `!(${head('{a,a}').slice(5)}b)`,
    `*!(${head('*a').slice(4)})`,
    `/**${head('/**/a*').slice(6)}`,
    `!${head('*a')}`,
    `*${'a'.repeat(1023)}`,
  ]) {
    test(`'${pattern.slice(0, 30)}…' is decided quickly for 1 KiB`, () => {
      const glob = compileGlob(pattern)
      assert.ok(glob)
      for (const value of [long('a'), long('ab'), long('/a'), long('a/'), long('/.a')]) {
        // The best of a few runs, because the machine does other things too.
        const times = Array.from({ length: 5 }, () => {
          const start = performance.now()
          glob(value)
          return performance.now() - start
        })
        assert.ok(Math.min(...times) < 5, `${Math.min(...times)} ms`)
      }
    })
  }
})
