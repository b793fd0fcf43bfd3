import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileConditions, type FieldValue } from './conditions.ts'

const VALUES = {
  id: 'i-1',
  username: 'ci',
  metadata: { team: 'blue', wild: '**', long: 'x'.repeat(2000) },
  auth: { oidc: { claims: { env: 'dev' } } },
}

const matches = (condition: unknown, value: FieldValue, inverted = false): boolean => {
  const rule = { subject: 'secrets', action: ['read'], inverted, conditions: { field: condition } }
  const checks = compileConditions(rule, VALUES)
  return (
    checks?.every(({ field, holds, texts }) => {
      const isMatch = holds(field === 'field' ? value : undefined)
      if (texts && typeof value === 'string') assert.equal(texts.includes(value), isMatch)
      return isMatch
    }) ?? false
  )
}

const ENTRIES = [
  { key: 'team', value: 'blue' },
  { key: 'tier', value: 'gold' },
]

type Case = readonly [condition: unknown, value: FieldValue, expected: boolean]

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'a plain string is compared as it is': [
    ['dev', 'dev', true],
    ['dev', 'Dev', false],
    ['dev', undefined, false],
    ['', '', true],
    ['/**', '/a', false],
    ['/**', '/**', true],
    ['a', ['b', 'a'], true],
    ['a', [], false],
  ],
  $eq: [
    [{ $eq: 'dev' }, 'dev', true],
    [{ $eq: 'dev' }, 'prod', false],
    [{ $eq: 'dev' }, undefined, false],
    [{ $eq: 'dev' }, ['prod', 'dev'], true],
    [{ $eq: 'dev' }, ['prod'], false],
  ],
  $ne: [
    [{ $ne: 'dev' }, 'prod', true],
    [{ $ne: 'dev' }, 'dev', false],
    [{ $ne: 'dev' }, undefined, true],
    [{ $ne: 'dev' }, ['prod', 'dev'], false],
    [{ $ne: 'dev' }, ['prod'], true],
  ],
  $in: [
    [{ $in: ['dev', 'prod'] }, 'prod', true],
    [{ $in: ['dev', 'prod'] }, 'test', false],
    [{ $in: ['dev'] }, undefined, false],
    [{ $in: [] }, 'dev', false],
    [{ $in: [] }, [], false],
    [{ $in: ['a', 'b'] }, ['c', 'b'], true],
    [{ $in: ['a', 'b'] }, ['c'], false],
  ],
  'texts by two operators': [
    [{ $eq: 'dev', $in: ['dev', 'prod'] }, 'dev', true],
    [{ $eq: 'dev', $in: ['dev', 'prod'] }, 'prod', false],
    [{ $eq: 'dev', $in: ['prod'] }, 'dev', false],
    [{ $in: ['dev', 'prod'], $ne: 'prod' }, 'prod', false],
  ],
  $all: [
    [{ $all: ['a', 'b'] }, ['b', 'c', 'a'], true],
    [{ $all: ['a', 'b'] }, ['a'], false],
    [{ $all: ['a'] }, undefined, false],
    [{ $all: ['a'] }, 'a', true],
    [{ $all: ['a', 'b'] }, 'a', false],
    [{ $all: [] }, [], true],
    [{ $all: [] }, undefined, true],
  ],
  $glob: [
    [{ $glob: '/app/**' }, '/app/x/y', true],
    [{ $glob: '/app/**' }, '/other', false],
    [{ $glob: '**' }, undefined, false],
    [{ $glob: '**' }, ['a'], false],
    [{ $glob: '**' }, '', false],
    [{ $glob: '!prod' }, 'dev', true],
  ],
  $elemMatch: [
    [{ $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'blue' } } }, ENTRIES, true],
    [{ $elemMatch: { key: { $eq: 'team' }, value: { $eq: 'gold' } } }, ENTRIES, false],
    [{ $elemMatch: { key: { $in: ['tier', 'x'] } } }, ENTRIES, true],
    [{ $elemMatch: { value: { $ne: 'blue' } } }, ENTRIES, true],
    [{ $elemMatch: { key: 'team' } }, ENTRIES, true],
    [{ $elemMatch: {} }, ENTRIES, true],
    [{ $elemMatch: {} }, [], false],
    [{ $elemMatch: {} }, undefined, false],
    [{ $elemMatch: {} }, 'team', false],
    [{ $elemMatch: {} }, ['team'], false],
    [{ $eq: 'team' }, ENTRIES, false],
  ],
  'several operators must all hold': [
    [{ $ne: 'dev-1', $glob: 'dev*' }, 'dev-2', true],
    [{ $ne: 'dev-1', $glob: 'dev*' }, 'dev-1', false],
    [{ $in: ['a'], $all: ['b'] }, ['a', 'b'], true],
    [{ $in: ['a'], $all: ['b'] }, ['a'], false],
  ],
  'a template stands for the value of the actor': [
    ['{{identity.id}}', 'i-1', true],
    [{ $in: ['x', '{{identity.metadata.team}}'] }, 'blue', true],
    [{ $ne: '{{identity.metadata.team}}' }, 'blue', false],
    [{ $glob: '/teams/{{identity.metadata.team}}/**' }, '/teams/blue/db', true],
    [{ $glob: '/teams/{{identity.metadata.team}}/**' }, '/teams/red/db', false],
    ['{{identity.auth.oidc.claims.env}}', 'dev', true],
  ],
  'the value of an actor is never read as a pattern': [
    [{ $glob: '{{identity.metadata.wild}}' }, '/a', false],
    [{ $glob: '/{{identity.metadata.wild}}' }, '/a', false],
    [{ $glob: '/{{identity.metadata.wild}}' }, '/**', true],
    ['{{identity.metadata.wild}}', '/a', false],
  ],
}

for (const [title, cases] of Object.entries(CASES)) {
  describe(title, () => {
    for (const [condition, value, expected] of cases) {
      test(`${JSON.stringify(condition)} ${expected ? 'holds' : 'does not hold'} for ${JSON.stringify(value)}`, () => {
        assert.equal(matches(condition, value), expected)
        assert.equal(matches(condition, value, true), expected, 'the same in a deny')
      })
    }
  })
}

test('a field without any operator never holds, in a deny neither', () => {
  assert.ok(!matches({}, 'dev'))
  assert.ok(!matches({}, 'dev', true))
})

describe('what cannot be evaluated', () => {
  for (const condition of [
    null,
    5,
    true,
    ['dev'],
    { $regex: '.*' },
    { $eq: 5 },
    { $ne: null },
    { $in: 'dev' },
    { $in: ['dev', 5] },
    { $all: {} },
    { $glob: 5 },
    { $glob: '{a' },
    { $glob: '' },
    { $glob: '{{identity.metadata.long}}' },
    { $elemMatch: 'x' },
    { $elemMatch: { key: { $regex: '.*' } } },
    { $elemMatch: { key: 5 } },
    { $elemMatch: { value: {} } },
    { $elemMatch: { other: 'x' } },
    { constructor: 'x' },
    { $eq: 'dev', $where: '1' },
    JSON.parse('{"__proto__": "dev"}') as unknown,
  ]) {
    test(`${JSON.stringify(condition).slice(0, 60)} keeps an allow from matching, and never a deny`, () => {
      assert.ok(!matches(condition, 'dev'))
      assert.ok(matches(condition, 'dev', true))
    })
  }

  test('in a deny leaves the other conditions in force', () => {
    const rule = { subject: 'x', action: [], inverted: true, conditions: { a: { $regex: 'x' }, b: 'dev' } }
    assert.deepEqual(
      compileConditions(rule, VALUES)?.map(({ field }) => field),
      ['b'],
    )
  })
})

describe('a template without a value', () => {
  for (const condition of [
    '{{identity.metadata.none}}',
    { $eq: '{{identity.metadata.none}}' },
    { $ne: '{{identity.metadata.none}}' },
    { $in: ['dev', '{{identity.metadata.none}}'] },
    { $all: ['{{identity.metadata.none}}'] },
    { $glob: '/{{identity.metadata.none}}/**' },
    { $glob: '*{{' },
  ]) {
    test(`${JSON.stringify(condition)} makes an allow match nothing`, () => {
      for (const value of ['dev', '{{identity.metadata.none}}', '/{{identity.metadata.none}}/x', undefined]) {
        assert.ok(!matches(condition, value))
      }
    })
  }

  test('leaves a deny as it is written', () => {
    assert.ok(!matches({ $eq: '{{identity.metadata.none}}' }, 'dev', true))
    assert.ok(matches({ $ne: '{{identity.metadata.none}}' }, 'dev', true))
    assert.ok(matches({ $in: ['dev', '{{identity.metadata.none}}'] }, 'dev', true))
    assert.ok(!matches({ $glob: '/{{identity.metadata.none}}/**' }, '/x/y', true))
    assert.ok(matches({ $glob: '/{{identity.metadata.none}}/**' }, '/{{identity.metadata.none}}/y', true))
  })
})

test('a rule without conditions has nothing to check', () => {
  assert.deepEqual(compileConditions({ subject: 'role', action: ['read'] }, VALUES), [])
  assert.deepEqual(compileConditions({ subject: 'role', action: ['read'], conditions: {} }, VALUES), [])
})
