import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type pg from 'pg'
import { openCountedDatabase, pagesOf, type Statement } from '../../../test/statement-cost.ts'
import { connectTo } from '../../../test/test-database.ts'
import { createGroup, createRole } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { PRIVILEGES } from '../../../test/test-privileges.ts'
import { createIdentity, createProject } from '../../../test/test-projects.ts'
import { type Answer, startTestServer } from '../../../test/test-server.ts'
import type { Actor } from './actor.ts'
import { PermissionService } from './permissions.service.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const project = await createProject(server, token)
const { changes } = server.app.services
const inProject = `/api/v1/projects/${project.id}`

const must = ({ status, text }: Answer): void => assert.equal(status, 200, text)
/** Each source of rules gives an action on tags that no other gives. */
const roleFor = async (action: string) =>
  (await createRole(server, admin, project.id, { subject: 'tags', action })).slug
const [byRole, byGroup, byTemporaryRole] = [await roleFor('read'), await roleFor('create'), await roleFor('edit')]
const anHourFrom = (start: number) => ({
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1h',
  temporaryAccessStartTime: new Date(start).toISOString(),
})
const ROLES = [
  { role: 'no-access' },
  { role: byRole },
  { role: byTemporaryRole, ...anHourFrom(Date.now() - 1_000) },
  { role: 'admin', ...anHourFrom(Date.now() - 7_200_000) },
]

const group = await createGroup(server, admin, { role: 'member' })
must(await server.post(`${inProject}/memberships/groups/${group.id}`, { role: byGroup }, { token }))

const { db, statements } = await openCountedDatabase(server.url)
const statementsOf = async <T>(ask: () => Promise<T>): Promise<[T, Statement[]]> => {
  // Until what was written has been read back it puts what is loaded in doubt, and what is kept is believed for a second.
  await changes.readNow()
  const before = statements().length
  const answer = await ask()
  return [answer, statements().slice(before)]
}

const origin = { ip: '127.0.0.1', userAgent: '', requestId: '' }

const createMachine = async (): Promise<Actor> => {
  const { identityId: id, name } = await createIdentity(server, admin, { role: 'no-access' })
  must(await server.post(`${inProject}/memberships/identities/${id}`, { roles: ROLES }, { token }))
  must(await server.post(`/api/v1/groups/${group.id}/machine-identities/${id}`, undefined, { token }))
  for (const [slug, type] of [
    ['permanent', { isTemporary: false }],
    ['temporary', anHourFrom(Date.now() - 1_000)],
  ] as const) {
    const rules = [{ subject: 'tags', action: ['delete'] }]
    const body = { identityId: id, projectId: project.id, slug, type, permissions: rules }
    must(await server.post(PRIVILEGES, body, { token }))
  }
  const actor = { type: 'identity', id, name, organizationId, authMethod: 'token-auth', tokenId: id, origin } as const
  return { ...actor, isInstanceAdmin: false, claims: {} }
}

const createPerson = async (): Promise<Actor> => {
  const email = 'ada@example.com'
  const inviter = await logIn(server, admin)
  const { userId: id } = await joinAs(server, { token: inviter, organizationId, email, role: 'no-access' })
  must(await server.post(`/api/v1/groups/${group.id}/users/${email}`, undefined, { token }))
  const memberships = `${inProject}/memberships`
  const added = await server.post(memberships, { emails: [email], roleSlugs: ['no-access'] }, { token })
  must(added)
  must(await server.patch(`${memberships}/${added.body.memberships[0].id}`, { roles: ROLES }, { token }))
  const actor = { type: 'user', id, organizationId, sessionId: id, email, username: email, origin } as const
  return { ...actor, authMethod: 'email', isInstanceAdmin: false }
}

const NEIGHBOURS = 10_000
/** Going through the neighbours would take some hundred. */
const PAGES_MAX = 60

/** Members like all others, straight into the tables: of the organization, the project and the group. */
const fill = async (client: pg.Client): Promise<void> => {
  await client.query(
    `with machines as (
      insert into identities (id, organization_id, name)
      select gen_random_uuid(), $1, 'neighbour' from generate_series(1, ${NEIGHBOURS}) returning id, organization_id
    ), members as (
      insert into organization_memberships (id, organization_id, identity_id)
      select gen_random_uuid(), organization_id, id from machines returning id, organization_id, identity_id
    ), roles as (
      insert into organization_membership_roles (id, membership_id, role) select gen_random_uuid(), id, 'member' from members
    ), project_members as (
      insert into project_memberships (id, project_id, organization_id, identity_id)
      select gen_random_uuid(), $2, organization_id, identity_id from members returning id
    ), project_roles as (
      insert into project_membership_roles (id, membership_id, role) select gen_random_uuid(), id, 'viewer' from project_members
    )
    insert into group_members (id, group_id, organization_id, identity_id)
    select gen_random_uuid(), $3, organization_id, identity_id from members`,
    [organizationId, project.id, group.id],
  )
  await client.query('analyze')
}

for (const [what, actor, actions] of [
  ['a machine identity', await createMachine(), ['read', 'create', 'edit', 'delete']],
  ['a user', await createPerson(), ['read', 'create', 'edit']],
] as const) {
  describe(`all that ${what} holds`, () => {
    const permissions = new PermissionService({ db, changes, clock: server.clock })

    test('in a project is found by one statement, and by none when it is known', async () => {
      const [{ present }, first] = await statementsOf(() => permissions.inProject(actor, project.id))
      assert.equal(first.length, 1)
      const allowed = (['read', 'create', 'edit', 'delete'] as const).filter((action) => present.can(action, 'tags'))
      assert.deepEqual(allowed, actions)
      assert.equal(present.can('read', 'role'), false)
      const [, again] = await statementsOf(() => permissions.inProject(actor, project.id))
      assert.equal(again.length, 0)
    })

    test('in its organization too', async () => {
      const [{ present }, first] = await statementsOf(() => permissions.inOrganization(actor))
      assert.equal(first.length, 1)
      assert.equal(present.can('read', 'groups'), true)
      const [, again] = await statementsOf(() => permissions.inOrganization(actor))
      assert.equal(again.length, 0)
    })
  })
}

test('what others hold does not make it cost more', async () => {
  const beside = await connectTo(server.url)
  try {
    await fill(beside)
    const asked = statements().filter(({ text }) => text.includes('_membership_roles'))
    assert.equal(asked.length, 4)
    for (const { text, values } of asked) {
      const cost = await pagesOf(beside, { text, values })
      assert.ok(cost <= PAGES_MAX, `${cost} pages for ${text}`)
    }
  } finally {
    await beside.end()
  }
})
