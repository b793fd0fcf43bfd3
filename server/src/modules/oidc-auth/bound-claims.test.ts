import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Bounds, type Claims, joinAlternatives, matches, pickMetadata, requireBounds } from './bound-claims.ts'
import { LoginRefusal } from './login-refusal.ts'

const bounds = (some: Partial<Bounds>): Bounds => ({ boundSubject: '', boundAudiences: '', boundClaims: {}, ...some })

/** Why the claims are refused, or that they are not. */
const verdict = (claims: Claims, some: Partial<Bounds>): string => {
  try {
    requireBounds(claims, bounds(some))
    return 'allowed'
  } catch (error) {
    assert.ok(error instanceof LoginRefusal)
    return error.reason
  }
}

const TEXTS: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ['main', ['main'], ['Main', 'mai', 'maint', ' main', 'xmain', '']],
  [
    'repo:org/x:*',
    ['repo:org/x:ref:refs/heads/main', 'repo:org/x:a/b'],
    ['repo:org/x-evil:ref', 'repo:org/x', 'evil/repo:org/x:y'],
  ],
  ['repo:org/*', ['repo:org/a', 'repo:org/a/b'], ['repo:organization/a', 'repo:Org/a', 'repo:org/.a']],
  ['*', ['a', 'a/b', 'a:b'], ['', '.a']],
  ['**', ['a', 'a/b'], ['.a']],
  ['a?c', ['abc'], ['ac', 'abbc', 'a/c']],
  ['v[0-9]', ['v1'], ['vx', 'v10']],
  ['@(dev|ops)', ['dev', 'ops'], ['devops']],
  ['!main', ['dev', 'mainline'], ['main']],
  ['!(main)', ['dev'], ['main']],
  ['*.example.com', ['a.example.com'], ['a.example.com.evil', 'example.com', 'axexample.com']],
  [
    'https://holdfast.example',
    ['https://holdfast.example'],
    ['https://holdfast.example.evil', 'https://holdfast.example/x'],
  ],
  ['auth0|7', ['auth0|7'], ['auth0', '7']],
  ['auth0|[0-9]*', ['auth0|77'], ['auth0', '77', '7']],
  ['waad|{x}', ['waad|{x}'], ['waad', '{x}']],
  ['a\\|b', ['a|b'], ['a', 'b']],
  ['a.c', ['a.c'], ['abc']],
  ['^a$', ['^a$'], ['a']],
  ['+(ab)', ['+(ab)'], ['abab']],
  ['', [], ['', 'a']],
  ['true', ['true'], ['false']],
  ['7', ['7'], ['07']],
]

describe('a pattern and a text', () => {
  for (const [pattern, yes, no] of TEXTS) {
    test(`'${pattern}'`, () => {
      for (const value of yes) assert.ok(matches(pattern, value), `matches ${value}`)
      for (const value of no) assert.ok(!matches(pattern, value), `does not match ${value}`)
    })
  }
})

describe('a pattern and another value', () => {
  for (const [pattern, value, expected] of [
    ['true', true, true],
    ['false', true, false],
    ['TRUE', true, false],
    ['*', true, false],
    ['7', 7, true],
    ['-7', -7, true],
    ['7', 7.5, false],
    ['7.5', 7.5, false],
    ['7abc', 7, false],
    ['0x7', 7, false],
    [' 7', 7, false],
    ['', 7, false],
    ['*', 7, false],
    ['1e2', 100, false],
  ] as const) {
    test(`'${pattern}' ${expected ? 'matches' : 'does not match'} ${JSON.stringify(value)}`, () => {
      assert.equal(matches(pattern, value), expected)
    })
  }
})

describe('the subject', () => {
  for (const [boundSubject, sub, expected] of [
    ['', undefined, 'allowed'],
    ['', 'anyone', 'allowed'],
    ['me', 'me', 'allowed'],
    ['me', 'you', 'subject_not_allowed'],
    ['me', undefined, 'subject_not_allowed'],
    ['*', '', 'subject_not_allowed'],
    ['me', ['me'], 'subject_not_allowed'],
    ['7', 7, 'subject_not_allowed'],
    ['me, you', 'you', 'subject_not_allowed'],
  ] as const) {
    test(`'${boundSubject}' and ${JSON.stringify(sub)}: ${expected}`, () => {
      assert.equal(verdict({ sub }, { boundSubject }), expected)
    })
  }

  test('is refused as forbidden, all else as unauthenticated', () => {
    const kindOf = (some: Partial<Bounds>) => {
      try {
        requireBounds({}, bounds(some))
      } catch (error) {
        return error instanceof LoginRefusal ? error.kind : undefined
      }
    }
    assert.equal(kindOf({ boundSubject: 'x' }), 'forbidden')
    assert.equal(kindOf({ boundAudiences: 'x' }), 'unauthenticated')
    assert.equal(kindOf({ boundClaims: { x: 'x' } }), 'unauthenticated')
  })
})

describe('the audience', () => {
  for (const [boundAudiences, aud, expected] of [
    ['', undefined, 'allowed'],
    ['', 'anything', 'allowed'],
    ['api', 'api', 'allowed'],
    ['api', 'api2', 'audience_not_allowed'],
    ['api2', 'api', 'audience_not_allowed'],
    ['api', undefined, 'audience_not_allowed'],
    ['api', [], 'audience_not_allowed'],
    ['api', {}, 'audience_not_allowed'],
    ['api', ['other', 'api'], 'allowed'],
    ['api', ['other', 'xapi', 'ap'], 'audience_not_allowed'],
    ['one, api', 'api', 'allowed'],
    ['one, api', 'one, api', 'audience_not_allowed'],
    ['*', 'any/thing', 'allowed'],
    ['*', undefined, 'audience_not_allowed'],
    ['api*', 'api.evil', 'allowed'],
    [', ', 'api', 'audience_not_allowed'],
    [', ', '', 'audience_not_allowed'],
  ] as const) {
    test(`'${boundAudiences}' and ${JSON.stringify(aud)}: ${expected}`, () => {
      assert.equal(verdict({ aud }, { boundAudiences }), expected)
    })
  }
})

describe('a bound claim', () => {
  const claims = {
    env: 'prod',
    nested: { deep: { value: 'x' }, 'dotted.name': 'y' },
    groups: ['dev', 'ops', 7, true, '', 0, null, ['inner'], { a: 1 }],
    yes: true,
    no: false,
    zero: 0,
    seven: 7,
    rounded: Number('12345678901234567890'),
    empty: '',
    none: null,
    list: [],
    object: {},
  }
  for (const [path, pattern, expected] of [
    ['env', 'prod', 'allowed'],
    ['env', 'dev, prod', 'allowed'],
    ['env', 'dev', 'claim_not_allowed'],
    ['env', '', 'claim_not_allowed'],
    ['env', 'pro', 'claim_not_allowed'],
    ['nested.deep.value', 'x', 'allowed'],
    ['nested.deep', '*', 'missing_claim'],
    ['nested.deep.other', '*', 'missing_claim'],
    ['nested.dotted.name', 'y', 'missing_claim'],
    ['env.length', '4', 'missing_claim'],
    ['groups.0', 'dev', 'missing_claim'],
    ['groups.length', '*', 'missing_claim'],
    ['groups', 'ops', 'allowed'],
    ['groups', 'o*', 'allowed'],
    ['groups', '7', 'allowed'],
    ['groups', 'true', 'allowed'],
    ['groups', 'admin', 'claim_not_allowed'],
    ['groups', 'dev, admin', 'allowed'],
    ['groups', 'dev,ops', 'claim_not_allowed'],
    ['groups', 'inner', 'claim_not_allowed'],
    ['groups', '!ops', 'claim_not_allowed'],
    ['yes', 'true', 'allowed'],
    ['no', 'false', 'missing_claim'],
    ['zero', '0', 'missing_claim'],
    ['seven', '7', 'allowed'],
    ['seven', '8', 'claim_not_allowed'],
    ['rounded', '12345678901234567890', 'missing_claim'],
    ['empty', '', 'missing_claim'],
    ['none', 'null', 'missing_claim'],
    ['list', '*', 'missing_claim'],
    ['object', '*', 'missing_claim'],
    ['absent', '*', 'missing_claim'],
    ['absent', '!x', 'missing_claim'],
    ['', '*', 'missing_claim'],
    ['toString', '*', 'missing_claim'],
    ['constructor.name', 'Object', 'missing_claim'],
    ['__proto__.x', '*', 'missing_claim'],
  ] as const) {
    test(`'${path}' as '${pattern}': ${expected}`, () => {
      assert.equal(verdict(claims, { boundClaims: { [path]: pattern } }), expected)
    })
  }

  test('of a list excludes only if no element is that', () => {
    assert.equal(verdict({ groups: ['dev', 'ops'] }, { boundClaims: { groups: '!admin' } }), 'allowed')
    assert.equal(verdict({ groups: ['dev', 'admin'] }, { boundClaims: { groups: '!admin' } }), 'claim_not_allowed')
  })

  test('must hold beside all others', () => {
    assert.equal(verdict(claims, { boundClaims: { env: 'prod', seven: '7' } }), 'allowed')
    assert.equal(verdict(claims, { boundClaims: { env: 'prod', seven: '8' } }), 'claim_not_allowed')
  })

  test('that is a JSON __proto__ is like any other', () => {
    const parsed = JSON.parse('{"__proto__":{"x":"y"}}') as Claims
    assert.equal(verdict(parsed, { boundClaims: { '__proto__.x': 'y' } }), 'allowed')
    assert.equal(verdict(parsed, { boundClaims: { x: 'y' } }), 'missing_claim')
  })
})

describe('claims for rules', () => {
  const claims = { team: 'blue', size: 3, on: true, nested: { region: 'eu' }, list: ['a'], no: false }

  test('are picked by path, as text', () => {
    const mapping = { team: 'team', size: 'size', on: 'on', where: 'nested.region' }
    assert.deepEqual(pickMetadata(claims, mapping), { team: 'blue', size: '3', on: 'true', where: 'eu' })
    assert.deepEqual(pickMetadata(claims, {}), {})
    assert.deepEqual(pickMetadata(claims, null), {})
  })

  for (const path of ['absent', 'no', 'list', 'nested', 'toString', '']) {
    test(`'${path}' is missing`, () => {
      assert.throws(
        () => pickMetadata(claims, { name: path }),
        (error) => error instanceof LoginRefusal && error.reason === 'missing_metadata_claim',
      )
    })
  }
})

describe('alternatives', () => {
  for (const [text, expected] of [
    ['', ''],
    ['a', 'a'],
    [' a ,b,  c ', 'a, b, c'],
    ['a, b', 'a, b'],
    [',', ', '],
  ] as const) {
    test(`'${text}' are kept as '${expected}'`, () => {
      assert.equal(joinAlternatives(text), expected)
      assert.equal(joinAlternatives(expected), expected)
    })
  }
})

describe('whatever the claims are', () => {
  const plain = fc.stringMatching(/^[a-z0-9:/_-]{1,20}$/)

  test('a text without wildcards admits itself and nothing else', () => {
    fc.assert(
      fc.property(plain, plain, (pattern, value) => {
        assert.equal(matches(pattern, value), pattern === value)
      }),
    )
  })

  test('a prefix with a star admits only what begins with it', () => {
    fc.assert(
      fc.property(plain, plain, fc.string(), (prefix, subject, rest) => {
        if (matches(`${prefix}*`, subject + rest)) assert.ok((subject + rest).startsWith(prefix))
      }),
    )
  })

  test('nothing throws but a refusal, and a bound that is not met refuses', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (claims, path, pattern) => {
        const result = verdict(claims, { boundClaims: { [path]: pattern } })
        assert.ok(['allowed', 'missing_claim', 'claim_not_allowed'].includes(result))
        assert.equal(verdict({}, { boundClaims: { [path]: pattern } }), 'missing_claim')
      }),
    )
  })

  test('a hostile subject is judged quickly', () => {
    const startedAt = performance.now()
    matches('*a*a*a*a*a*a*b', 'a'.repeat(50_000))
    assert.ok(performance.now() - startedAt < 1_000)
  })
})
