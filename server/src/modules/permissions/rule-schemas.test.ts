import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseInput } from '../../platform/http/validation-issues.ts'
import type { ConditionField } from './catalogue/condition-sets.ts'
import { ORGANIZATION_SUBJECTS } from './catalogue/organization.ts'
import { INERT_SUBJECTS, REQUESTABLE_SUBJECTS } from './catalogue/project.ts'
import type { Subject } from './catalogue/subject.ts'
import { OrganizationRules, ProjectRules, RuleView } from './rule-schemas.ts'

const parse = (rule: unknown) => ProjectRules.parse([rule])[0]
const issuesOf = (rule: unknown) => {
  const result = parseInput(ProjectRules, [rule])
  return 'issues' in result ? result.issues : []
}

/** Everything that may be said about a field, at once. */
const fullCondition = (field: ConditionField): unknown => {
  if (field.kind === 'metadata') {
    const ofEntry = Object.fromEntries(field.operators.map((operator) => [operator, operator === '$in' ? ['a'] : 'a']))
    return { $elemMatch: { key: ofEntry, value: ofEntry } }
  }
  const values = { $eq: '/a:x', $ne: '/b:x', $in: ['/c:x', '/d:x'], $all: ['/e'], $glob: '/f:*' }
  return Object.fromEntries(field.operators.map((operator) => [operator, values[operator]]))
}

describe('every shape of the catalogue', () => {
  for (const [schema, catalogue] of [
    [ProjectRules, REQUESTABLE_SUBJECTS],
    [OrganizationRules, ORGANIZATION_SUBJECTS],
  ] as const) {
    for (const [subject, { actions, conditions }] of Object.entries<Subject>(catalogue)) {
      test(`${subject} comes back as it was sent`, () => {
        const rules = [
          { subject, action: [...actions], inverted: false },
          { subject, action: [...actions].reverse(), inverted: false, conditions: {} },
          ...Object.entries(conditions ?? {}).map(([field, kind]) => ({
            subject,
            action: actions.slice(0, 1),
            inverted: true,
            conditions: { [field]: fullCondition(kind) },
          })),
        ]
        assert.deepEqual(schema.parse(rules), rules)
        assert.deepEqual(RuleView.array().parse(rules), rules)
      })
    }
  }

  for (const subject of INERT_SUBJECTS) {
    test(`${subject} keeps whatever it is sent`, () => {
      const rule = { subject, action: ['any thing', 'x'], inverted: true, conditions: { a: { b: [1, null] } } }
      assert.deepEqual(parse(rule), rule)
    })
  }
})

describe('a rule', () => {
  test('may name one action; it is shown as a list, and not inverted unless it is', () => {
    assert.deepEqual(parse({ subject: 'secrets', action: 'edit' }), {
      subject: 'secrets',
      action: ['edit'],
      inverted: false,
    })
  })

  test('keeps the order of actions and rules, and repeats', () => {
    const rules = ['delete', 'edit', 'edit'].map((action) => ({
      subject: 'secrets',
      action: [action, 'create', action],
      inverted: false,
    }))
    assert.deepEqual(ProjectRules.parse(rules), rules)
  })

  test('may be sent none', () => assert.deepEqual(ProjectRules.parse([]), []))

  test('drops properties it does not know', () => {
    assert.deepEqual(parse({ subject: 'role', action: ['read'], fields: ['x'] }), {
      subject: 'role',
      action: ['read'],
      inverted: false,
    })
  })

  test('may compare with plain strings, empty ones too', () => {
    const conditions = { environment: '', secretPath: '/**', secretName: 'A', eventType: 'x' }
    assert.deepEqual(parse({ subject: 'secrets', action: ['edit'], conditions })?.conditions, conditions)
  })

  test('has the texts of a list trimmed', () => {
    const conditions = { environment: { $in: [' dev ', 'prod'] } }
    assert.deepEqual(parse({ subject: 'secrets', action: ['edit'], conditions })?.conditions, {
      environment: { $in: ['dev', 'prod'] },
    })
  })

  test('may have a condition without operators, and empty lists', () => {
    const conditions = { environment: {}, secretName: { $in: [] }, secretTags: { $all: [] } }
    assert.deepEqual(parse({ subject: 'secrets', action: ['edit'], conditions })?.conditions, conditions)
  })

  test('may have templates, in patterns too', () => {
    const conditions = { environment: '{{identity.metadata.env}}', secretPath: { $glob: '/{{identity.id}}/**' } }
    assert.deepEqual(parse({ subject: 'secrets', action: ['edit'], conditions })?.conditions, conditions)
  })
})

const secrets = (conditions: unknown) => ({ subject: 'secrets', action: ['edit'], conditions })
const identity = (conditions: unknown) => ({
  subject: 'identity',
  action: ['assign-additional-privileges'],
  conditions,
})

describe('a fault', () => {
  for (const [rule, code, path, reason] of [
    ['secrets', 'invalid_type', [0], 'the rule is no object'],
    [{ action: ['read'] }, 'invalid_union_discriminator', [0, 'subject'], 'there is no subject'],
    [{ subject: 'all', action: ['read'] }, 'invalid_union_discriminator', [0, 'subject'], 'the subject is a wildcard'],
    [{ subject: ['role'], action: ['read'] }, 'invalid_union_discriminator', [0, 'subject'], 'the subject is a list'],
    [
      { subject: 'certificate-application', action: ['read'] },
      'invalid_union_discriminator',
      [0, 'subject'],
      'the subject is for predefined roles',
    ],
    [{ subject: 'role' }, 'invalid_union', [0, 'action'], 'there is no action'],
    [{ subject: 'role', action: 'manage' }, 'invalid_union', [0, 'action'], 'the action is a wildcard'],
    [{ subject: 'role', action: ['read', 'x'] }, 'invalid_union', [0, 'action'], 'one of the actions is unknown'],
    [{ subject: 'role', action: [] }, 'too_small', [0, 'action'], 'the list of actions is empty'],
    [{ subject: 'role', action: Array(65).fill('read') }, 'too_big', [0, 'action'], 'there are very many actions'],
    [
      { subject: 'role', action: ['read'], inverted: true },
      'invalid_literal',
      [0, 'inverted'],
      'it cannot be inverted',
    ],
    [{ subject: 'secrets', action: ['edit'], inverted: 'no' }, 'invalid_type', [0, 'inverted'], 'inverted is a text'],
    [
      { subject: 'role', action: ['read'], conditions: { name: 'x' } },
      'unrecognized_keys',
      [0, 'conditions'],
      'the subject takes no conditions',
    ],
    [secrets(null), 'invalid_type', [0, 'conditions'], 'conditions are null'],
    [secrets({ env: 'dev' }), 'unrecognized_keys', [0, 'conditions'], 'a condition is unknown'],
    [
      secrets({ environment: { $regex: 'x' } }),
      'unrecognized_keys',
      [0, 'conditions', 'environment'],
      'an operator is',
    ],
    [secrets({ environment: 5 }), 'invalid_union', [0, 'conditions', 'environment'], 'a condition is a number'],
    [secrets({ environment: { $eq: '' } }), 'too_small', [0, 'conditions', 'environment', '$eq'], '$eq is empty'],
    [
      secrets({ environment: { $in: [' '] } }),
      'too_small',
      [0, 'conditions', 'environment', '$in', 0],
      'a text is blank',
    ],
    [secrets({ environment: { $in: 'dev' } }), 'invalid_union', [0, 'conditions', 'environment'], '$in is no list'],
    [
      secrets({ secretName: { $glob: '{a' } }),
      'custom',
      [0, 'conditions', 'secretName', '$glob'],
      'a pattern is broken',
    ],
    [secrets({ secretPath: 'app' }), 'custom', [0, 'conditions', 'secretPath'], 'a path has no slash'],
    [secrets({ secretPath: { $eq: 'app' } }), 'custom', [0, 'conditions', 'secretPath', '$eq'], '$eq has none'],
    [
      secrets({ secretPath: { $in: ['/a', 'b'] } }),
      'custom',
      [0, 'conditions', 'secretPath', '$in', 1],
      'one has none',
    ],
    [secrets({ secretTags: 'a' }), 'invalid_type', [0, 'conditions', 'secretTags'], 'tags are a plain text'],
    [secrets({ secretTags: { $eq: 'a' } }), 'unrecognized_keys', [0, 'conditions', 'secretTags'], 'tags know no $eq'],
    [secrets({ secretName: 'x'.repeat(1025) }), 'too_big', [0, 'conditions', 'secretName'], 'a text is very long'],
    [
      secrets({ secretName: { $in: Array(1001).fill('x') } }),
      'too_big',
      [0, 'conditions', 'secretName', '$in'],
      'a list is very long',
    ],
    [
      { subject: 'secret-folders', action: ['edit'], conditions: { environment: { $glob: 'd*' } } },
      'unrecognized_keys',
      [0, 'conditions', 'environment'],
      'the environment of a folder is a pattern',
    ],
    [
      {
        subject: 'secret-event-subscriptions',
        action: ['subscribe-to-update-events'],
        conditions: { secretName: 'A' },
      },
      'unrecognized_keys',
      [0, 'conditions'],
      'events are told apart by name',
    ],
    [
      { subject: 'dynamic-secrets', action: ['lease'], conditions: { metadata: {} } },
      'invalid_type',
      [0, 'conditions', 'metadata', '$elemMatch'],
      'metadata has no $elemMatch',
    ],
    [
      { subject: 'certificates', action: ['read'], conditions: { metadata: { $elemMatch: { key: { $ne: 'x' } } } } },
      'unrecognized_keys',
      [0, 'conditions', 'metadata', '$elemMatch', 'key'],
      'metadata of certificates knows no $ne',
    ],
    [{ subject: 'ssh-hosts', action: '' }, 'too_small', [0, 'action'], 'an action of what is gone is empty'],
    [{ subject: 'ssh-hosts', action: ['x'.repeat(65)] }, 'too_big', [0, 'action', 0], 'or very long'],
    [
      { subject: 'pam-accounts', action: 'x', conditions: JSON.parse(`${'{"a":'.repeat(10)}1${'}'.repeat(10)}`) },
      'custom',
      [0, 'conditions'],
      'or its conditions are deep',
    ],
    [secrets({ secretName: 'a\0' }), 'custom', [0, 'conditions', 'secretName'], 'a text holds a NUL'],
    [{ subject: 'ssh-hosts', action: 'a\0b' }, 'custom', [0, 'action'], 'an action of what is gone does'],
    [{ subject: 'ssh-hosts', action: 'a', conditions: { a: ['\0'] } }, 'custom', [0, 'conditions'], 'a kept text does'],
    [{ subject: 'ssh-hosts', action: 'a', conditions: { a: { '\0': 1 } } }, 'custom', [0, 'conditions'], 'a name does'],
  ] as const) {
    test(`is ${code} when ${reason}`, () => {
      const [issue, ...others] = issuesOf(rule)
      assert.deepEqual([issue?.code, issue?.path, others], [code, path, []])
    })
  }

  test('of an unknown subject lists the 67 known ones', () => {
    const [issue] = issuesOf({ subject: 'nope', action: ['read'] })
    assert.ok(issue?.code === 'invalid_union_discriminator')
    assert.equal(issue.options.length, 67)
  })

  test('of an unknown action is told for both forms', () => {
    const options = ['read', 'describeSecret', 'readValue', 'create', 'edit', 'delete']
    const expected = options.map((option) => `'${option}'`).join(' | ')
    const path = [0, 'action']
    assert.deepEqual(issuesOf({ subject: 'secrets', action: ['nope'] }), [
      {
        code: 'invalid_union',
        unionErrors: [
          {
            issues: [
              {
                code: 'invalid_type',
                expected,
                received: 'array',
                path,
                message: `Expected ${expected}, received array`,
              },
            ],
            name: 'ZodError',
          },
          {
            issues: [
              {
                code: 'invalid_enum_value',
                received: 'nope',
                options,
                path: [...path, 0],
                message: `Invalid enum value. Expected ${expected}, received 'nope'`,
              },
            ],
            name: 'ZodError',
          },
        ],
        path,
        message: 'Invalid input',
      },
    ])
  })

  test('of more than a thousand rules is one', () => {
    const result = parseInput(ProjectRules, Array(1001).fill({ subject: 'role', action: 'read' }))
    assert.ok('issues' in result)
    assert.deepEqual(
      result.issues.map(({ code, path }) => [code, path]),
      [['too_big', []]],
    )
  })
})

describe('assignable actions', () => {
  for (const conditions of [
    { assignableAction: 'secrets:readValue' },
    { assignableAction: { $in: ['secrets:read', 'role:edit'] } },
    { assignableAction: { $glob: 'secrets:*' } },
    { assignableAction: { $eq: 'secrets:a:b' }, assignableSubject: 'secrets' },
    { assignableAction: { $eq: 'secrets:a' }, assignableSubject: { $eq: 'secrets' } },
    { assignableAction: { $ne: 'secrets:a' }, assignableSubject: { $in: ['role', 'secrets'] } },
    { assignableAction: 'secrets:a', assignableSubject: { $ne: 'role' } },
    { assignableAction: 'secrets:a', assignableSubject: { $glob: 'secret*' } },
    { assignableAction: {}, assignableSubject: 'secrets' },
    { assignableSubject: 'secrets' },
  ]) {
    test(`${JSON.stringify(conditions)} is accepted`, () => assert.deepEqual(issuesOf(identity(conditions)), []))
  }

  for (const conditions of [
    { assignableAction: 'read' },
    { assignableAction: ':read' },
    { assignableAction: 'secrets:' },
    { assignableAction: { $in: ['secrets:read', 'edit'] } },
    { assignableAction: { $glob: '*' } },
    { assignableAction: 'secrets:a', assignableSubject: 'role' },
    { assignableAction: 'secrets:a', assignableSubject: { $eq: 'role' } },
    { assignableAction: 'secrets:a', assignableSubject: { $ne: 'secrets' } },
    { assignableAction: 'secrets:a', assignableSubject: { $in: ['role'] } },
    { assignableAction: 'secrets:a', assignableSubject: { $glob: 'r*' } },
  ]) {
    test(`${JSON.stringify(conditions)} is refused`, () => {
      const [issue] = issuesOf(identity(conditions))
      assert.deepEqual([issue?.code, issue?.path], ['custom', [0, 'conditions', 'assignableAction']])
    })
  }
})
