import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createProjectMember, refusal, UNKNOWN_ID } from '../../../test/test-members.ts'
import { createIdentity, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const project = await createProject(server, token)
const other = await createProject(server, token)
const certificates = await createProject(server, token, { type: 'cert-manager' })
const viewer = await createProjectMember(server, admin, project.id, 'viewer')
const member = await createProjectMember(server, admin, project.id, 'member')
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const stranger = await createIdentity(server, admin)

const PATH = `/api/v1/projects/${project.id}/identities`
const create = async (body: object = {}, path = PATH) =>
  (await server.post(path, { name: 'Owned', ...body }, { token })).body.identity
const rolesOf = async (identityId: string, projectId = project.id) => {
  const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
  const { identityMembership } = (await server.get(path, { token })).body
  return identityMembership.roles.map(({ role }: { role: string }) => role)
}

describe('identities that a project owns', () => {
  test('200 are made, read, changed and deleted there', async () => {
    const body = { name: ' Owned ', metadata: [{ key: 'team', value: 'blue' }] }
    const created = await server.post(PATH, body, { token: member.token })
    assert.equal(created.status, 200)
    const { id, createdAt, updatedAt, metadata, ...rest } = created.body.identity
    assert.ok(createdAt && updatedAt)
    assert.deepEqual(rest, {
      name: 'Owned',
      orgId: organizationId,
      projectId: project.id,
      hasDeleteProtection: false,
      authMethods: [],
      activeLockoutAuthMethods: [],
    })
    assert.deepEqual([metadata[0].key, metadata[0].value], ['team', 'blue'])
    assert.deepEqual(await rolesOf(id), ['no-access'])
    assert.deepEqual((await server.get(`${PATH}/${id}`, { token: viewer.token })).body, created.body)

    const changed = await server.patch(`${PATH}/${id}`, { name: 'Renamed', metadata: [] }, { token: member.token })
    assert.deepEqual([changed.body.identity.name, changed.body.identity.metadata], ['Renamed', []])
    assert.equal((await server.patch(`${PATH}/${id}`, {}, { token })).body.identity.name, 'Renamed')
    const deleted = await server.delete(`${PATH}/${id}`, { token: member.token })
    assert.deepEqual([deleted.status, deleted.body.identity.id], [200, id])
    assert.equal((await server.get(`${PATH}/${id}`, { token })).status, 404)
  })

  test('200 are listed by name, searched and paged', async () => {
    for (const name of ['List b', 'list A', 'List c']) await create({ name })
    const { identities, totalCount } = (await server.get(PATH, { token: viewer.token, query: { search: 'LIST' } })).body
    assert.deepEqual(
      identities.map(({ name }: { name: string }) => name),
      ['list A', 'List b', 'List c'],
    )
    assert.equal(totalCount, 3)
    const page = (await server.get(PATH, { token, query: { search: 'list', limit: '1', offset: '2' } })).body
    assert.deepEqual([page.identities[0].name, page.totalCount], ['List c', 3])
    assert.equal((await server.get(PATH, { token, query: { limit: '1001' } })).status, 422)
  })

  test('have the roles that are given; a project for certificates gives them one of its own', async () => {
    const { id } = await create({ roles: [{ role: 'viewer' }, { role: 'member' }] })
    assert.deepEqual(await rolesOf(id), ['viewer', 'member'])
    const path = `/api/v1/projects/${certificates.id}/identities`
    assert.deepEqual(await rolesOf((await create({}, path)).id, certificates.id), ['member'])
  })

  test('can be given a way to log in by whoever may in the project, and then work there', async () => {
    const { id } = await create({ roles: [{ role: 'viewer' }] })
    const auth = '/api/v1/auth/token-auth/identities'
    assert.equal((await server.post(`${auth}/${id}`, {}, { token })).status, 200)
    const { accessToken } = (await server.post(`${auth}/${id}/tokens`, {}, { token })).body
    assert.equal((await server.get(`/api/v1/projects/${project.id}`, { token: accessToken })).status, 200)
    await server.delete(`${PATH}/${id}`, { token })
    assert.equal((await server.get(`/api/v1/projects/${project.id}`, { token: accessToken })).status, 401)
  })

  test('are not found, nor changed, in the organization; nor removed from the project', async () => {
    const { id } = await create()
    assert.equal((await server.get(`/api/v1/identities/${id}`, { token })).status, 404)
    assert.equal((await server.patch(`/api/v1/identities/${id}`, { name: 'x' }, { token })).status, 400)
    assert.equal((await server.delete(`/api/v1/identities/${id}`, { token })).status, 400)
    const membership = `/api/v1/projects/${project.id}/memberships/identities/${id}`
    assert.equal((await server.delete(membership, { token })).status, 400)
  })

  test('400 when protected from deletion, until that is taken off', async () => {
    const { id } = await create({ hasDeleteProtection: true })
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 400)
    await server.patch(`${PATH}/${id}`, { hasDeleteProtection: false }, { token })
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 200)
  })

  for (const [status, error, reason, as, body] of [
    [400, 'BadRequest', 'no role is for good', token, { name: 'x', roles: [] }],
    [401, 'UnauthorizedError', 'no token is sent', undefined, { name: 'x' }],
    [403, 'PermissionDenied', 'the actor may not create identities', viewer.token, { name: 'x' }],
    [
      403,
      'PermissionBoundaryError',
      'it may not give the role',
      member.token,
      { name: 'x', roles: [{ role: 'viewer' }] },
    ],
    [403, 'ProjectMembershipNotFound', 'the actor is not in the project', stranger.token, { name: 'x' }],
    [404, 'NotFound', 'there is no such role', token, { name: 'x', roles: [{ role: 'nonsense' }] }],
    [422, 'ValidationFailure', 'the name is blank', token, { name: ' ' }],
  ] as const) {
    test(`POST ${status} when ${reason}, and nothing is left behind`, async () => {
      const { totalCount } = (await server.get(PATH, { token })).body
      const answer = await server.post(PATH, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
      assert.equal((await server.get(PATH, { token })).body.totalCount, totalCount)
    })
  }

  test('403 without the right, 404 for one that is unknown, of another project or of the organization', async () => {
    const { id } = await create()
    for (const answer of [
      await server.get(`${PATH}/${id}`, { token: powerless.token }),
      await server.get(PATH, { token: powerless.token }),
      await server.patch(`${PATH}/${id}`, { name: 'x' }, { token: viewer.token }),
      await server.delete(`${PATH}/${id}`, { token: viewer.token }),
    ]) {
      assert.deepEqual(refusal(answer).slice(0, 2), [403, 'PermissionDenied'])
    }
    const theirs = await create({}, `/api/v1/projects/${other.id}/identities`)
    for (const unknown of [UNKNOWN_ID, 'x', theirs.id, stranger.identityId]) {
      assert.equal((await server.get(`${PATH}/${unknown}`, { token })).status, 404)
      assert.equal((await server.patch(`${PATH}/${unknown}`, { name: 'x' }, { token })).status, 404)
      assert.equal((await server.delete(`${PATH}/${unknown}`, { token })).status, 404)
    }
  })

  test('400 to delete the last administrator that way', async () => {
    const machine = await createIdentity(server, admin, { role: 'member' })
    const made = await createProject(server, machine.token)
    const path = `/api/v1/projects/${made.id}/identities`
    const { identity } = (await server.post(path, { name: 'x', roles: [{ role: 'admin' }] }, { token: machine.token }))
      .body
    const membership = `/api/v1/projects/${made.id}/memberships/identities/${machine.identityId}`
    const roles = [{ role: 'member' }]
    assert.equal((await server.patch(membership, { roles }, { token: machine.token })).status, 200)
    assert.equal((await server.delete(`${path}/${identity.id}`, { token: machine.token })).status, 400)
  })
})
