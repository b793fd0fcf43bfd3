import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createOrganizationMember,
  createProjectMember,
  createRole,
  fresh,
  joinAsIdentity,
  refusal,
} from '../../../test/test-members.ts'
import { createIdentity, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const project = await createProject(server, admin.token)

const inProject = `/api/v1/projects/${project.id}/roles`
const inOrganization = '/api/v1/organization/roles'
const WRITES_ROLES = { subject: 'role', action: ['read', 'create', 'edit'], inverted: false }
const DESCRIBES = { subject: 'secrets', action: ['describeSecret'], inverted: false }
const READS_DEV = { subject: 'secrets', action: ['readValue'], inverted: false, conditions: { environment: 'dev' } }
const READS = { subject: 'secrets', action: ['readValue'], inverted: false }
const NOT_IN_PROD = { subject: 'secrets', action: ['readValue'], inverted: true, conditions: { environment: 'prod' } }
const missing = (action: string, subject: string) => [403, 'PermissionBoundaryError', [{ action, subject }]]

const roleOf = (permissions: object[]) => ({ slug: fresh('role'), name: 'A role', permissions })

const giveAlso = async (identityId: string, ...roles: string[]) => {
  const body = { roles: roles.map((role) => ({ role })) }
  const path = `/api/v1/projects/${project.id}/memberships/identities/${identityId}`
  assert.equal((await server.patch(path, body, { token: admin.token })).status, 200)
}

describe('someone who writes roles of a project', () => {
  const held = [WRITES_ROLES, DESCRIBES, READS_DEV]

  test('200 may put into one what they may do themselves', async () => {
    const { token } = await createProjectMember(server, admin, project.id, ...held)
    for (const permissions of [[DESCRIBES], [READS_DEV, WRITES_ROLES], [], [NOT_IN_PROD]]) {
      assert.equal((await server.post(inProject, roleOf(permissions), { token })).status, 200)
    }
  })

  test('403 may not put more into a new one, an own one or one of others', async () => {
    const own = await createRole(server, admin, project.id, ...held)
    const others = await createRole(server, admin, project.id, DESCRIBES)
    const { identityId, token } = await createIdentity(server, admin, { role: 'no-access' })
    await joinAsIdentity(server, admin, project.id, { identityId, role: own.slug })

    const tooMuch = missing('readValue', 'secrets')
    assert.deepEqual(refusal(await server.post(inProject, roleOf([READS]), { token })), tooMuch)
    for (const { id } of [own, others]) {
      const permissions = [...held, READS]
      assert.deepEqual(refusal(await server.patch(`${inProject}/${id}`, { permissions }, { token })), tooMuch)
    }
    const older = `/api/v1/workspace/${project.slug}/roles/${own.id}`
    const legacy = { permissions: [{ subject: 'settings', action: 'edit' }] }
    assert.deepEqual(refusal(await server.patch(older, legacy, { token })), missing('edit', 'settings'))
  })

  test('may change a stronger one in what raises nobody, and not give it the slug of another', async () => {
    const strong = await createRole(server, admin, project.id, READS)
    const { token } = await createProjectMember(server, admin, project.id, ...held)
    const path = `${inProject}/${strong.id}`
    for (const changes of [{ name: 'Renamed' }, { permissions: [READS, DESCRIBES] }, { slug: strong.slug }]) {
      assert.equal((await server.patch(path, changes, { token })).status, 200)
    }
    assert.deepEqual(
      refusal(await server.patch(path, { slug: fresh('other') }, { token })),
      missing('readValue', 'secrets'),
    )
    assert.equal((await server.patch(path, { permissions: [] }, { token })).status, 200)
  })

  test('403 may not take a denial away', async () => {
    const own = await createRole(server, admin, project.id, WRITES_ROLES, READS, NOT_IN_PROD)
    const { identityId, token } = await createIdentity(server, admin, { role: 'no-access' })
    await joinAsIdentity(server, admin, project.id, { identityId, role: own.slug })
    const path = `${inProject}/${own.id}`
    const permissions = [WRITES_ROLES, READS]
    assert.deepEqual(refusal(await server.patch(path, { permissions }, { token })), missing('readValue', 'secrets'))
    const kept = { permissions: [NOT_IN_PROD, WRITES_ROLES, READS] }
    assert.equal((await server.patch(path, kept, { token })).status, 200)
  })

  test('403 may not take one away that stands alone in another role, under no other slug either', async () => {
    const strong = await createRole(server, admin, project.id, WRITES_ROLES, READS)
    const denying = await createRole(server, admin, project.id, NOT_IN_PROD)
    const { identityId, token } = await createIdentity(server, admin, { role: 'no-access' })
    await joinAsIdentity(server, admin, project.id, { identityId, role: strong.slug })
    await giveAlso(identityId, denying.slug, strong.slug)
    const path = `${inProject}/${denying.id}`
    for (const changes of [{ permissions: [] }, { permissions: [], slug: fresh('other') }]) {
      assert.deepEqual(refusal(await server.patch(path, changes, { token })), missing('readValue', 'secrets'))
    }
    assert.equal((await server.patch(path, { permissions: [] }, { token: admin.token })).status, 200)
  })

  test('200 an administrator may write any, also of what is no longer there', async () => {
    const { token } = await createProjectMember(server, admin, project.id, 'admin')
    const permissions = [
      READS,
      { subject: 'ssh-hosts', action: ['anything'] },
      { subject: 'code-signers', action: 'sign' },
    ]
    assert.equal((await server.post(inProject, roleOf(permissions), { token })).status, 200)
  })
})

test('the same holds for roles of an organization', async () => {
  const held = [WRITES_ROLES, { subject: 'member', action: ['read'], inverted: false }]
  const { token } = await createOrganizationMember(server, admin, ...held)
  const tooMuch = { permissions: [...held, { subject: 'member', action: ['delete'] }] }
  assert.deepEqual(
    refusal(await server.post(inOrganization, { ...roleOf([]), ...tooMuch }, { token })),
    missing('delete', 'member'),
  )
  const { body, status } = await server.post(inOrganization, roleOf(held), { token })
  assert.equal(status, 200)
  const path = `${inOrganization}/${body.role.id}`
  assert.deepEqual(refusal(await server.patch(path, tooMuch, { token })), missing('delete', 'member'))
  assert.equal((await server.patch(path, tooMuch, { token: admin.token })).status, 200)
  assert.equal((await server.patch(path, { name: 'Renamed', ...tooMuch }, { token })).status, 200)
})
