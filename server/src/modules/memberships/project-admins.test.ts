import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createGroup, joinAsIdentity } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const person = await logIn(server, admin)
const elsewhere = await createOtherOrganization(server, admin)

/** A project that a machine has made: its only administrator. */
const started = async () => {
  const owner = await createIdentity(server, admin, { role: 'member' })
  const { id } = await createProject(server, owner.token)
  return { owner, id, members: `/api/v1/projects/${id}/memberships` }
}
const demote = (path: string, as: string) => server.patch(path, { roles: [{ role: 'member' }] }, { token: as })
const isLeftAlone = async (path: string, as: string) => {
  const demoted = await demote(path, as)
  assert.deepEqual([demoted.status, demoted.body.error], [400, 'BadRequest'])
  const removed = await server.delete(path, { token: as })
  assert.equal(removed.status, 400)
}

describe('the last administrator of a project', () => {
  test('can be neither demoted nor removed, until there is another', async () => {
    const { owner, id, members } = await started()
    const own = `${members}/identities/${owner.identityId}`
    await isLeftAlone(own, owner.token)
    const roles = [
      { role: 'member' },
      {
        role: 'admin',
        isTemporary: true,
        temporaryMode: 'relative',
        temporaryRange: '100y',
        temporaryAccessStartTime: '2020-01-01T00:00:00Z',
      },
    ]
    assert.equal((await server.patch(own, { roles }, { token: owner.token })).status, 400)
    const second = await createIdentity(server, admin)
    await joinAsIdentity(server, { ...admin, token: owner.token }, id, { identityId: second.identityId, role: 'admin' })
    assert.equal((await demote(own, owner.token)).status, 200)
    await isLeftAlone(`${members}/identities/${second.identityId}`, second.token)
  })

  test('of two that demote each other at the same time one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, id, members } = await started()
      const second = await createIdentity(server, admin)
      await joinAsIdentity(server, { ...admin, token: owner.token }, id, {
        identityId: second.identityId,
        role: 'admin',
      })
      const answers = await Promise.all([
        demote(`${members}/identities/${second.identityId}`, owner.token),
        demote(`${members}/identities/${owner.identityId}`, second.token),
      ])
      const statuses = answers.map(({ status }) => status).sort()
      assert.ok(['200,400', '200,403'].includes(statuses.join()), statuses.join())
    }
  })

  test('may be a group, as long as someone is in it', async () => {
    const { owner, id, members } = await started()
    const group = await createGroup(server, admin)
    const inProject = `${members}/groups/${group.id}`
    await server.post(inProject, { role: 'admin' }, { token: owner.token })
    const own = `${members}/identities/${owner.identityId}`
    await isLeftAlone(own, owner.token)

    const machine = await createIdentity(server, admin)
    await server.post(`/api/v1/groups/${group.id}/machine-identities/${machine.identityId}`, undefined, { token })
    assert.equal((await server.delete(own, { token: machine.token })).status, 200)
    await isLeftAlone(inProject, machine.token)
    assert.equal((await server.get(`/api/v1/projects/${id}`, { token: machine.token })).status, 200)
  })

  test('may be a person who has accepted, and not one who has yet to', async () => {
    const { owner, members } = await started()
    const own = `${members}/identities/${owner.identityId}`
    const email = `pending-${owner.identityId}@example.com`
    const invitation = { inviteeEmails: [email], organizationId, organizationRoleSlug: 'member' }
    await server.post('/api/v1/invite-org/signup', invitation, { token: person })
    await server.post(members, { emails: [email], roleSlugs: ['admin'] }, { token: owner.token })
    await isLeftAlone(own, owner.token)
    const { token: joined } = await joinAs(server, { token: person, organizationId, email })
    assert.equal((await server.delete(own, { token: joined })).status, 200)
    const { memberships } = (await server.get(members, { token: joined })).body
    assert.equal((await demote(`${members}/${memberships[0].id}`, joined)).status, 400)
    const left = await server.delete(members.replace('memberships', 'leave'), { token: joined })
    assert.equal(left.status, 400)
  })
})

describe('POST /api/v1/organization-admin/projects/{projectId}/grant-admin-access', () => {
  const path = (projectId: string) => `/api/v1/organization-admin/projects/${projectId}/grant-admin-access`

  test('200 lets an administrator of the organization in, also in place of the roles held there', async () => {
    const { id, owner, members } = await started()
    const look = () => server.get(`/api/v1/projects/${id}`, { token: person })
    assert.equal((await look()).status, 403)
    const { status, body } = await server.post(path(id), undefined, { token: person })
    assert.deepEqual([status, body.membership.userId, body.membership.projectId], [200, admin.userId, id])
    assert.equal((await look()).status, 200)
    const own = `${members}/${body.membership.id as string}`
    assert.equal((await demote(own, owner.token)).status, 200)
    assert.equal((await server.post(path(id), undefined, { token: person })).status, 200)
    const { roles } = (await server.get(own, { token: person })).body.membership
    assert.deepEqual(
      roles.map(({ role }: { role: string }) => role),
      ['admin'],
    )
  })

  test('403 for anyone else, 404 for a project of another organization', async () => {
    const { id } = await started()
    const { token: ordinary } = await joinAs(server, { token: person, organizationId, email: 'plain@example.com' })
    assert.equal((await server.post(path(id), undefined, { token: ordinary })).body.error, 'PermissionDenied')
    assert.equal((await server.post(path(id), undefined, { token })).status, 403)
    assert.equal((await server.post(path(id), undefined, { token: elsewhere.token })).status, 404)
    assert.equal((await server.post(path('x'), undefined, { token: person })).status, 404)
  })
})
