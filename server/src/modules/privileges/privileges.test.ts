import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createMemberWithRules,
  joinThroughGroup,
  type PrivilegeBody,
  PRIVILEGES,
  startPrivilegeServer,
  UNKNOWN_ID,
} from '../../../test/test-privileges.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import type { ConditionField } from '../permissions/catalogue/condition-sets.ts'
import { umbrellaOf } from '../permissions/catalogue/legacy-actions.ts'
import { INERT_SUBJECTS, REQUESTABLE_SUBJECTS } from '../permissions/catalogue/project.ts'
import type { Subject } from '../permissions/catalogue/subject.ts'

const { server, admin, token, db, project, target, viewer, editor, outsider } = await startPrivilegeServer()
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createProject(server, elsewhere.token, { slug: 'foreign' })
const grouped = await createIdentity(server, admin)
await joinThroughGroup(db, project.id, { identityId: grouped.identityId, name: 'robots' })
const delegate = await createMemberWithRules(server, { admin, db, projectId: project.id }, [
  { subject: 'identity', action: ['read', 'edit'] },
  {
    subject: 'identity',
    action: ['assign-additional-privileges'],
    conditions: { assignableAction: { $in: ['secrets:readValue', 'secrets:describeSecret'] } },
  },
])

const READ_DEV = { subject: 'secrets', action: ['readValue'], conditions: { environment: 'dev', secretPath: '/a' } }
const TEMPORARY = {
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '2h',
  temporaryAccessStartTime: '2026-01-02T03:04:05Z',
}
const PERMANENT = { isTemporary: false }
const NO_PERIOD = {
  isTemporary: false,
  temporaryMode: null,
  temporaryRange: null,
  temporaryAccessStartTime: null,
  temporaryAccessEndTime: null,
}

let made = 0
const grant = (changes: object = {}) => ({
  identityId: target.identityId,
  projectId: project.id,
  slug: `privilege-${++made}`,
  permissions: [READ_DEV],
  type: PERMANENT,
  ...changes,
})
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(grant()).filter(([name]) => !names.includes(name)))
const rules = (...permissions: object[]) => grant({ permissions })
const temporary = (changes: object) => grant({ type: { ...TEMPORARY, ...changes } })
const create = (body: object, as: string | undefined = token) => server.post(PRIVILEGES, body, { token: as })
const read = (id: string) => server.get(`${PRIVILEGES}/${id}`, { token })

describe(`POST ${PRIVILEGES}`, () => {
  test('200 stores a permanent privilege that reads back unchanged', async () => {
    const body = grant()
    const created = await create(body)
    assert.equal(created.status, 200, created.text)
    const { id, createdAt, updatedAt, ...rest } = created.body.privilege
    assert.deepEqual(rest, { slug: body.slug, ...NO_PERIOD, permissions: [{ ...READ_DEV, inverted: false }] })
    assert.equal(createdAt, updatedAt)
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const found = await read(id)
    assert.deepEqual([found.status, found.body], [200, created.body])
    assert.deepEqual(Object.keys(created.body), ['privilege'])
  })

  test('200 stores a temporary one that ends its range after its start', async () => {
    const { status, body } = await create(grant({ type: TEMPORARY }))
    assert.equal(status, 200)
    const { isTemporary, temporaryMode, temporaryRange, ...times } = body.privilege
    assert.deepEqual([isTemporary, temporaryMode, temporaryRange], [true, 'relative', '2h'])
    assert.equal(times.temporaryAccessStartTime, '2026-01-02T03:04:05.000Z')
    assert.equal(times.temporaryAccessEndTime, '2026-01-02T05:04:05.000Z')
    assert.deepEqual((await read(body.privilege.id)).body, body)
  })

  for (const [range, end] of [
    ['30s', '2026-01-02T03:04:35.000Z'],
    ['90', '2026-01-02T03:04:05.090Z'],
    ['1y', '2027-01-02T09:04:05.000Z'],
    ['1M', '2026-01-02T03:05:05.000Z'],
  ] as const) {
    test(`200 understands the range ${range}`, async () => {
      const { status, body } = await create(temporary({ temporaryRange: range }))
      assert.deepEqual(
        [status, body.privilege.temporaryRange, body.privilege.temporaryAccessEndTime],
        [200, range, end],
      )
    })
  }

  for (const [sent, start] of [
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ] as const) {
    test(`200 understands the start ${sent}`, async () => {
      const { status, body } = await create(temporary({ temporaryAccessStartTime: sent }))
      assert.deepEqual([status, body.privilege.temporaryAccessStartTime], [200, start])
    })
  }

  test('200 makes a slug up where none is sent, each time another', async () => {
    const slugs = await Promise.all([1, 2].map(async () => (await create(without('slug'))).body.privilege.slug))
    for (const slug of slugs) assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.notEqual(slugs[0], slugs[1])
  })

  test('200 without a type is permanent, and ignores what is filled in beside a permanent one', async () => {
    const filled = { isTemporary: false, temporaryMode: '', temporaryRange: '', temporaryAccessStartTime: 'x' }
    for (const body of [without('type'), grant({ type: filled }), grant({ foo: 1, id: UNKNOWN_ID })]) {
      const { status, body: answer, text } = await create(body)
      assert.equal(status, 200, text)
      assert.notEqual(answer.privilege.id, UNKNOWN_ID)
      assert.deepEqual({ ...answer.privilege, ...NO_PERIOD }, answer.privilege)
    }
  })

  for (const [name, rule] of [
    ['one action as text', { subject: 'secrets', action: 'readValue' }],
    ['the older action read', { subject: 'secrets', action: ['read'] }],
    ['an event subscription', { subject: 'secret-event-subscriptions', action: ['subscribe-to-creation-events'] }],
    ['the condition eventType', { subject: 'secrets', action: ['readValue'], conditions: { eventType: 'x' } }],
    ['empty conditions', { subject: 'secrets', action: ['readValue'], conditions: {} }],
    ['inverted: false where nothing can be denied', { subject: 'settings', action: ['read'], inverted: false }],
  ] as [string, { subject: string; action: string | string[]; conditions?: object }][]) {
    test(`200 with ${name}`, async () => {
      const { status, body } = await create(rules(rule))
      assert.equal(status, 200)
      assert.deepEqual(body.privilege.permissions, [{ ...rule, action: [rule.action].flat(), inverted: false }])
    })
  }

  test('200 without any rule', async () => {
    const { status, body } = await create(rules())
    assert.deepEqual([status, body.privilege.permissions], [200, []])
  })

  test('200 takes ids in any case', async () => {
    const ids = { identityId: target.identityId.toUpperCase(), projectId: project.id.toUpperCase() }
    assert.equal((await create(grant(ids))).status, 200)
  })

  test('of two with one slug at the same time one is refused', async () => {
    const body = grant()
    const answers = await Promise.all([create(body), create(body)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })

  test('a slug of 60 characters fits, and another identity may have the same', async () => {
    const slug = 'a'.repeat(60)
    assert.equal((await create(grant({ slug }))).status, 200)
    assert.equal((await create(grant({ slug, identityId: viewer.identityId }))).status, 200)
    const again = await create(grant({ slug: ` ${slug} ` }))
    assert.deepEqual([again.status, again.body.error], [400, 'BadRequest'])
    assert.match(again.body.message, new RegExp(slug))
  })

  test('is recorded', async () => {
    const { body } = await create(grant({ slug: 'recorded' }))
    const logs = await auditOf(db, project.id, 'create-identity-project-additional-privilege')
    const last = logs.at(-1)
    assert.equal(last?.organizationId, admin.organizationId)
    const { privilegeId, identityId, slug, permissions } = last.eventMetadata
    assert.deepEqual([privilegeId, identityId, slug], [body.privilege.id, target.identityId, 'recorded'])
    assert.deepEqual(permissions, body.privilege.permissions)
  })

  test('a delegate grants within its conditions only, and nothing is stored when it is refused', async () => {
    assert.equal((await create(grant(), delegate.token)).status, 200)
    const refused = rules(READ_DEV, { subject: 'secrets', action: ['describeSecret', 'delete'] })
    const answer = await create(refused, delegate.token)
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionBoundaryError'])
    assert.deepEqual(answer.body.details, {
      missingPermissions: [{ action: 'assign-additional-privileges', subject: 'identity' }],
    })
    const query = { identityId: target.identityId, projectId: project.id }
    const { privileges } = (await server.get(PRIVILEGES, { token, query })).body
    assert.ok(!(privileges as PrivilegeBody[]).some(({ slug }) => slug === refused.slug))
  })

  for (const [status, error, reason, body, as] of [
    [
      400,
      'BadRequest',
      'an action stands beside its older name',
      rules({ subject: 'secrets', action: ['read', 'readValue'] }),
    ],
    [
      400,
      'BadRequest',
      'a condition does not apply to the action',
      rules({ subject: 'identity', action: ['create'], conditions: { identityId: 'x' } }),
    ],
    [
      400,
      'BadRequest',
      'a template cannot be rendered',
      rules({ ...READ_DEV, conditions: { environment: '{{#if x}}' } }),
    ],
    [
      400,
      'BadRequest',
      'the identity is in the project through a group only',
      grant({ identityId: grouped.identityId }),
    ],
    [401, 'UnauthorizedError', 'no token is sent', grant(), ''],
    [403, 'TokenError', 'the token is none', grant(), 'not-a-jwt'],
    [403, 'PermissionDenied', 'a viewer asks', grant(), viewer.token],
    [403, 'PermissionBoundaryError', 'an editor asks, who may not assign', grant(), editor.token],
    [403, 'PermissionBoundaryError', 'an editor asks for no rule at all', rules(), editor.token],
    [403, 'ProjectMembershipNotFound', 'an outsider asks', grant(), outsider.token],
    [403, 'ProjectMembershipNotFound', 'there is no such identity', grant({ identityId: UNKNOWN_ID })],
    [403, 'ProjectMembershipNotFound', 'the identity id is none', grant({ identityId: 'abc' })],
    [
      403,
      'ProjectMembershipNotFound',
      'the identity is not in the project',
      grant({ identityId: outsider.identityId }),
    ],
    [
      403,
      'ProjectMembershipNotFound',
      'the same, and an editor asks',
      grant({ identityId: outsider.identityId }),
      editor.token,
    ],
    [404, 'NotFound', 'there is no such project', grant({ projectId: UNKNOWN_ID })],
    [404, 'NotFound', 'the project id is none', grant({ projectId: 'abc' })],
    [404, 'NotFound', 'the project is of another organization', grant({ projectId: foreign.id })],
    [
      422,
      'ValidationFailure',
      'the end has five digits in its year',
      temporary({ temporaryAccessStartTime: '9999-12-31T23:00:00Z' }),
    ],
    [
      422,
      'ValidationFailure',
      'the range is longer than a hundred years',
      temporary({ temporaryRange: '99999999999999999999d' }),
    ],
    [422, 'ValidationFailure', 'the range is empty', temporary({ temporaryRange: '' })],
  ] as [number, string, string, object, string?][]) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PRIVILEGES, body, as === '' ? {} : { token: as ?? token })
      assert.deepEqual([answer.status, answer.body.statusCode, answer.body.error], [status, status, error], answer.text)
    })
  }

  for (const [reason, body, code, path] of [
    [
      'the subject is unknown',
      rules({ subject: 'nope', action: ['read'] }),
      'invalid_union_discriminator',
      'permissions.0.subject',
    ],
    ['the action is unknown', rules({ subject: 'secrets', action: ['nope'] }), 'invalid_union', 'permissions.0.action'],
    [
      'the action of a subscription is unknown',
      rules({ subject: 'secret-event-subscriptions', action: ['x'] }),
      'invalid_union',
      'permissions.0.action',
    ],
    [
      'a condition is unknown',
      rules({ ...READ_DEV, conditions: { foo: 'bar' } }),
      'unrecognized_keys',
      'permissions.0.conditions',
    ],
    [
      'an operator is unknown',
      rules({ ...READ_DEV, conditions: { environment: { $regex: 'x' } } }),
      undefined,
      'permissions.0.conditions.environment',
    ],
    [
      'a denial would be ignored',
      rules({ subject: 'settings', action: ['read'], inverted: true }),
      'invalid_literal',
      'permissions.0.inverted',
    ],
    ['there are no permissions', without('permissions'), 'invalid_type', 'permissions'],
    ['the mode is unknown', temporary({ temporaryMode: 'absolute' }), 'invalid_enum_value', 'type.temporaryMode'],
    ['the range is no duration', temporary({ temporaryRange: 'abc' }), 'custom', 'type.temporaryRange'],
    ['the range is zero', temporary({ temporaryRange: '0h' }), 'custom', 'type.temporaryRange'],
    ['the range is negative', temporary({ temporaryRange: '-1h' }), 'custom', 'type.temporaryRange'],
    [
      'the start is no time',
      temporary({ temporaryAccessStartTime: 'tomorrow' }),
      'invalid_string',
      'type.temporaryAccessStartTime',
    ],
    ['the slug is empty', grant({ slug: '' }), 'too_small', 'slug'],
    ['the slug has 61 characters', grant({ slug: 'a'.repeat(61) }), 'too_big', 'slug'],
    ['the slug has capitals and blanks', grant({ slug: 'Bad Slug' }), 'custom', 'slug'],
    ['the slug ends in a dash', grant({ slug: 'a-' }), 'custom', 'slug'],
    ['the slug leads elsewhere', grant({ slug: '../a' }), 'custom', 'slug'],
    ['the slug is an emoji', grant({ slug: '🙂' }), 'custom', 'slug'],
    ['the identity is empty', grant({ identityId: '' }), 'too_small', 'identityId'],
    ['the body is a list', [], 'invalid_type', ''],
  ] as [string, object, string | undefined, string][]) {
    test(`422 when ${reason}`, async () => {
      const answer = await create(body)
      assert.deepEqual([answer.status, answer.body.error], [422, 'ValidationFailure'], answer.text)
      const [issue] = answer.body.message
      assert.equal(issue.path.join('.'), path)
      if (code !== undefined) assert.equal(issue.code, code)
    })
  }

  test('422 names all that a temporary one lacks', async () => {
    const { status, body } = await create(grant({ type: { isTemporary: true } }))
    const missing = (body.message as { path: string[] }[]).map(({ path }) => path.join('.'))
    assert.equal(status, 422)
    assert.deepEqual(missing, ['type.temporaryMode', 'type.temporaryRange', 'type.temporaryAccessStartTime'])
  })

  for (const [status, name, payload, type] of [
    [400, 'malformed JSON', '{"a":', 'application/json'],
    [415, 'plain text', '{}', 'text/plain'],
    [415, 'XML', '<a/>', 'application/xml'],
    [422, 'an empty body', '', 'application/json'],
    [422, 'null', 'null', 'application/json'],
  ] as const) {
    test(`${status} for ${name}`, async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type }
      const answer = await server.app.http.inject({ method: 'POST', url: PRIVILEGES, headers, payload })
      assert.equal(answer.statusCode, status)
    })
  }
})

/** Everything that may be said about a field, at once. */
const fullCondition = (field: ConditionField): unknown => {
  const values = { $eq: '/a:x', $ne: '/b:x', $in: ['/c:x', '/d:x'], $all: ['/e'], $glob: '/f:*' }
  const said = Object.fromEntries(field.operators.map((operator) => [operator, values[operator]]))
  return field.kind === 'metadata' ? { $elemMatch: { key: said, value: said } } : said
}

const shapesOf = (subject: string, { actions, conditions }: Subject) => [
  // An action and its older name do not go together.
  ...[
    actions.filter((action) => umbrellaOf(subject, action) === undefined),
    actions.filter((action) => !actions.some((newer) => umbrellaOf(subject, newer) === action)).reverse(),
  ].map((action) => ({ subject, action, inverted: false })),
  ...Object.entries(conditions ?? {}).map(([field, kind]) => ({
    subject,
    action: [field.startsWith('assignable') && subject !== 'groups' ? 'grant-privileges' : actions.at(0)],
    inverted: true,
    conditions: { [field]: fullCondition(kind) },
  })),
]

describe('every shape of rule', () => {
  const catalogue = Object.entries<Subject>(REQUESTABLE_SUBJECTS)
  const inert = INERT_SUBJECTS.map((subject) => ({
    subject,
    action: ['any thing', 'x'],
    inverted: true,
    conditions: { a: { b: [1, null] } },
  }))
  for (const [subject, shapes] of [
    ...catalogue.map(([name, subject]) => [name, shapesOf(name, subject)] as const),
    ['subjects that are gone', inert] as const,
  ]) {
    test(`${subject}: comes back as it was sent`, async () => {
      const { status, body, text } = await create(rules(...shapes))
      assert.equal(status, 200, text)
      assert.deepEqual(body.privilege.permissions, shapes)
      assert.deepEqual((await read(body.privilege.id)).body, body)
    })
  }
})
