import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { createGroup, createProjectMember, createRole, UNKNOWN_ID } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { auditOf, createIdentity, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const person = await logIn(server, admin)
const beside = openBeside(server.url)

const project = await createProject(server, token)
const powerless = await createProjectMember(server, admin, project.id, 'no-access')
const stranger = await createIdentity(server, admin)
const role = await createRole(
  server,
  admin,
  project.id,
  { subject: 'tags', action: ['read', 'edit'] },
  { subject: 'secrets', action: 'readValue', inverted: true, conditions: { environment: 'prod' } },
)
const ada = await joinAs(server, { token: person, organizationId, email: 'ada@example.com' })
const group = await createGroup(server, admin)
const PATH = `/api/v1/projects/${project.id}`
const temporary = (temporaryAccessStartTime: string) => ({
  role: 'admin',
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime,
})
await server.post(`/api/v1/groups/${group.id}/users/${ada.email}`, undefined, { token })
await server.post(`${PATH}/memberships/groups/${group.id}`, { role: 'viewer' }, { token })
const { memberships } = (await server.post(`${PATH}/memberships`, { emails: [ada.email] }, { token })).body
const membershipId = memberships[0].id as string
const roles = [{ role: role.slug }, temporary('2020-01-01T00:00:00Z')]
await server.patch(`${PATH}/memberships/${membershipId}`, { roles }, { token })

const RULES = [
  ['read,edit', 'tags'],
  ['readValue', 'secrets', { environment: 'prod' }, 1],
]

describe(`GET ${PATH.replace(project.id, '{projectId}')}/permissions`, () => {
  test('200 shows the rules in force in their terse form, denies last, and the memberships they come from', async () => {
    const { status, body } = await server.get(`${PATH}/permissions`, { token: ada.token })
    assert.equal(status, 200)
    const { permissions, memberships: shown } = body.data
    const isTags = ([, subject]: string[]) => subject === 'tags'
    assert.deepEqual(permissions.filter(isTags).sort(), [RULES[0], ['read', 'tags']])
    assert.deepEqual(permissions.at(-1), RULES[1])
    assert.equal(permissions.length, 2 + 38)
    const groupMembership = (await server.get(`${PATH}/memberships/groups/${group.id}`, { token })).body.groupMembership
    assert.deepEqual(shown, [
      { id: membershipId, actorUserId: ada.userId, roles: [{ role: role.slug }] },
      { id: groupMembership.id, actorGroupId: group.id, roles: [{ role: 'viewer' }] },
    ])
  })

  test('403 for a machine, and for someone outside the project; 404 for none', async () => {
    assert.equal((await server.get(`${PATH}/permissions`, { token })).status, 403)
    const outside = await server.get(`${PATH}/permissions`, { token: person })
    assert.equal(outside.body.error, 'ProjectMembershipNotFound')
    assert.equal((await server.get(`/api/v1/projects/${UNKNOWN_ID}/permissions`, { token: person })).status, 404)
  })
})

describe('where someone has rules from', () => {
  test('200 for a person: own roles, also those that have ended, and those of groups', async () => {
    const { body } = await server.get(`${PATH}/memberships/${membershipId}/permissions/audit`, { token })
    const [own, ended, ofGroup] = body.sources
    assert.equal(body.sources.length, 3)
    const { id, ...rest } = own
    assert.ok(id)
    assert.deepEqual(rest, {
      type: 'role',
      name: role.name,
      slug: role.slug,
      isTemporary: false,
      temporaryAccessStartTime: null,
      temporaryAccessEndTime: null,
      permissions: RULES,
    })
    assert.deepEqual(
      [ended.slug, ended.name, ended.isTemporary, ended.temporaryAccessEndTime],
      ['admin', 'Admin', true, '2020-01-01T01:00:00.000Z'],
    )
    assert.deepEqual(
      [ofGroup.type, ofGroup.slug, ofGroup.groupId, ofGroup.groupName, ofGroup.permissions.length],
      ['group_role', 'viewer', group.id, group.name, 38],
    )
    const events = await auditOf(beside.pool, project.id, 'get-project-member-permission-audit')
    assert.deepEqual(events.at(-1)?.eventMetadata, { targetUserId: ada.userId, membershipId })
  })

  test('200 for a machine: with its additional privileges', async () => {
    const machine = await createProjectMember(server, admin, project.id, 'viewer')
    const rules = JSON.stringify([{ subject: 'tags', action: ['edit'], inverted: false }])
    await sql`
      insert into identity_privileges (id, project_id, identity_id, slug, permissions)
      values (gen_random_uuid(), ${project.id}, ${machine.identityId}, 'extra', ${rules})`.execute(beside.pool)
    const path = `${PATH}/memberships/identities/${machine.identityId}/permissions/audit`
    const { sources } = (await server.get(path, { token })).body
    assert.deepEqual(
      sources.map(({ type, slug }: { type: string; slug: string }) => [type, slug]),
      [
        ['role', 'viewer'],
        ['additional_privilege', 'extra'],
      ],
    )
    assert.deepEqual(sources[1].permissions, [['edit', 'tags']])
    const events = await auditOf(beside.pool, project.id, 'get-project-identity-permission-audit')
    assert.deepEqual(events.at(-1)?.eventMetadata, { targetIdentityId: machine.identityId })
  })

  test('403 without the right, 404 for someone who is not in the project', async () => {
    const ofMember = (id: string) => `${PATH}/memberships/${id}/permissions/audit`
    const ofMachine = (id: string) => `${PATH}/memberships/identities/${id}/permissions/audit`
    for (const path of [ofMember(membershipId), ofMachine(powerless.identityId)]) {
      assert.equal((await server.get(path, { token: powerless.token })).body.error, 'PermissionDenied')
    }
    for (const path of [ofMember(UNKNOWN_ID), ofMember('x'), ofMachine(stranger.identityId), ofMachine('x')]) {
      assert.equal((await server.get(path, { token })).status, 404)
    }
  })
})
