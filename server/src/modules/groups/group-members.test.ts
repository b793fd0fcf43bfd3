import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { createGroup, createOrganizationMember, fresh, refusal, UNKNOWN_ID } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/groups'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const person = await logIn(server, admin)
const beside = openBeside(server.url)

const elsewhere = await createOtherOrganization(server, admin)
const stranger = await createIdentity(server, elsewhere, { name: 'stranger' })
const [ada, bob] = await Promise.all(
  ['ada@example.com', 'bob@example.com'].map((email) => joinAs(server, { token: person, organizationId, email })),
)
assert.ok(ada && bob)
const machine = await createIdentity(server, admin, { name: 'robot' })
const reader = await createOrganizationMember(server, admin, { subject: 'groups', action: ['read'] })
const editor = await createOrganizationMember(server, admin, { subject: 'groups', action: ['read', 'edit'] })
const powerless = await createIdentity(server, admin, { name: 'powerless', role: 'no-access' })

const addUser = (groupId: string, username: string, as = token) =>
  server.post(`${PATH}/${groupId}/users/${username}`, undefined, { token: as })
const addIdentity = (groupId: string, id: string, as = token) =>
  server.post(`${PATH}/${groupId}/machine-identities/${id}`, undefined, { token: as })

const auditOf = async (type: string, groupId: string) => {
  const { rows } = await sql<{ eventMetadata: Record<string, unknown> }>`
    select event_metadata from audit_logs
    where event_type = ${type} and event_metadata ->> 'groupId' = ${groupId} order by seq`.execute(beside.pool)
  return rows.map(({ eventMetadata }) => eventMetadata)
}

describe('a user in a group', () => {
  test('200 is put in and taken out, and comes back as it is', async () => {
    const group = await createGroup(server, admin)
    const user = {
      id: ada.userId,
      username: ada.email,
      email: ada.email,
      firstName: 'Ada',
      lastName: 'Lovelace',
    }
    const added = await addUser(group.id, ada.email)
    assert.deepEqual([added.status, added.body], [200, user])
    assert.equal((await server.get(`${PATH}/${group.id}/members`, { token })).body.totalCount, 1)

    const removed = await server.delete(`${PATH}/${group.id}/users/${ada.email}`, { token })
    assert.deepEqual([removed.status, removed.body], [200, user])
    assert.equal((await server.get(`${PATH}/${group.id}/members`, { token })).body.totalCount, 0)
    const metadata = { groupId: group.id, groupName: group.name, userId: ada.userId, username: ada.email }
    assert.deepEqual(await auditOf('add-user-to-group', group.id), [metadata])
    assert.deepEqual(await auditOf('remove-user-from-group', group.id), [metadata])
  })

  test('200 also while the invitation has not been accepted', async () => {
    const email = 'pending@example.com'
    const invitation = { inviteeEmails: [email], organizationId, organizationRoleSlug: 'member' }
    await server.post('/api/v1/invite-org/signup', invitation, { token: person })
    const group = await createGroup(server, admin)
    assert.equal((await addUser(group.id, email)).status, 200)
    const { members } = (await server.get(`${PATH}/${group.id}/members`, { token })).body
    assert.deepEqual(members[0].user, { ...members[0].user, email, firstName: null, lastName: null })
  })

  test('400 when already a member, also of two at the same time', async () => {
    const group = await createGroup(server, admin)
    const answers = await Promise.all([1, 2, 3].map(() => addUser(group.id, bob.email)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
  })

  test('403 to take out someone who is not in; 404 for someone unknown or of another organization', async () => {
    const group = await createGroup(server, admin)
    const out = await server.delete(`${PATH}/${group.id}/users/${bob.email}`, { token })
    assert.deepEqual([out.status, out.body.error], [403, 'ForbiddenError'])
    await sql`insert into users (id, username, email) values (gen_random_uuid(), 'far@example.com', 'far@example.com')`.execute(
      beside.pool,
    )
    for (const username of ['nobody@example.com', 'far@example.com']) {
      assert.equal((await addUser(group.id, username)).status, 404)
      assert.equal((await server.delete(`${PATH}/${group.id}/users/${username}`, { token })).status, 404)
    }
  })

  test('403 without the right to edit groups, or to put people in or take them out', async () => {
    const group = await createGroup(server, admin)
    assert.equal((await addUser(group.id, bob.email, reader.token)).body.error, 'PermissionDenied')
    assert.deepEqual(refusal(await addUser(group.id, bob.email, editor.token)), [
      403,
      'PermissionBoundaryError',
      [{ action: 'add-members', subject: 'groups' }],
    ])
    const removal = await server.delete(`${PATH}/${group.id}/users/${bob.email}`, { token: editor.token })
    assert.deepEqual(refusal(removal)[2], [{ action: 'remove-members', subject: 'groups' }])
  })
})

describe('a machine identity in a group', () => {
  test('200 is put in and taken out', async () => {
    const group = await createGroup(server, admin)
    const { identityId } = machine
    assert.deepEqual((await addIdentity(group.id, identityId)).body, { id: identityId })
    assert.equal((await addIdentity(group.id, identityId)).status, 400)
    const path = `${PATH}/${group.id}/machine-identities/${identityId}`
    assert.deepEqual((await server.delete(path, { token })).body, { id: identityId })
    const again = await server.delete(path, { token })
    assert.deepEqual([again.status, again.body.error], [403, 'ForbiddenError'])
    const metadata = { groupId: group.id, groupName: group.name, identityId }
    assert.deepEqual(await auditOf('add-identity-to-group', group.id), [metadata])
    assert.deepEqual(await auditOf('remove-identity-from-group', group.id), [metadata])
  })

  test('404 when unknown, malformed, of another organization or owned by a project', async () => {
    const group = await createGroup(server, admin)
    const project = await createProject(server, token)
    const owned = await server.post(`/api/v1/projects/${project.id}/identities`, { name: 'owned' }, { token })
    for (const id of [UNKNOWN_ID, 'x', stranger.identityId, owned.body.identity.id as string]) {
      assert.equal((await addIdentity(group.id, id)).status, 404)
    }
  })

  test('403 without the rights', async () => {
    const group = await createGroup(server, admin)
    assert.equal((await addIdentity(group.id, machine.identityId, reader.token)).body.error, 'PermissionDenied')
    const boundary = await addIdentity(group.id, machine.identityId, editor.token)
    assert.deepEqual(refusal(boundary)[2], [{ action: 'add-identities', subject: 'groups' }])
    const path = `${PATH}/${group.id}/machine-identities/${machine.identityId}`
    const removal = await server.delete(path, { token: editor.token })
    assert.deepEqual(refusal(removal)[2], [{ action: 'remove-identities', subject: 'groups' }])
  })
})

describe('the lists of a group', async () => {
  const group = await createGroup(server, admin)
  await addUser(group.id, ada.email)
  await addIdentity(group.id, machine.identityId)
  const project = await createProject(server, token, { projectName: 'Inside', slug: 'inside-project' })
  await createProject(server, token, { projectName: 'Outside' })
  await server.post(`/api/v1/projects/${project.id}/memberships/groups/${group.id}`, undefined, { token })
  const list = async (which: string, query: Record<string, string> = {}) =>
    (await server.get(`${PATH}/${group.id}/${which}`, { token, query })).body

  test('200 users: everyone in the organization, told whether they are in', async () => {
    const { users, totalCount } = await list('users', { limit: '100' })
    assert.equal(users.length, totalCount)
    const found = users.find(({ id }: { id: string }) => id === ada.userId)
    assert.deepEqual([found.isPartOfGroup, typeof found.joinedGroupAt], [true, 'string'])
    const other = users.find(({ id }: { id: string }) => id === bob.userId)
    assert.deepEqual([other.isPartOfGroup, other.joinedGroupAt], [false, null])
    assert.ok(users.every(({ username }: { username: string }) => username !== 'far@example.com'))
  })

  test('200 users: filtered, searched literally, paged, with the true total on a page that is empty', async () => {
    assert.equal((await list('users', { filter: 'existingMembers' })).totalCount, 1)
    const { users, totalCount } = await list('users', { filter: 'nonMembers', limit: '1' })
    assert.deepEqual([users.length, totalCount > 1], [1, true])
    assert.equal((await list('users', { search: 'LOVELACE', filter: 'existingMembers' })).totalCount, 1)
    assert.equal((await list('users', { search: 'b_b' })).totalCount, 0)
    assert.equal((await list('users', { username: 'bob@' })).totalCount, 1)
    assert.deepEqual(await list('users', { search: 'ada@', offset: '50' }), { users: [], totalCount: 1 })
  })

  test('200 machine identities: members first, and all on the first page', async () => {
    for (let number = 0; number < 12; number++) await createIdentity(server, admin, { name: `a-${number}` })
    const { machineIdentities, totalCount } = await list('machine-identities')
    assert.equal(machineIdentities.length, totalCount)
    assert.deepEqual(
      [machineIdentities[0].id, machineIdentities[0].isPartOfGroup, machineIdentities[1].isPartOfGroup],
      [machine.identityId, true, false],
    )
    assert.equal((await list('machine-identities', { filter: 'assignedMachineIdentities' })).totalCount, 1)
    const free = await list('machine-identities', { filter: 'nonAssignedMachineIdentities', search: 'A-1' })
    assert.equal(free.totalCount, 3)
  })

  test('200 projects: of the whole organization, told since when the group is in them', async () => {
    const { projects } = await list('projects', { orderDirection: 'desc', limit: '100' })
    const { joinedGroupAt, ...found } = projects.find(({ id }: { id: string }) => id === project.id)
    assert.deepEqual(found, {
      id: project.id,
      name: 'Inside',
      slug: 'inside-project',
      description: null,
      type: 'secret-manager',
    })
    assert.ok(Date.parse(joinedGroupAt) > 0)
    assert.equal((await list('projects', { filter: 'assignedProjects' })).totalCount, 1)
    const { projects: outside } = await list('projects', { filter: 'unassignedProjects', search: 'outsi' })
    assert.deepEqual([outside[0].name, outside[0].joinedGroupAt], ['Outside', null])
  })

  for (const [which, query] of [
    ['users', { limit: '0' }],
    ['users', { limit: '101' }],
    ['users', { filter: 'all' }],
    ['users', { search: 'a%b' }],
    ['machine-identities', { offset: '-1' }],
    ['projects', { search: 'a_b' }],
    ['projects', { orderDirection: 'up' }],
  ] as const) {
    test(`422 ${which} with ${JSON.stringify(query)}`, async () => {
      assert.equal((await server.get(`${PATH}/${group.id}/${which}`, { token, query })).status, 422)
    })
  }

  test('403 without the right to read groups', async () => {
    for (const which of ['users', 'machine-identities', 'projects', 'members']) {
      const answer = await server.get(`${PATH}/${group.id}/${which}`, { token: powerless.token })
      assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
    }
  })
})

describe('the memberships of groups in their organization', () => {
  const MEMBERSHIPS = '/api/v1/organizations/memberships/groups'

  test('200 are listed with their roles, and read one by one', async () => {
    const group = await createGroup(server, admin, { name: fresh('Listed'), role: 'member' })
    const query = { search: group.name.toLowerCase(), roles: ['member', 'admin'] }
    const { body } = await server.get(MEMBERSHIPS, { token, query })
    assert.equal(body.totalCount, 1)
    const [membership] = body.groupMemberships
    assert.deepEqual(membership.group, { id: group.id, name: group.name, slug: group.slug, orgId: organizationId })
    assert.deepEqual(
      membership.roles.map(({ role, isTemporary }: Record<string, unknown>) => [role, isTemporary]),
      [['member', false]],
    )
    const one = await server.get(`${MEMBERSHIPS}/${group.id}`, { token })
    assert.deepEqual(one.body, { groupMembership: membership })
    assert.equal((await server.get(MEMBERSHIPS, { token, query: { roles: 'nonsense' } })).body.totalCount, 0)
    assert.equal((await server.get(MEMBERSHIPS, { token, query: { orderBy: 'role' } })).status, 200)
  })

  test('200 take several roles, also for a time', async () => {
    const group = await createGroup(server, admin)
    const start = new Date(server.clock.now()).toISOString()
    const temporary = { role: 'admin', isTemporary: true, temporaryMode: 'relative', temporaryRange: '1h' }
    const roles = [{ role: 'no-access' }, { ...temporary, temporaryAccessStartTime: start }]
    const member = await createIdentity(server, admin, { name: 'briefly', role: 'no-access' })
    await addIdentity(group.id, member.identityId)
    const answer = await server.patch(`${MEMBERSHIPS}/${group.id}`, { roles }, { token: person })
    assert.deepEqual([answer.status, answer.body.roles.length], [200, 2])
    assert.equal((await server.get(PATH, { token: member.token })).status, 200)
    server.clock.advance(3_600_000)
    assert.equal((await server.get(PATH, { token: member.token })).status, 403)
    server.clock.advance(-3_600_000)
  })

  test('PATCH: 400 without a permanent role, 403 as a machine or without the right, 404, 422 for none', async () => {
    const group = await createGroup(server, admin)
    const path = `${MEMBERSHIPS}/${group.id}`
    const temporary = { role: 'member', isTemporary: true, temporaryMode: 'relative', temporaryRange: '1h' }
    const roles = [{ ...temporary, temporaryAccessStartTime: '2030-01-01T00:00:00Z' }]
    assert.equal((await server.patch(path, { roles }, { token: person })).status, 400)
    assert.equal((await server.patch(path, { roles: [{ role: 'member' }] }, { token })).status, 403)
    assert.equal((await server.patch(path, { roles: [{ role: 'member' }] }, { token: bob.token })).status, 403)
    assert.equal((await server.patch(path, { roles: [{ role: 'nonsense' }] }, { token: person })).status, 404)
    const unknown = `${MEMBERSHIPS}/${UNKNOWN_ID}`
    assert.equal((await server.patch(unknown, { roles: [{ role: 'member' }] }, { token: person })).status, 404)
    assert.equal((await server.get(unknown, { token: person })).status, 404)
    assert.equal((await server.patch(path, { roles: [] }, { token: person })).status, 422)
  })
})
