import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import {
  createGroup,
  createOrganizationMember,
  createProjectMember,
  fresh,
  refusal,
  UNKNOWN_ID,
} from '../../../test/test-members.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'
import { assertEndsWithinASecond } from '../../../test/within-a-second.ts'

const PATH = '/api/v1/groups'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const beside = openBeside(server.url)

const elsewhere = await createOtherOrganization(server, admin)
const foreign = await createGroup(server, elsewhere)
const reader = await createOrganizationMember(server, admin, { subject: 'groups', action: ['read'] })
const editor = await createOrganizationMember(server, admin, {
  subject: 'groups',
  action: ['create', 'edit', 'delete'],
})
const powerless = await createIdentity(server, admin, { role: 'no-access' })

const auditOf = async (type: string, groupId: string) => {
  const { rows } = await sql<{ eventMetadata: Record<string, unknown>; organizationId: string }>`
    select event_metadata, organization_id from audit_logs
    where event_type = ${type} and event_metadata ->> 'groupId' = ${groupId}`.execute(beside.pool)
  return rows.map(({ eventMetadata, organizationId: owner }) => [owner, eventMetadata])
}

describe(`POST ${PATH}`, () => {
  test('200 makes a group that reads back, with a slug from its name and no role', async () => {
    const { status, body } = await server.post(PATH, { name: ' On Call ' }, { token })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['createdAt', 'id', 'name', 'orgId', 'slug', 'updatedAt'])
    assert.equal(body.name, 'On Call')
    assert.match(body.slug, /^on-call-[a-z0-9]{4}$/)
    assert.equal(body.orgId, organizationId)
    assert.deepEqual((await server.get(`${PATH}/${body.id}`, { token })).body, {
      ...body,
      role: 'no-access',
      roleId: null,
      customRoleSlug: null,
    })
    const { id, name, slug } = body
    assert.deepEqual(await auditOf('create-group', id), [
      [organizationId, { groupId: id, name, slug, role: 'no-access' }],
    ])
  })

  test('200 with a custom role, which is told by its slug', async () => {
    const slug = fresh('custom')
    const permissions = [{ subject: 'groups', action: ['read'] }]
    const created = await server.post('/api/v1/organization/roles', { slug, name: slug, permissions }, { token })
    const group = await createGroup(server, admin, { role: slug })
    const { role, roleId, customRoleSlug } = (await server.get(`${PATH}/${group.id}`, { token })).body
    assert.deepEqual([role, roleId, customRoleSlug], ['custom', created.body.role.id, slug])
  })

  test('400 when the name or the slug is taken; another organization may have the same', async () => {
    const { name, slug } = await createGroup(server, admin, { slug: 'taken-slug' })
    for (const body of [{ name }, { name: fresh('other'), slug }]) {
      const answer = await server.post(PATH, body, { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    }
    assert.equal((await server.post(PATH, { name, slug }, { token: elsewhere.token })).status, 200)
  })

  test('of two of one name at the same time one is refused', async () => {
    const body = { name: fresh('twice') }
    const answers = await Promise.all([server.post(PATH, body, { token }), server.post(PATH, body, { token })])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })

  for (const [status, error, reason, as, body] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined, { name: 'x' }],
    [403, 'PermissionDenied', 'the actor may not create groups', reader.token, { name: 'x' }],
    [403, 'PermissionBoundaryError', 'the actor may not grant a role', editor.token, { name: 'x', role: 'member' }],
    [404, 'NotFound', 'there is no such role', token, { name: 'x', role: 'nonsense' }],
    [422, 'ValidationFailure', 'the name is blank', token, { name: '  ' }],
    [422, 'ValidationFailure', 'the name is too long', token, { name: 'x'.repeat(256) }],
    [422, 'ValidationFailure', 'the slug is too short', token, { name: 'x', slug: 'abcd' }],
    [422, 'ValidationFailure', 'the slug is not one', token, { name: 'x', slug: 'Not A Slug' }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }

  test('the boundary tells what is missing', async () => {
    const answer = await server.post(PATH, { name: 'x', role: 'admin' }, { token: editor.token })
    assert.deepEqual(refusal(answer), [
      403,
      'PermissionBoundaryError',
      [{ action: 'grant-privileges', subject: 'groups' }],
    ])
  })
})

describe(`GET ${PATH}`, () => {
  test('200 is a bare array in the order of names, of the own organization alone', async () => {
    for (const name of ['zebra', 'Aardvark', 'mouse']) await createGroup(server, admin, { name })
    const { status, body } = await server.get(PATH, { token: reader.token })
    assert.equal(status, 200)
    const names = body.map(({ name }: { name: string }) => name.toLowerCase())
    assert.deepEqual(names, names.toSorted())
    assert.ok(body.every(({ orgId }: { orgId: string }) => orgId === organizationId))
    assert.deepEqual(
      (await server.get(`/api/v1/organization/${organizationId}/groups`, { token: reader.token })).body.groups,
      body,
    )
  })

  test('403 without the right to read groups, and for another organization', async () => {
    const answer = await server.get(PATH, { token: powerless.token })
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
    const path = `/api/v1/organization/${elsewhere.organizationId}/groups`
    assert.equal((await server.get(path, { token })).status, 403)
    assert.deepEqual((await server.get('/api/v1/organization/available-groups', { token })).body, { groups: [] })
  })
})

describe(`one group under ${PATH}/{id}`, () => {
  test('404 for an id that is unknown, of another organization or none at all, whatever is asked', async () => {
    for (const id of [UNKNOWN_ID, foreign.id, 'slug-of-a-group', foreign.id.toUpperCase()]) {
      for (const answer of [
        await server.get(`${PATH}/${id}`, { token }),
        await server.patch(`${PATH}/${id}`, { name: 'x' }, { token }),
        await server.delete(`${PATH}/${id}`, { token }),
        await server.get(`${PATH}/${id}/members`, { token }),
        await server.get(`${PATH}/${id}/users`, { token }),
        await server.get(`${PATH}/${id}/machine-identities`, { token }),
        await server.get(`${PATH}/${id}/projects`, { token }),
        await server.post(`${PATH}/${id}/users/${admin.email}`, undefined, { token }),
        await server.delete(`${PATH}/${id}/users/${admin.email}`, { token }),
        await server.post(`${PATH}/${id}/machine-identities/${admin.identityId}`, undefined, { token }),
        await server.delete(`${PATH}/${id}/machine-identities/${admin.identityId}`, { token }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
      }
    }
  })

  test('200 PATCH changes what it names and nothing else', async () => {
    const group = await createGroup(server, admin, { role: 'member' })
    const renamed = await server.patch(`${PATH}/${group.id}`, { name: 'Renamed' }, { token })
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.slug], [200, 'Renamed', group.slug])
    assert.equal((await server.patch(`${PATH}/${group.id}`, {}, { token: editor.token })).status, 200)
    const demoted = await server.patch(`${PATH}/${group.id}`, { role: 'no-access', slug: 'renamed-slug' }, { token })
    assert.equal(demoted.status, 200)
    const { name, slug, role } = (await server.get(`${PATH}/${group.id}`, { token })).body
    assert.deepEqual([name, slug, role], ['Renamed', 'renamed-slug', 'no-access'])
    assert.deepEqual((await auditOf('update-group', group.id)).at(-1)?.[1], {
      groupId: group.id,
      slug: 'renamed-slug',
      role: 'no-access',
    })
  })

  test('PATCH: 400 for a name that is taken, 403 without the rights, 404 for an unknown role', async () => {
    const [first, second] = [await createGroup(server, admin), await createGroup(server, admin)]
    const path = `${PATH}/${second.id}`
    assert.equal((await server.patch(path, { name: first.name }, { token })).status, 400)
    assert.equal((await server.patch(path, { name: 'x' }, { token: reader.token })).body.error, 'PermissionDenied')
    const boundary = await server.patch(path, { role: 'member' }, { token: editor.token })
    assert.equal(boundary.body.error, 'PermissionBoundaryError')
    assert.equal((await server.patch(path, { role: 'nonsense' }, { token })).status, 404)
  })

  test('200 DELETE answers with what was; 403 without the right', async () => {
    const group = await createGroup(server, admin)
    assert.equal((await server.delete(`${PATH}/${group.id}`, { token: reader.token })).status, 403)
    const { status, body } = await server.delete(`${PATH}/${group.id}`, { token: editor.token })
    assert.deepEqual([status, body], [200, group])
    assert.equal((await server.get(`${PATH}/${group.id}`, { token })).status, 404)
    const { id: groupId, name, slug } = group
    assert.deepEqual(await auditOf('delete-group', groupId), [[organizationId, { groupId, name, slug }]])
  })
})

describe('what a group holds', () => {
  test('its members hold in the organization, until the group loses it', async () => {
    const group = await createGroup(server, admin, { role: 'admin' })
    const member = await createIdentity(server, admin, { role: 'no-access' })
    const mayRead = async () => (await server.get(PATH, { token: member.token })).status === 200
    assert.equal(await mayRead(), false)
    const path = `${PATH}/${group.id}/machine-identities/${member.identityId}`
    assert.equal((await server.post(path, undefined, { token })).status, 200)
    assert.equal(await mayRead(), true)
    await server.patch(`${PATH}/${group.id}`, { role: 'no-access' }, { token })
    assert.equal(await mayRead(), false)
    await server.patch(`${PATH}/${group.id}`, { role: 'admin' }, { token })
    assert.equal(await mayRead(), true)
    await server.delete(`${PATH}/${group.id}`, { token })
    assert.equal(await mayRead(), false)
  })

  test('in a project ends with the group, within a second in another process too', async () => {
    const other = await startServerOn(server.url)
    try {
      const project = await createProject(server, token)
      const group = await createGroup(server, admin)
      const member = await createIdentity(server, admin, { role: 'no-access' })
      await server.post(`${PATH}/${group.id}/machine-identities/${member.identityId}`, undefined, { token })
      await server.post(`/api/v1/projects/${project.id}/memberships/groups/${group.id}`, { role: 'viewer' }, { token })
      const look = (at: typeof server) => at.get(`/api/v1/projects/${project.id}`, { token: member.token })
      assert.deepEqual([(await look(server)).status, (await look(other)).status], [200, 200])

      await server.delete(`${PATH}/${group.id}`, { token })
      assert.equal((await look(server)).status, 403)
      await assertEndsWithinASecond(async () => (await look(other)).status === 200)
      assert.equal((await look(other)).body.error, 'ProjectMembershipNotFound')
    } finally {
      await other.stop()
    }
  })

  test('nobody keeps who leaves the organization', async () => {
    const project = await createProject(server, token)
    const member = await createProjectMember(server, admin, project.id, 'viewer')
    const group = await createGroup(server, admin)
    await server.post(`${PATH}/${group.id}/machine-identities/${member.identityId}`, undefined, { token })
    assert.equal((await server.get(`${PATH}/${group.id}/members`, { token })).body.totalCount, 1)
    assert.equal((await server.delete(`/api/v1/identities/${member.identityId}`, { token })).status, 200)
    assert.deepEqual((await server.get(`${PATH}/${group.id}/members`, { token })).body, { members: [], totalCount: 0 })
  })
})
