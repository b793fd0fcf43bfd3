import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { parseInput } from './validation-issues.ts'

/** Bad input to routes of this interface, with the issues that its clients know. */
const FIXTURE = new URL('../../../../test/fixtures/validation-issues.json', import.meta.url)
type Case = { case: string; schema: string; input: unknown; issues: unknown[] }

const issuesOf = (schema: z.ZodType, input: unknown): unknown => {
  const result = parseInput(schema, input)
  return 'issues' in result ? JSON.parse(JSON.stringify(result.issues)) : []
}

const seconds = z.number().int().min(0).max(315_360_000)
const trustedIps = z.array(z.object({ ipAddress: z.string().trim() })).min(1)
const slug = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'A slug has at least one character')
    .max(max, `A slug has at most ${max} characters`)
    .refine((text) => !/[^a-z0-9-]/.test(text) || text === '', 'A slug has lowercase letters, digits and hyphens only')
const oneOrMany = (values: [string, ...string[]]) => z.union([z.enum(values), z.array(z.enum(values))])

/** The shapes of the routes in the fixture, as far as its cases reach. */
const SCHEMAS: Partial<Record<string, z.ZodType>> = {
  UniversalAuth: z
    .object({
      clientSecretTrustedIps: trustedIps.optional(),
      accessTokenTrustedIps: trustedIps.optional(),
      accessTokenTTL: seconds.default(2_592_000),
      accessTokenMaxTTL: seconds.default(2_592_000),
      accessTokenNumUsesLimit: z.number().int().min(0).default(0),
      accessTokenPeriod: seconds.default(0),
      lockoutEnabled: z.boolean().default(true),
      lockoutThreshold: z.number().min(1).max(30).default(3),
      lockoutDurationSeconds: z.number().min(30).max(86_400).default(300),
      lockoutCounterResetSeconds: z.number().min(5).max(3600).default(30),
    })
    .refine(
      ({ accessTokenTTL, accessTokenMaxTTL }) => accessTokenTTL <= accessTokenMaxTTL,
      'accessTokenTTL must not exceed accessTokenMaxTTL',
    ),
  Privilege: z.object({
    identityId: z.string().min(1),
    projectId: z.string().min(1),
    slug: slug(60).optional(),
    permissions: z.array(
      z.discriminatedUnion('subject', [
        z.object({
          subject: z.literal('secrets'),
          action: oneOrMany(['read', 'describeSecret', 'readValue', 'create', 'edit', 'delete']),
        }),
        z.object({ subject: z.literal('secret-folders'), action: oneOrMany(['read']) }),
        z.object({
          subject: z.literal('secret-event-subscriptions'),
          action: oneOrMany([
            'subscribe-to-creation-events',
            'subscribe-to-update-events',
            'subscribe-to-deletion-events',
            'subscribe-to-import-mutation-events',
          ]),
        }),
      ]),
    ),
    type: z.discriminatedUnion('isTemporary', [
      z.object({ isTemporary: z.literal(false) }),
      z.object({
        isTemporary: z.literal(true),
        temporaryMode: z.literal('relative'),
        temporaryRange: z.string().refine((text) => /^[1-9]\d*h$/.test(text), 'Must be a positive duration'),
        temporaryAccessStartTime: z.iso.datetime(),
      }),
    ]),
  }),
  Revocation: z.object({
    revocationReason: z.enum([
      'UNSPECIFIED',
      'KEY_COMPROMISE',
      'CA_COMPROMISE',
      'AFFILIATION_CHANGED',
      'SUPERSEDED',
      'CESSATION_OF_OPERATION',
      'CERTIFICATE_HOLD',
      'PRIVILEGE_WITHDRAWN',
      'A_A_COMPROMISE',
    ]),
  }),
  ProjectSlug: z.object({ slug: slug(64) }),
  MemberQuery: z.object({
    offset: z.coerce.number().min(0).default(0),
    limit: z.coerce.number().min(1).max(100).default(10),
    search: z
      .string()
      .refine((text) => /^[\w.@-]+$/.test(text), 'Only letters, digits, -, . and @ can be searched for')
      .optional(),
    orderBy: z.enum(['name']).optional(),
    orderDirection: z.enum(['asc', 'desc']).optional(),
    memberTypeFilter: z
      .union([z.enum(['users', 'machineIdentities']), z.array(z.enum(['users', 'machineIdentities']))])
      .optional(),
  }),
  Subscription: z.object({
    projectId: z.string(),
    register: z
      .array(z.object({ event: z.enum(['secret:create', 'secret:update', 'secret:delete', 'secret:import-mutation']) }))
      .min(1)
      .max(10),
  }),
}

describe('bad input is reported in the form that clients know', () => {
  const cases = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Case[]

  test('in every known case', () => assert.equal(cases.length, 66))

  for (const { case: name, schema, input, issues } of cases) {
    test(`${schema}: ${name}`, () => {
      const mirrored = SCHEMAS[schema]
      assert.ok(mirrored)
      assert.deepEqual(issuesOf(mirrored, input), issues)
    })
  }
})

describe('other faults', () => {
  const Role = z.union([
    z.object({ role: z.string(), isTemporary: z.literal(false).default(false) }),
    z.object({ role: z.string(), isTemporary: z.literal(true), range: z.string().refine((text) => text !== '0') }),
  ])

  for (const [name, schema, input, expected] of [
    ['a literal', z.literal(true), 'x', { code: 'invalid_literal', received: 'x', expected: true }],
    ['a missing literal', z.object({ a: z.literal(5) }), {}, { code: 'invalid_literal', expected: 5, path: ['a'] }],
    ['unknown keys of a closed object', z.strictObject({}), { b: 1 }, { code: 'unrecognized_keys', keys: ['b'] }],
    ['an e-mail address', z.email(), 'x', { code: 'invalid_string', validation: 'email', message: 'Invalid email' }],
    ['a URL', z.url(), 'x', { code: 'invalid_string', validation: 'url' }],
    ['a UUID of version 4', z.uuidv4(), 'x', { code: 'invalid_string', validation: 'uuid' }],
    ['any UUID', z.guid(), 'x', { code: 'invalid_string', validation: 'uuid', message: 'Invalid uuid' }],
    ['a pattern', z.string().regex(/a/), 'x', { code: 'invalid_string', validation: 'regex', message: 'Invalid' }],
    ['an exact length', z.string().length(2), 'x', { code: 'too_small', exact: true, inclusive: true }],
    ['an excluded bound', z.number().gt(5), 5, { message: 'Number must be greater than 5', inclusive: false }],
    ['a step', z.number().multipleOf(5), 6, { code: 'not_multiple_of', multipleOf: 5 }],
    ['a record that is an array', z.record(z.string(), z.string()), [], { expected: 'object', received: 'array' }],
    ['a value of a record', z.record(z.string(), z.string()), { a: 1 }, { path: ['a'], expected: 'string' }],
    ['a key of a record', z.record(z.string().max(1), z.string()), { ab: '' }, { path: ['ab'], code: 'too_big' }],
    [
      'a repeated query parameter',
      z.object({ q: z.string() }),
      { q: ['a'] },
      { expected: 'string', received: 'array' },
    ],
    ['a custom fault with parameters', z.custom((v) => v === 1, { params: { a: 1 } }), 2, { params: { a: 1 } }],
    ['a missing discriminator', Tagged(), {}, { code: 'invalid_union_discriminator', path: ['kind'] }],
    ['an integer beyond the safe ones', z.int(), 1e20, { code: 'too_big', type: 'number' }],
    ['a text for a list that has a length', z.array(z.string()).max(2), 'abcdef', { code: 'invalid_type' }],
    [
      'a list for a text that has a length',
      z.object({ a: z.string().max(1) }),
      { a: ['b', 'c'] },
      { received: 'array' },
    ],
    ['a message of the schema', z.object({ a: z.string('say something') }), {}, { message: 'say something' }],
  ] as const) {
    test(name, () => {
      const [issue, ...others] = issuesOf(schema, input) as Record<string, unknown>[]
      assert.deepEqual(others, [])
      assert.deepEqual({ ...issue, ...expected }, issue)
    })
  }

  test('a branch whose shape fits is reported without the others', () => {
    assert.deepEqual(issuesOf(z.array(Role), [{ role: 'a', isTemporary: true, range: '0' }]), [
      { code: 'custom', path: [0, 'range'], message: 'Invalid input' },
    ])
  })

  test('of several branches whose shape fits the first is reported', () => {
    assert.deepEqual(issuesOf(z.union([z.string().min(5), z.string().startsWith('x')]), 'abc'), [
      {
        code: 'too_small',
        minimum: 5,
        type: 'string',
        inclusive: true,
        exact: false,
        path: [],
        message: 'String must contain at least 5 character(s)',
      },
    ])
  })

  test('branches that do not fit are reported together, with paths from the root', () => {
    const [issue] = issuesOf(z.object({ roles: z.array(Role) }), { roles: [{ role: 'a', isTemporary: true }] }) as [
      { code: string; path: unknown; unionErrors: { name: string; issues: { code: string; path: unknown }[] }[] },
    ]
    assert.equal(issue.code, 'invalid_union')
    assert.deepEqual(issue.path, ['roles', 0])
    assert.deepEqual(
      issue.unionErrors.map(({ name, issues }) => [name, ...issues.map(({ code, path }) => [code, path])]),
      [
        ['ZodError', ['invalid_literal', ['roles', 0, 'isTemporary']]],
        ['ZodError', ['invalid_type', ['roles', 0, 'range']]],
      ],
    )
  })
})

describe('a report stays small', () => {
  test('whatever the number of faults', () => {
    const issues = issuesOf(
      z.array(z.string()),
      Array.from({ length: 10_000 }, () => 1),
    ) as unknown[]
    assert.equal(issues.length, 100)
  })

  test('inside a union too', () => {
    const schema = z.union([z.string(), z.array(z.string())])
    const text = JSON.stringify(
      issuesOf(
        schema,
        Array.from({ length: 10_000 }, () => 1),
      ),
    )
    assert.ok(text.length < 30_000, `${text.length} characters`)
  })

  test('whatever the length of a wrong value or key', () => {
    const long = 'x'.repeat(500_000)
    for (const [schema, input] of [
      [z.enum(['a']), long],
      [z.strictObject({}), { [long]: 1 }],
      [z.literal(1), long],
    ] as const) {
      assert.ok(JSON.stringify(issuesOf(schema, input)).length < 1000)
    }
  })
})

function Tagged() {
  return z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
}
