import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  joinThroughGroup,
  LEGACY_PRIVILEGES as PATH,
  PRIVILEGES,
  startPrivilegeServer,
  UNKNOWN_ID,
} from '../../../test/test-privileges.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'

const { server, admin, token, db, project, target, viewer, editor, outsider } = await startPrivilegeServer()
const elsewhere = await createOtherOrganization(server, admin)
await createProject(server, elsewhere.token, { slug: 'foreign' })
const grouped = await createIdentity(server, admin)
await joinThroughGroup(db, project.id, { identityId: grouped.identityId, name: 'robots' })

const CONDITIONS = { environment: 'dev', secretPath: { $glob: '/app/**' } }
const PERIOD = {
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: '2030-01-01T00:00:00Z',
}
const place = { identityId: target.identityId, projectSlug: 'payments' }
const secrets = (...actions: string[]) => ({
  privilegePermission: { actions, subject: 'secrets', conditions: CONDITIONS },
})
const shown = (...actions: string[]) =>
  actions.map((action) => ({ subject: 'secrets', action: [action], conditions: CONDITIONS, inverted: false }))

let made = 0
const grant = (changes: object = secrets('read')) => ({ ...place, slug: `privilege-${++made}`, ...changes })
const create = (body: object, kind = 'permanent', as: string | undefined = token) =>
  server.post(`${PATH}/${kind}`, body, { token: as })
const read = (slug: string, as = token, query: Record<string, string> = place) =>
  server.get(`${PATH}/${slug}`, { token: as, query })
const readById = async (id: string) => (await server.get(`${PRIVILEGES}/${id}`, { token })).body.privilege
const patch = (privilegeSlug: string, privilegeDetails: object, as = token) =>
  server.patch(PATH, { ...place, privilegeSlug, privilegeDetails }, { token: as })
const created = async (changes?: object, kind?: string) => {
  const { status, body, text } = await create(grant(changes), kind)
  assert.equal(status, 200, text)
  return body.privilege
}

describe(`POST ${PATH}/permanent and /temporary`, () => {
  test('200 shows one entry for each action that was asked for, and is the object of the newer words', async () => {
    const privilege = await created(secrets('read', 'write', 'edit'))
    assert.deepEqual(privilege.permissions, shown('read', 'write', 'edit'))
    assert.equal(privilege.projectMembershipId, project.id)
    assert.deepEqual([privilege.isTemporary, privilege.temporaryRange], [false, null])
    assert.deepEqual((await read(privilege.slug)).body, { privilege })

    const { permissions, projectMembershipId, ...common } = privilege
    const { permissions: rules, ...newer } = await readById(privilege.id)
    assert.deepEqual(newer, common)
    assert.ok(permissions && projectMembershipId)
    const ofSecrets = (rules as { subject: string; action: string[] }[]).filter(({ subject }) => subject === 'secrets')
    assert.deepEqual(ofSecrets, shown('read', 'create', 'edit', 'delete', 'edit'))
  })

  test('200 for a time ends its range after its start', async () => {
    const privilege = await created({ ...secrets('read'), ...PERIOD }, 'temporary')
    const { isTemporary, temporaryMode, temporaryAccessStartTime, temporaryAccessEndTime } = privilege
    assert.deepEqual(
      [isTemporary, temporaryMode, temporaryAccessStartTime, temporaryAccessEndTime],
      [true, 'relative', '2030-01-01T00:00:00.000Z', '2030-01-01T01:00:00.000Z'],
    )
    assert.deepEqual((await read(privilege.slug)).body, { privilege })
  })

  for (const [name, asked, expected] of [
    ['a single action', { action: 'edit', subject: 'secrets' }, [{ action: ['edit'] }]],
    [
      'a path that is a text',
      { actions: ['edit'], subject: 'secrets', conditions: { secretPath: '/a' } },
      [{ action: ['edit'], conditions: { secretPath: '/a' } }],
    ],
    ['no conditions', { actions: ['read'], subject: 'secrets' }, [{ action: ['read'] }]],
    [
      'empty conditions',
      { actions: ['read'], subject: 'secrets', conditions: {} },
      [{ action: ['read'], conditions: {} }],
    ],
  ] as [string, object, object[]][]) {
    test(`200 with ${name}`, async () => {
      const { permissions } = await created({ privilegePermission: asked })
      assert.deepEqual(
        permissions,
        expected.map((entry) => ({ subject: 'secrets', inverted: false, ...entry })),
      )
    })
  }

  test('200 in the oldest words, for any subject; the newer of the two win when both are said', async () => {
    const permissions = [
      { action: 'read', subject: 'secrets', conditions: CONDITIONS },
      { action: 'write', subject: 'secret-folders', conditions: { environment: 'prod' } },
      { action: 'delete', subject: 'certificate-application' },
    ]
    const asShown = permissions.map((entry) => ({ ...entry, action: [entry.action], inverted: false }))
    assert.deepEqual((await created({ permissions })).permissions, asShown)
    assert.deepEqual((await created({ permissions, ...secrets('edit') })).permissions, shown('edit'))
    assert.deepEqual((await created({ permissions: [] })).permissions, [])
  })

  test('200 makes a slug up where none is sent', async () => {
    assert.match((await created({ ...secrets('read'), slug: undefined })).slug, /^[a-z0-9]{8}$/)
  })

  test('of two with one slug at the same time one is refused', async () => {
    const body = grant()
    const answers = await Promise.all([create(body), create({ ...body, ...PERIOD }, 'temporary')])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })

  for (const [status, error, reason, body, as] of [
    [400, 'BadRequest', 'nothing is asked for', grant({}), token],
    [400, 'BadRequest', 'nothing is asked for, nowhere', grant({ projectSlug: 'no-such' }), token],
    [
      400,
      'BadRequest',
      'the identity is in the project through a group only',
      { ...grant(), identityId: grouped.identityId },
      token,
    ],
    [
      400,
      'BadRequest',
      'a template cannot be rendered',
      grant({ privilegePermission: { actions: ['read'], subject: 'secrets', conditions: { environment: '{{x}}' } } }),
      token,
    ],
    [401, 'UnauthorizedError', 'no token is sent', grant(), undefined],
    [403, 'PermissionDenied', 'a viewer asks', grant(), viewer.token],
    [403, 'PermissionBoundaryError', 'an editor asks, who may not assign', grant(), editor.token],
    [403, 'ProjectMembershipNotFound', 'an outsider asks', grant(), outsider.token],
    [
      403,
      'ProjectMembershipNotFound',
      'the identity is not in the project',
      { ...grant(), identityId: outsider.identityId },
      token,
    ],
    [404, 'NotFound', 'there is no such project', { ...grant(), projectSlug: 'no-such' }, token],
    [404, 'NotFound', 'the project is of another organization', { ...grant(), projectSlug: 'foreign' }, token],
    [422, 'ValidationFailure', 'the identity is empty', { ...grant(), identityId: '' }, token],
    [422, 'ValidationFailure', 'the slug has capitals', { ...grant(), slug: 'A' }, token],
    [422, 'ValidationFailure', 'no action is named', grant(secrets()), token],
    [
      422,
      'ValidationFailure',
      'neither actions nor action is there',
      grant({ privilegePermission: { subject: 'secrets' } }),
      token,
    ],
    [422, 'ValidationFailure', 'the action is unknown', grant(secrets('readValue')), token],
    [
      422,
      'ValidationFailure',
      'the subject is not that of secrets',
      grant({ privilegePermission: { actions: ['read'], subject: 'role' } }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'a condition is unknown',
      grant({ privilegePermission: { actions: ['read'], subject: 'secrets', conditions: { env: 'dev' } } }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'an operator is unknown',
      grant({
        privilegePermission: { actions: ['read'], subject: 'secrets', conditions: { secretPath: { $eq: '/' } } },
      }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'the path does not begin with a slash',
      grant({ privilegePermission: { actions: ['read'], subject: 'secrets', conditions: { secretPath: 'a' } } }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'it would deny',
      grant({ privilegePermission: { actions: ['read'], subject: 'secrets', inverted: true } }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'an old entry would deny',
      grant({ permissions: [{ action: 'read', subject: 'secrets', inverted: true }] }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'the subject has no such condition',
      grant({ permissions: [{ action: 'edit', subject: 'role', conditions: CONDITIONS }] }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'what loses is not valid either',
      grant({ ...secrets('read'), permissions: [{ action: 'read', subject: 'nope' }] }),
      token,
    ],
    [
      422,
      'ValidationFailure',
      'there are more than a hundred',
      grant({ permissions: Array(101).fill({ action: 'read', subject: 'role' }) }),
      token,
    ],
  ] as [number, string, string, object, string | undefined][]) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(`${PATH}/permanent`, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text)
    })
  }

  for (const [field, value] of [
    ['temporaryMode', 'absolute'],
    ['temporaryRange', '0h'],
    ['temporaryAccessStartTime', 'now'],
  ] as const) {
    test(`422 for a time without, or with a wrong ${field}`, async () => {
      for (const wrong of [undefined, value]) {
        const answer = await create({ ...grant(), ...PERIOD, [field]: wrong }, 'temporary')
        assert.deepEqual([answer.status, answer.body.message[0].path], [422, [field]])
      }
    })
  }
})

describe(`GET ${PATH}`, () => {
  test('200 of what was made in the newer words leaves out what goes with secrets', async () => {
    const rule = (subject: string, action: string) => ({ subject, action: [action], inverted: false })
    const permissions = [rule('secrets', 'readValue'), rule('secret-imports', 'read'), rule('tags', 'read')]
    const body = { identityId: target.identityId, projectId: project.id, slug: 'newer', permissions }
    await server.post(PRIVILEGES, body, { token })
    assert.deepEqual((await read('newer')).body.privilege.permissions, [permissions[0], permissions[2]])
  })

  test('200 lists all with their permissions, the oldest first', async () => {
    const { identityId } = viewer
    const body = { ...grant(secrets('read')), identityId }
    const first = (await create(body)).body.privilege
    const second = (await create({ ...body, ...secrets('edit'), slug: 'second' })).body.privilege
    const listed = await server.get(PATH, { token, query: { identityId, projectSlug: 'payments' } })
    assert.deepEqual([listed.status, listed.body], [200, { privileges: [first, second] }])
    const nothing = await server.get(PATH, { token, query: { identityId: 'abc', projectSlug: 'payments' } })
    assert.deepEqual([nothing.status, nothing.body], [200, { privileges: [] }])
  })

  test('401, 403, 404 and 422 as everywhere, of one and of all', async () => {
    const { slug } = await created()
    for (const path of [PATH, `${PATH}/${slug}`]) {
      const status = async (as?: string, changes: object = {}) =>
        (await server.get(path, { token: as, query: { ...place, ...changes } })).status
      assert.equal(await status(), 401)
      assert.equal(await status(target.token), 403)
      assert.equal(await status(outsider.token), 403)
      assert.equal(await status(token, { projectSlug: 'foreign' }), 404)
      assert.equal(await status(token, { projectSlug: '' }), 422)
      assert.equal(await status(token, { identityId: '' }), 422)
    }
    assert.equal((await read('none')).status, 404)
    assert.equal((await read(slug, token, { ...place, identityId: UNKNOWN_ID })).status, 404)
    assert.equal((await read('none', outsider.token)).body.error, 'ProjectMembershipNotFound')
  })
})

describe(`PATCH ${PATH}`, () => {
  const changed = async (slug: string, details: object) => {
    const answer = await patch(slug, details)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual((await read(answer.body.privilege.slug)).body, answer.body)
    return answer.body.privilege
  }

  test('200 replaces the permissions, renames, and keeps the rest', async () => {
    const before = await created({ ...secrets('read'), ...PERIOD }, 'temporary')
    const after = await changed(before.slug, { ...secrets('write'), slug: 'renamed-here' })
    const { updatedAt } = after
    assert.deepEqual(after, { ...before, slug: 'renamed-here', permissions: shown('write'), updatedAt })
    assert.equal((await read(before.slug)).status, 404)
    const logs = await auditOf(db, project.id, 'update-identity-project-additional-privilege')
    assert.equal(logs.at(-1)?.eventMetadata['privilegeId'], before.id)
  })

  test('200 switches between permanent and temporary', async () => {
    const before = await created()
    const lasting = await changed(before.slug, { ...secrets('read'), ...PERIOD, isTemporary: true })
    assert.deepEqual([lasting.isTemporary, lasting.temporaryAccessEndTime], [true, '2030-01-01T01:00:00.000Z'])
    const longer = await changed(before.slug, { ...secrets('read'), temporaryRange: '2h' })
    assert.deepEqual([longer.isTemporary, longer.temporaryAccessEndTime], [true, '2030-01-01T02:00:00.000Z'])
    const filled = {
      isTemporary: false,
      temporaryMode: '',
      temporaryRange: '',
      temporaryAccessStartTime: '0001-01-01T00:00:00Z',
    }
    const again = await changed(before.slug, { ...secrets('read'), ...filled })
    assert.deepEqual(again, { ...before, updatedAt: again.updatedAt })
  })

  test('what was changed in the newer words is shown as it is there', async () => {
    const { id, slug } = await created(secrets('write'))
    const permissions = [{ subject: 'secrets', action: ['edit'], inverted: false }]
    await server.patch(`${PRIVILEGES}/${id}`, { slug: 'newer-words' }, { token })
    assert.deepEqual((await read('newer-words')).body.privilege.permissions, shown('write'))
    await server.patch(`${PRIVILEGES}/${id}`, { slug, permissions }, { token })
    assert.deepEqual((await read(slug)).body.privilege.permissions, permissions)
  })

  test('400, 403, 404 and 422', async () => {
    const { slug } = await created()
    const other = await created()
    for (const [status, at, details, as] of [
      [400, slug, {}, token],
      [400, slug, { ...secrets('read'), isTemporary: true }, token],
      [400, slug, { ...secrets('read'), isTemporary: true, temporaryRange: '1h' }, token],
      [400, slug, { ...secrets('read'), slug: other.slug }, token],
      [403, slug, secrets('read'), viewer.token],
      [403, slug, secrets('read'), editor.token],
      [403, slug, secrets('read'), outsider.token],
      [404, 'none', secrets('read'), token],
      [422, slug, { ...secrets('read'), slug: 'A' }, token],
      [422, slug, { ...secrets('read'), isTemporary: true, temporaryRange: '' }, token],
      [422, '', secrets('read'), token],
    ] as const) {
      assert.equal((await patch(at, details, as)).status, status, JSON.stringify([at, details]))
    }
    assert.equal((await server.patch(PATH, { ...place, privilegeSlug: slug }, { token })).status, 422)
  })
})

describe(`DELETE ${PATH}`, () => {
  const remove = (privilegeSlug: string, as?: string, changes: object = {}) =>
    server.delete(PATH, { token: as, body: { ...place, privilegeSlug, ...changes } })

  test('200 answers what is gone', async () => {
    const privilege = await created()
    const { status, body } = await remove(privilege.slug, token)
    assert.deepEqual([status, body], [200, { privilege }])
    assert.equal((await remove(privilege.slug, token)).status, 404)
    assert.equal((await server.get(`${PRIVILEGES}/${privilege.id}`, { token })).status, 404)
  })

  test('401, 403, 404 and 422, and nothing is gone', async () => {
    const { slug } = await created()
    assert.equal((await remove(slug)).status, 401)
    assert.equal((await remove(slug, viewer.token)).status, 403)
    assert.equal((await remove(slug, outsider.token)).status, 403)
    assert.equal((await remove(slug, token, { identityId: viewer.identityId })).status, 404)
    assert.equal((await remove(slug, token, { projectSlug: 'foreign' })).status, 404)
    assert.equal((await remove(slug, token, { identityId: '' })).status, 422)
    assert.equal((await server.delete(PATH, { token })).status, 422)
    assert.equal((await read(slug)).status, 200)
  })
})
