import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { createProjectMember, createRole, refusal, UNKNOWN_ID } from '../../../test/test-members.ts'
import { logIn } from '../../../test/test-people.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'
import { assertEndsWithinASecond } from '../../../test/within-a-second.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const beside = openBeside(server.url)

const project = await createProject(server, token, { projectName: 'Payments' })
const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createIdentity(server, elsewhere)
const custom = await createRole(server, admin, project.id, { subject: 'tags', action: 'read' })
const viewer = await createProjectMember(server, admin, project.id, 'viewer')
const member = await createProjectMember(server, admin, project.id, 'member')
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const stranger = await createIdentity(server, admin)

const PATH = `/api/v1/projects/${project.id}/memberships/identities`
const OLDER = [
  `/api/v2/workspace/${project.id}/identity-memberships`,
  `/api/v1/projects/${project.id}/identity-memberships`,
]
const temporary = (role: string, start: number) => ({
  role,
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: new Date(start).toISOString(),
})

const joined = async (body: object = { role: 'viewer' }) => {
  const identity = await createIdentity(server, admin, { name: 'joined', role: 'no-access' })
  assert.equal((await server.post(`${PATH}/${identity.identityId}`, body, { token })).status, 200)
  return identity
}
const recorded = async (type: string, identityId: string) =>
  (await auditOf(beside.pool, project.id, type))
    .map(({ eventMetadata }) => eventMetadata)
    .filter((metadata) => metadata['identityId'] === identityId)

for (const path of [PATH, ...OLDER]) {
  describe(`identities under ${path.replace(project.id, '{projectId}')}`, () => {
    test('200 join, are read, changed and removed, and every change is recorded', async () => {
      const { identityId } = await createIdentity(server, admin, { name: 'Deployer' })
      const one = `${path}/${identityId}`
      const added = await server.post(one, { role: 'viewer', identityId: 'x', projectId: 'x' }, { token })
      assert.equal(added.status, 200)
      const { id, createdAt, updatedAt, ...rest } = added.body.identityMembership
      assert.deepEqual(rest, { projectId: project.id, identityId })

      const shown = (await server.get(one, { token: viewer.token })).body.identityMembership
      assert.deepEqual([shown.id, shown.createdAt, shown.updatedAt], [id, createdAt, updatedAt])
      assert.deepEqual(shown.identity, {
        id: identityId,
        name: 'Deployer',
        hasDeleteProtection: false,
        orgId: organizationId,
        projectId: null,
        authMethods: ['token-auth'],
        activeLockoutAuthMethods: [],
        metadata: [],
      })
      assert.deepEqual(shown.project, { id: project.id, name: 'Payments', type: 'secret-manager' })
      assert.deepEqual([shown.roles.length, shown.roles[0].role], [1, 'viewer'])

      const roles = [{ role: custom.slug }, temporary('member', Date.now())]
      const { body } = await server.patch(one, { roles }, { token })
      if (path === PATH) assert.equal(body.identityMembership.id, id)
      else assert.deepEqual([body.roles[0].customRoleId, body.roles[1].role], [custom.id, 'member'])
      const after = (await server.get(one, { token })).body.identityMembership
      assert.deepEqual(
        after.roles.map(({ customRoleSlug, role }: Record<string, string>) => customRoleSlug ?? role),
        [custom.slug, 'member'],
      )
      assert.equal((await server.delete(one, { token })).body.identityMembership.id, id)
      assert.equal((await server.get(one, { token })).status, 404)

      const [created] = await recorded('create-identity-project-membership', identityId)
      assert.deepEqual(created, { identityId, roles: [{ role: 'viewer', isTemporary: false }] })
      assert.equal((await recorded('update-identity-project-membership', identityId)).length, 1)
      assert.deepEqual(await recorded('delete-identity-project-membership', identityId), [{ identityId }])
    })

    test('200 are listed by name, all of them when no limit is given', async () => {
      for (let number = 0; number < 3; number++) await joined()
      const { identityMemberships, totalCount } = (await server.get(path, { token })).body
      assert.equal(identityMemberships.length, totalCount)
      const names = identityMemberships.map(({ identity }: { identity: { name: string } }) =>
        identity.name.toLowerCase(),
      )
      assert.deepEqual(names, names.toSorted())
      const page = (await server.get(path, { token, query: { limit: '2', offset: '1' } })).body
      assert.deepEqual([page.identityMemberships.length, page.totalCount], [2, totalCount])
      assert.deepEqual(page.identityMemberships[0], identityMemberships[1])
      const search: Record<string, string> = { [path === PATH ? 'identityName' : 'search']: 'JOIN' }
      const found = (await server.get(path, { token, query: search })).body
      assert.ok(found.totalCount >= 3 && found.totalCount < totalCount)
      assert.equal((await server.get(path, { token, query: { limit: '0' } })).status, 422)
    })

    test('POST: 400 twice, for one that is unknown or owned by a project, without a permanent role', async () => {
      const { identityId } = await joined()
      assert.equal((await server.post(`${path}/${identityId}`, {}, { token })).status, 400)
      const owned = await server.post(`/api/v1/projects/${project.id}/identities`, { name: 'owned' }, { token })
      for (const id of [UNKNOWN_ID, 'x', foreign.identityId, owned.body.identity.id as string]) {
        const answer = await server.post(`${path}/${id}`, {}, { token })
        assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
      }
      const late = await createIdentity(server, admin)
      const body = { roles: [temporary('viewer', Date.now())] }
      assert.equal((await server.post(`${path}/${late.identityId}`, body, { token })).status, 400)
      assert.equal((await server.post(`${path}/${late.identityId}`, { role: 'nonsense' }, { token })).status, 404)
    })

    test('403 without the right, or beyond what may be assigned', async () => {
      const { identityId } = await joined()
      const fresh = await createIdentity(server, admin)
      assert.equal((await server.get(path, { token: powerless.token })).body.error, 'PermissionDenied')
      assert.equal((await server.get(`${path}/${identityId}`, { token: powerless.token })).status, 403)
      assert.equal((await server.post(`${path}/${fresh.identityId}`, {}, { token: viewer.token })).status, 403)
      const roles = [{ role: 'viewer' }]
      assert.equal((await server.patch(`${path}/${identityId}`, { roles }, { token: viewer.token })).status, 403)
      assert.equal((await server.delete(`${path}/${identityId}`, { token: viewer.token })).status, 403)
      const outside = await server.get(`${path}/${identityId}`, { token: stranger.token })
      assert.equal(outside.body.error, 'ProjectMembershipNotFound')
      // A member may edit identities, and may yet not give them roles.
      for (const answer of [
        await server.patch(`${path}/${identityId}`, { roles: [{ role: 'admin' }] }, { token: member.token }),
        await server.post(`${path}/${fresh.identityId}`, { role: 'viewer' }, { token: member.token }),
      ]) {
        assert.deepEqual(refusal(answer), [
          403,
          'PermissionBoundaryError',
          [{ action: 'assign-role', subject: 'identity' }],
        ])
      }
    })

    test('PATCH and DELETE: 404 for one that is unknown, 400 for one that is not in the project', async () => {
      const roles = [{ role: 'viewer' }]
      for (const [id, status] of [
        [UNKNOWN_ID, 404],
        [foreign.identityId, 404],
        ['x', 404],
        [stranger.identityId, 400],
      ] as const) {
        assert.equal((await server.patch(`${path}/${id}`, { roles }, { token })).status, status)
        assert.equal((await server.delete(`${path}/${id}`, { token })).status, status)
        assert.equal((await server.get(`${path}/${id}`, { token })).status, 404)
      }
      assert.equal((await server.patch(`${path}/${stranger.identityId}`, { roles: [] }, { token })).status, 422)
    })
  })
}

describe('conditions on the id of an identity', () => {
  test('hold for what is read, changed, given and removed, however the id is written', async () => {
    const mine = await joined()
    const theirs = await joined()
    const keeper = await createProjectMember(server, admin, project.id, {
      subject: 'identity',
      action: ['read', 'edit', 'delete'],
      conditions: { identityId: { $ne: theirs.identityId } },
    })
    const as = { token: keeper.token }
    const { identityMemberships } = (await server.get(PATH, as)).body
    const ids = identityMemberships.map(({ identityId }: { identityId: string }) => identityId)
    assert.deepEqual([ids.includes(mine.identityId), ids.includes(theirs.identityId)], [true, false])
    const roles = [{ role: 'no-access' }]
    assert.equal((await server.patch(`${PATH}/${mine.identityId}`, { roles }, as)).status, 200)
    for (const id of [theirs.identityId, theirs.identityId.toUpperCase()]) {
      for (const answer of [
        await server.get(`${PATH}/${id}`, as),
        await server.patch(`${PATH}/${id}`, { roles }, as),
        await server.delete(`${PATH}/${id}`, as),
      ]) {
        assert.ok([403, 404].includes(answer.status))
      }
    }
    assert.equal((await server.get(`${PATH}/${theirs.identityId}`, { token })).status, 200)
  })
})

describe('a membership by its id', () => {
  for (const path of ['/api/v2/workspace/identity-memberships', '/api/v1/projects/identity-memberships']) {
    test(`200 GET ${path}/{id}, 403 without the right, 404 for any other`, async () => {
      const { identityId } = await joined()
      const { identityMembership } = (await server.get(`${PATH}/${identityId}`, { token })).body
      const { body } = await server.get(`${path}/${identityMembership.id}`, { token })
      assert.deepEqual(body, { identityMembership })
      assert.equal((await server.get(`${path}/${identityMembership.id}`, { token: powerless.token })).status, 403)
      for (const [id, as] of [
        [identityMembership.id, elsewhere.token],
        [UNKNOWN_ID, token],
        ['x', token],
      ]) {
        assert.equal((await server.get(`${path}/${id}`, { token: as })).status, 404)
      }
    })
  }
})

describe('the other lists', () => {
  test('200 the identities that could still join, for people alone', async () => {
    const path = `/api/v1/projects/${project.id}/memberships/available-identities`
    const asPerson = await logIn(server, admin)
    assert.equal((await server.get(path, { token: asPerson })).body.error, 'ProjectMembershipNotFound')
    await server.post(`/api/v1/organization-admin/projects/${project.id}/grant-admin-access`, undefined, {
      token: asPerson,
    })
    const { identities } = (await server.get(path, { token: asPerson })).body
    const ids = identities.map(({ id }: { id: string }) => id)
    assert.deepEqual([ids.includes(stranger.identityId), ids.includes(viewer.identityId)], [true, false])
    assert.equal((await server.get(path, { token })).status, 403)
  })

  test('200 filtered by roles', async () => {
    const { identityId } = await joined({ role: custom.slug })
    const query = { roles: `${custom.slug}, nonsense` }
    const { identityMemberships } = (await server.get(PATH, { token, query })).body
    assert.deepEqual(
      identityMemberships.map((membership: { identityId: string }) => membership.identityId),
      [identityId],
    )
  })

  test('200 the projects of an identity; 403 without the right in the organization, 404 for an unknown one', async () => {
    const path = (id: string) => `/api/v1/identities/${id}/identity-memberships`
    const { body } = await server.get(path(viewer.identityId), { token })
    assert.deepEqual(
      body.identityMemberships.map(
        ({ project: { id }, roles }: { project: { id: string }; roles: { role: string }[] }) => [id, roles[0]?.role],
      ),
      [[project.id, 'viewer']],
    )
    assert.equal((await server.get(path(viewer.identityId), { token: viewer.token })).status, 403)
    assert.equal((await server.get(path(foreign.identityId), { token })).status, 404)
    assert.equal((await server.get(path('x'), { token })).status, 404)
  })
})

describe('what a membership gives', () => {
  const look = (as: string, at = server) => at.get(`/api/v1/projects/${project.id}/roles`, { token: as })

  test('a temporary role counts from its start until just before its end', async () => {
    const now = server.clock.now()
    const { identityId, token: as } = await joined({ role: 'no-access' })
    const roles = [{ role: 'no-access' }, temporary('viewer', now + 60_000)]
    await server.patch(`${PATH}/${identityId}`, { roles }, { token })
    assert.equal((await look(as)).status, 403)
    server.clock.advance(60_000)
    assert.equal((await look(as)).status, 200)
    server.clock.advance(3_600_000)
    assert.equal((await look(as)).status, 403)
    const { identityMembership } = (await server.get(`${PATH}/${identityId}`, { token })).body
    assert.equal(identityMembership.roles.length, 2)
    server.clock.advance(-3_660_000)
  })

  test('ends with it, within a second in another process, and takes additional privileges along', async () => {
    const other = await startServerOn(server.url)
    try {
      const { identityId, token: as } = await joined()
      await sql`
        insert into identity_privileges (id, project_id, identity_id, slug, permissions)
        values (gen_random_uuid(), ${project.id}, ${identityId}, 'x', '[]')`.execute(beside.pool)
      assert.deepEqual([(await look(as)).status, (await look(as, other)).status], [200, 200])
      await server.delete(`${PATH}/${identityId}`, { token })
      assert.equal((await look(as)).body.error, 'ProjectMembershipNotFound')
      await assertEndsWithinASecond(async () => (await look(as, other)).status === 200)
      const { rows } = await sql`select from identity_privileges where identity_id = ${identityId}`.execute(beside.pool)
      assert.equal(rows.length, 0)
    } finally {
      await other.stop()
    }
  })

  test('a right to assign roles that another process has just given counts at once', async () => {
    const other = await startServerOn(server.url)
    try {
      const giver = await joined({ role: 'member' })
      const roles = [{ role: 'viewer' }]
      const assign = async () => other.patch(`${PATH}/${target.identityId}`, { roles }, { token: giver.token })
      const target = await joined()
      assert.equal((await assign()).body.error, 'PermissionBoundaryError')
      await server.patch(`${PATH}/${giver.identityId}`, { roles: [{ role: 'admin' }] }, { token })
      assert.equal((await assign()).status, 200)
    } finally {
      await other.stop()
    }
  })
})
