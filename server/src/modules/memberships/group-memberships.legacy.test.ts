import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createGroup, createRole, fresh, UNKNOWN_ID } from '../../../test/test-members.ts'
import { createOtherOrganization, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const project = await createProject(server, token)
const foreign = await createGroup(server, await createOtherOrganization(server, admin))
const custom = await createRole(server, admin, project.id, { subject: 'tags', action: 'read' })

/** As a client sends it that fills in every field. */
const filledIn = (role: string) => ({
  role,
  isTemporary: false,
  temporaryMode: '',
  temporaryRange: '',
  temporaryAccessStartTime: '0001-01-01T00:00:00Z',
})

for (const path of [`/api/v2/workspace/${project.id}/groups`, `/api/v1/projects/${project.id}/groups`]) {
  describe(`the older ${path.replace(project.id, '{projectId}')}`, () => {
    test('200 adds by id and by name, lists, reads, changes and removes', async () => {
      const [byId, byName] = [
        await createGroup(server, admin),
        await createGroup(server, admin, { name: fresh('a name of') }),
      ]
      const added = await server.post(`${path}/${byId.id}`, { roles: [filledIn('viewer')] }, { token })
      assert.equal(added.status, 200)
      assert.deepEqual(Object.keys(added.body.groupMembership).sort(), [
        'createdAt',
        'groupId',
        'id',
        'projectId',
        'updatedAt',
      ])
      const named = await server.post(`${path}/${byName.name.replaceAll(' ', '+')}`, {}, { token })
      assert.equal(named.body.groupMembership.groupId, byName.id)

      const { body } = await server.get(`${path}/${byId.id}`, { token })
      assert.deepEqual([body.groupMembership.groupId, body.groupMembership.roles[0].role], [byId.id, 'viewer'])
      const { groupMemberships } = (await server.get(path, { token })).body
      assert.ok(groupMemberships.some(({ groupId }: { groupId: string }) => groupId === byName.id))
      const patched = await server.patch(`${path}/${byId.id}`, { roles: [{ role: custom.slug }] }, { token })
      assert.equal(patched.body.roles[0].customRoleId, custom.id)
      const users = await server.get(`${path}/${byId.id}/users`, { token, query: { limit: '1' } })
      assert.deepEqual([users.status, users.body.users.length], [200, 1])
      assert.equal((await server.delete(`${path}/${byId.id}`, { token })).status, 200)
      assert.equal((await server.get(`${path}/${byId.id}`, { token })).status, 404)
      assert.equal((await server.get(`${path}/${byId.id}/users`, { token })).status, 404)
    })

    test('404 for a name or id that nothing has', async () => {
      for (const id of ['nobody', UNKNOWN_ID, foreign.id, foreign.name]) {
        assert.equal((await server.post(`${path}/${id}`, {}, { token })).status, 404)
        assert.equal((await server.get(`${path}/${id}`, { token })).status, 404)
        assert.equal((await server.patch(`${path}/${id}`, { roles: [{ role: 'viewer' }] }, { token })).status, 404)
      }
    })
  })
}
