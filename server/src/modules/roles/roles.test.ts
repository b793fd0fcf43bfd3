import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBeside } from '../../../test/test-database.ts'
import { createGroup, createProjectMember, fresh, joinAsIdentity, UNKNOWN_ID } from '../../../test/test-members.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'
import { assertEndsWithinASecond } from '../../../test/within-a-second.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const beside = openBeside(server.url)

const project = await createProject(server, token, { slug: 'payments' })
const keys = await createProject(server, token, { type: 'kms' })
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createProject(server, elsewhere.token, { slug: 'foreign' })
const viewer = await createProjectMember(server, admin, project.id, 'viewer')
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const stranger = await createIdentity(server, admin)

const RULES = [
  { subject: 'secrets', action: ['readValue', 'describeSecret'], inverted: false, conditions: { environment: 'dev' } },
  { subject: 'role', action: ['read'], inverted: false },
]
const pathsOf = (projectId: string) => [`/api/v1/projects/${projectId}/roles`, `/api/v2/workspace/${projectId}/roles`]
const role = (changes: object = {}) => ({ slug: fresh('role'), name: 'A role', permissions: RULES, ...changes })
const [PATH = '', OLDER_PATH = ''] = pathsOf(project.id)
const create = async (changes: object = {}) => (await server.post(PATH, role(changes), { token })).body.role

for (const path of [PATH, OLDER_PATH]) {
  describe(`roles under ${path.replace(project.id, '{projectId}')}`, () => {
    test('200 are made, read, changed and deleted', async () => {
      const given = role({ description: 'For tests' })
      const created = await server.post(path, { ...given, ProjectId: 'x' }, { token })
      assert.equal(created.status, 200)
      const { id, createdAt, updatedAt, ...rest } = created.body.role
      assert.deepEqual(rest, { ...given, projectId: project.id })
      assert.ok(createdAt && updatedAt)

      const bySlug = await server.get(`${path}/slug/${given.slug}`, { token: viewer.token })
      assert.deepEqual(bySlug.body, created.body)
      assert.deepEqual((await server.get(`/api/v1/projects/roles/${id}`, { token })).body, created.body)

      const slug = fresh('renamed')
      const permissions = [{ subject: 'tags', action: 'read' }]
      const changed = await server.patch(`${path}/${id}`, { slug, permissions }, { token })
      const expected = [{ subject: 'tags', action: ['read'], inverted: false }]
      const { name, description } = changed.body.role
      assert.deepEqual([name, description, changed.body.role.permissions], ['A role', 'For tests', expected])
      const untouched = await server.patch(`${path}/${id}`, {}, { token })
      assert.deepEqual([untouched.status, untouched.body.role.slug], [200, slug])

      const deleted = await server.delete(`${path}/${id}`, { token })
      assert.deepEqual([deleted.status, deleted.body.role.slug], [200, slug])
      assert.equal((await server.get(`${path}/slug/${slug}`, { token })).status, 404)
    })

    test('200 are listed behind the predefined ones, without their rules', async () => {
      const { status, body } = await server.get(path, { token: viewer.token })
      assert.equal(status, 200)
      const slugs = body.roles.map(({ slug }: { slug: string }) => slug)
      assert.deepEqual(slugs.slice(0, 4), ['admin', 'member', 'viewer', 'no-access'])
      assert.deepEqual(slugs.slice(4), slugs.slice(4).toSorted())
      assert.ok(body.roles.every((listed: object) => !('permissions' in listed)))
      assert.deepEqual((await server.get(path, { token })).body, body)
    })

    for (const [status, error, reason, as, body] of [
      [
        400,
        'BadRequest',
        'two actions do not go together',
        token,
        role({ permissions: [{ subject: 'secrets', action: ['read', 'readValue'] }] }),
      ],
      [
        400,
        'BadRequest',
        'a condition is not for the action',
        token,
        role({ permissions: [{ subject: 'identity', action: 'create', conditions: { identityId: 'x' } }] }),
      ],
      [
        400,
        'BadRequest',
        'a template cannot be rendered',
        token,
        role({ permissions: [{ subject: 'secrets', action: 'read', conditions: { environment: '{{#if x}}' } }] }),
      ],
      [401, 'UnauthorizedError', 'no token is sent', undefined, role()],
      [403, 'PermissionDenied', 'the actor may not create roles', viewer.token, role()],
      [403, 'ProjectMembershipNotFound', 'the actor is not in the project', stranger.token, role()],
      [422, 'ValidationFailure', 'the slug is reserved', token, role({ slug: 'admin' })],
      [422, 'ValidationFailure', 'the slug stands for custom roles', token, role({ slug: 'custom' })],
      [422, 'ValidationFailure', 'the slug is too long', token, role({ slug: 'a'.repeat(65) })],
      [422, 'ValidationFailure', 'the name is empty', token, role({ name: '' })],
      [422, 'ValidationFailure', 'there are no rules', token, { slug: 'x', name: 'x' }],
      [
        422,
        'ValidationFailure',
        'a condition is unknown',
        token,
        role({ permissions: [{ subject: 'secrets', action: 'read', conditions: { env: 'dev' } }] }),
      ],
      [
        422,
        'ValidationFailure',
        'a deny would have no effect',
        token,
        role({ permissions: [{ subject: 'role', action: 'read', inverted: true }] }),
      ],
    ] as const) {
      test(`POST ${status} when ${reason}`, async () => {
        const answer = await server.post(path, body, { token: as })
        assert.deepEqual([answer.status, answer.body.error], [status, error])
      })
    }

    test('PATCH and DELETE: 403 without the right, 404 for a role of another project or none', async () => {
      const { id } = await create()
      assert.equal((await server.patch(`${path}/${id}`, { name: 'x' }, { token: viewer.token })).status, 403)
      assert.equal((await server.delete(`${path}/${id}`, { token: viewer.token })).status, 403)
      const abroad = await server.post(`/api/v1/projects/${foreign.id}/roles`, role(), { token: elsewhere.token })
      for (const unknown of [UNKNOWN_ID, 'x', abroad.body.role.id as string]) {
        assert.equal((await server.patch(`${path}/${unknown}`, { name: 'x' }, { token })).status, 404)
        assert.equal((await server.delete(`${path}/${unknown}`, { token })).status, 404)
      }
    })

    test('400 for a slug that is taken, decided once when two come at the same time', async () => {
      const body = role()
      const answers = await Promise.all([server.post(path, body, { token }), server.post(path, body, { token })])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
      const { id } = await create()
      const taken = await server.patch(`${path}/${id}`, { slug: body.slug }, { token })
      assert.deepEqual([taken.status, taken.body.error], [400, 'BadRequest'])
    })
  })
}

describe('the predefined roles', () => {
  test('200 by slug with their rules, always the same', async () => {
    const read = async (slug: string, path = PATH) => (await server.get(`${path}/slug/${slug}`, { token })).body.role
    const shown = await read('admin')
    assert.equal(shown.permissions.length, 52)
    assert.deepEqual(await read('admin', OLDER_PATH), shown)
    const { createdAt } = (await server.get(`/api/v1/projects/${project.id}`, { token })).body.project
    assert.deepEqual([shown.createdAt, shown.updatedAt, shown.projectId], [createdAt, createdAt, project.id])
    assert.deepEqual((await read('no-access')).permissions, [])
  })

  test('include the one for keys only where there are keys', async () => {
    const { roles } = (await server.get(`/api/v1/projects/${keys.id}/roles`, { token })).body
    assert.deepEqual(
      roles.map(({ slug }: { slug: string }) => slug),
      ['admin', 'member', 'cryptographic-operator', 'viewer', 'no-access'],
    )
    assert.equal((await server.get(`${PATH}/slug/cryptographic-operator`, { token })).status, 200)
  })

  test('400 for the word that stands for custom ones, 404 for an unknown one, 403 without the right', async () => {
    assert.equal((await server.get(`${PATH}/slug/custom`, { token })).status, 400)
    assert.equal((await server.get(`${PATH}/slug/nonsense`, { token })).status, 404)
    assert.equal((await server.get(`${PATH}/slug/admin`, { token: powerless.token })).status, 403)
    assert.equal((await server.get(PATH, { token: powerless.token })).status, 403)
  })
})

describe('GET /api/v1/projects/roles/{roleId}', () => {
  test('403 for someone outside the project, 404 for another organization, 422 for what is no id', async () => {
    const { id } = await create()
    const read = (which: string, as: string) => server.get(`/api/v1/projects/roles/${which}`, { token: as })
    assert.equal((await read(id, stranger.token)).body.error, 'ProjectMembershipNotFound')
    assert.equal((await read(id, elsewhere.token)).status, 404)
    assert.equal((await read(UNKNOWN_ID, token)).status, 404)
    assert.equal((await read('x', token)).status, 422)
  })
})

describe('a role that is held', () => {
  test('400 cannot be deleted; all kinds of members are counted', async () => {
    const { id, slug } = await create()
    const member = await createIdentity(server, admin)
    await joinAsIdentity(server, admin, project.id, { identityId: member.identityId, role: slug })
    const one = await server.delete(`${PATH}/${id}`, { token })
    assert.equal(one.status, 400)
    assert.match(one.body.message, /assigned to 1 membership:/)
    const group = await createGroup(server, admin)
    const path = `/api/v1/projects/${project.id}/memberships/groups/${group.id}`
    await server.post(path, { role: slug }, { token })
    assert.match((await server.delete(`${PATH}/${id}`, { token })).body.message, /assigned to 2 memberships/)
    await server.delete(path, { token })
    await server.delete(`/api/v1/projects/${project.id}/memberships/identities/${member.identityId}`, { token })
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 200)
  })

  test('is either deleted or given, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, slug } = await create()
      const { identityId } = await createIdentity(server, admin)
      const join = `/api/v1/projects/${project.id}/memberships/identities/${identityId}`
      const [deleted, joined] = await Promise.all([
        server.delete(`${PATH}/${id}`, { token }),
        server.post(join, { role: slug }, { token }),
      ])
      assert.ok(
        (deleted.status === 200 && joined.status === 404) || (deleted.status === 400 && joined.status === 200),
        `${deleted.status} ${joined.status}`,
      )
    }
  })

  test('counts with its new rules at once, and within a second in another process', async () => {
    const other = await startServerOn(server.url)
    try {
      const { id, slug } = await create({ permissions: [{ subject: 'role', action: 'read' }] })
      const member = await createIdentity(server, admin)
      await joinAsIdentity(server, admin, project.id, { identityId: member.identityId, role: slug })
      const look = (at: typeof server) => at.get(PATH, { token: member.token })
      assert.deepEqual([(await look(server)).status, (await look(other)).status], [200, 200])
      await server.patch(`${PATH}/${id}`, { permissions: [] }, { token })
      assert.equal((await look(server)).status, 403)
      await assertEndsWithinASecond(async () => (await look(other)).status === 200)
    } finally {
      await other.stop()
    }
  })

  test('every change of one is recorded, with its rules in the terse form', async () => {
    const { id, slug } = await create({ description: 'd' })
    await server.patch(`${PATH}/${id}`, { permissions: [] }, { token })
    await server.delete(`${PATH}/${id}`, { token })
    const recorded = async (type: string) =>
      (await auditOf(beside.pool, project.id, type)).map((row) => row.eventMetadata).find((m) => m['roleId'] === id)
    const permissions = '[["readValue,describeSecret","secrets",{"environment":"dev"}],["read","role"]]'
    const common = { roleId: id, slug, name: 'A role' }
    assert.deepEqual(await recorded('create-project-role'), { ...common, description: 'd', permissions })
    assert.deepEqual(await recorded('update-project-role'), { ...common, description: 'd', permissions: '[]' })
    assert.deepEqual(await recorded('delete-project-role'), common)
  })
})

describe('roles in the older words, under /api/v1/workspace/{projectSlug}/roles', () => {
  const path = '/api/v1/workspace/payments/roles'
  const older = (action: string) => ({
    action,
    subject: 'secrets',
    conditions: { environment: 'dev', secretPath: { $glob: '/app/**' } },
  })
  const shown = (action: string) => ({ ...older(action), action: [action], inverted: false })

  test('200 read back as they were given, and in the newer words with all that comes along', async () => {
    const slug = fresh('older')
    const created = await server.post(
      path,
      { slug, name: 'Older', permissions: [older('read'), older('edit')] },
      { token },
    )
    assert.equal(created.status, 200)
    assert.deepEqual(created.body.role.permissions, [shown('read'), shown('edit')])
    const { id } = created.body.role
    assert.deepEqual((await server.get(`${path}/slug/${slug}`, { token })).body, created.body)
    const newer = (await server.get(`${PATH}/slug/${slug}`, { token })).body.role.permissions
    assert.deepEqual(
      newer.map(({ subject, action }: { subject: string; action: string[] }) => `${subject} ${action.join('+')}`),
      [
        'secrets read',
        'secrets edit',
        'secret-imports read',
        'secret-imports edit',
        'dynamic-secrets read-root-credential',
        'dynamic-secrets edit-root-credential+lease',
        'secret-folders edit',
      ],
    )
    const changed = await server.patch(`${path}/${id}`, { permissions: [older('delete')] }, { token })
    assert.deepEqual(changed.body.role.permissions, [shown('delete')])
    const renamed = await server.patch(`${path}/${id}`, { name: 'Renamed' }, { token })
    assert.deepEqual([renamed.body.role.name, renamed.body.role.permissions], ['Renamed', [shown('delete')]])
    const { roles } = (await server.get(path, { token })).body
    assert.ok(roles.some((listed: { slug: string }) => listed.slug === slug))
    assert.equal((await server.delete(`${path}/${id}`, { token })).status, 200)
  })

  test('403, 404 and 422 as elsewhere', async () => {
    const body = { slug: fresh('x'), name: 'x', permissions: [older('read')] }
    assert.equal((await server.post(path, body, { token: viewer.token })).status, 403)
    assert.equal((await server.post('/api/v1/workspace/foreign/roles', body, { token })).status, 404)
    assert.equal((await server.get('/api/v1/workspace/nothing/roles', { token })).status, 404)
    assert.equal((await server.patch(`${path}/${UNKNOWN_ID}`, {}, { token })).status, 404)
    assert.equal((await server.delete(`${path}/x`, { token })).status, 404)
    const unknown = { ...body, permissions: [older('readValue')] }
    assert.equal((await server.post(path, unknown, { token })).status, 422)
  })
})
