import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../../test/test-database.ts'
import { createGroup } from '../../../test/test-members.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { createIdentity } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const person = await logIn(server, admin)
const beside = openDatabase(server.url, 2)
const other = await startServerOn(server.url)
after(async () => {
  await other.stop()
  await beside.close()
})

type Query = Record<string, string | string[]>
const pathOf = (groupId: string) => `/api/v1/groups/${groupId}/members`
const ask = (groupId: string, query: Query = {}, at = server) => at.get(pathOf(groupId), { token, query })
const nameOf = ({ user, machineIdentity }: Record<string, { username?: string; name?: string }>) =>
  user?.username ?? machineIdentity?.name
const names = async (groupId: string, query: Query = {}, at = server): Promise<string[]> =>
  (await ask(groupId, query, at)).body.members.map(nameOf)

/** People straight into the tables, since making an account takes a while. */
const addPeople = async (groupId: string, people: { email: string; firstName?: string; lastName?: string }[]) => {
  const rows = JSON.stringify(
    people.map(({ email, firstName = null, lastName = null }) => ({ email, firstName, lastName })),
  )
  await sql`
    with given as (
      insert into users (id, username, email, first_name, last_name)
      select gen_random_uuid(), email, email, "firstName", "lastName"
      from json_to_recordset(${rows}::json) as g (email text, "firstName" text, "lastName" text)
      returning id
    ), members as (
      insert into organization_memberships (id, organization_id, user_id) select gen_random_uuid(), ${organizationId}, id from given
      returning user_id
    )
    insert into group_members (id, group_id, organization_id, user_id)
    select gen_random_uuid(), ${groupId}, ${organizationId}, user_id from members`.execute(beside.pool)
}
const addMachine = async (groupId: string, name: string) => {
  const { identityId } = await createIdentity(server, admin, { name })
  await server.post(`/api/v1/groups/${groupId}/machine-identities/${identityId}`, undefined, { token })
  return identityId
}

const group = await createGroup(server, admin)
await addPeople(group.id, [
  { email: 'zoe@example.com', firstName: 'Abel', lastName: 'Zimmer' },
  { email: 'under_score+tag@example.com', firstName: 'Zora' },
  { email: 'undersscore@example.com' },
  { email: 'mia@example.com', firstName: ' ', lastName: '' },
  { email: 'emil@example.com', firstName: 'Émile' },
])
const robot = await addMachine(group.id, 'Mechanic')
await addMachine(group.id, 'deployer')

/** By full name, else username; machines by their name; whatever the case. */
const IN_ORDER = [
  'zoe@example.com',
  'deployer',
  'Mechanic',
  'mia@example.com',
  'undersscore@example.com',
  'under_score+tag@example.com',
  'emil@example.com',
]

describe('GET /api/v1/groups/{id}/members', () => {
  test('200 shows people and machines, each in its shape', async () => {
    const { status, body, headers } = await ask(group.id)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(body.totalCount, IN_ORDER.length)
    const [abel, deployer] = body.members
    const { id, joinedGroupAt, user, ...rest } = abel
    assert.deepEqual(rest, { type: 'user' })
    assert.equal(new Date(joinedGroupAt).toISOString(), joinedGroupAt)
    const email = 'zoe@example.com'
    assert.deepEqual(user, { id, username: email, email, firstName: 'Abel', lastName: 'Zimmer' })
    assert.deepEqual(Object.keys(deployer), ['id', 'joinedGroupAt', 'type', 'machineIdentity'])
    assert.deepEqual(deployer.machineIdentity, { id: deployer.id, name: 'deployer' })
    assert.equal(deployer.type, 'machineIdentity')
  })

  test('200 in the order of names, forth and back, page by page', async () => {
    assert.deepEqual(await names(group.id), IN_ORDER)
    assert.deepEqual(await names(group.id, { orderBy: 'name', orderDirection: 'desc' }), IN_ORDER.toReversed())
    for (const direction of ['asc', 'desc']) {
      const paged: string[] = []
      for (let offset = 0; offset < IN_ORDER.length; offset += 3) {
        const query = { offset: String(offset), limit: '3', orderDirection: direction }
        const { body } = await ask(group.id, query)
        assert.equal(body.totalCount, IN_ORDER.length)
        paged.push(...body.members.map(nameOf))
      }
      assert.deepEqual(paged, direction === 'asc' ? IN_ORDER : IN_ORDER.toReversed())
    }
  })

  test('200 beyond the end: nobody, and the true total', async () => {
    assert.deepEqual((await ask(group.id, { offset: '500' })).body, { members: [], totalCount: IN_ORDER.length })
  })

  for (const [what, query, expected] of [
    ['part of an email address', { search: 'zoe@' }, ['zoe@example.com']],
    ['part of a name, in any case', { search: 'zIMM' }, ['zoe@example.com']],
    ['the name of a machine', { search: 'mech' }, ['Mechanic']],
    ['an underscore as it stands', { search: 'under_s' }, ['under_score+tag@example.com']],
    ['a plus as it stands', { search: '+tag' }, ['under_score+tag@example.com']],
    ['spaces around it aside', { search: ' mia ' }, ['mia@example.com']],
    ['nothing', { search: 'zzz' }, []],
    ['machines alone', { memberTypeFilter: 'machineIdentities' }, ['deployer', 'Mechanic']],
    [
      'people alone, and text',
      { memberTypeFilter: ['users', 'users'], search: 'e' },
      IN_ORDER.filter((n) => n.includes('@')),
    ],
    ['both kinds, said twice', { memberTypeFilter: ['users', 'machineIdentities'] }, IN_ORDER],
    ['an unknown parameter, which is not looked at', { foo: '1', limit: '1' }, IN_ORDER.slice(0, 1)],
  ] as [string, Query, string[]][]) {
    test(`200 finds ${what}`, async () => {
      assert.deepEqual(await names(group.id, query), expected)
      if (!('limit' in query)) assert.equal((await ask(group.id, query)).body.totalCount, expected.length)
    })
  }

  for (const query of [
    ...['0', '101', '-1', '1e9', '10abc', '1.5', ''].map((limit) => ({ limit })),
    ...['-1', '9007199254740992', '0.5', 'x'].map((offset) => ({ offset })),
    ...['', 'a%b', 'a b', 'x'.repeat(256)].map((search) => ({ search })),
    { orderBy: 'email' },
    { orderDirection: 'ASC' },
    { memberTypeFilter: 'robots' },
    { memberTypeFilter: 'users,machineIdentities' },
    { memberTypeFilter: '' },
  ] as Query[]) {
    test(`422 for ${JSON.stringify(query).slice(0, 60)}`, async () => {
      const { status, body } = await ask(group.id, query)
      assert.deepEqual([status, body.error, Array.isArray(body.message)], [422, 'ValidationFailure', true])
    })
  }

  test('401 without a token, 403 without the right, 304 for a page that the client has', async () => {
    assert.equal((await server.get(pathOf(group.id))).status, 401)
    const powerless = await createIdentity(server, admin, { role: 'no-access' })
    const refused = await server.get(pathOf(group.id), { token: powerless.token })
    assert.deepEqual([refused.status, refused.body.error], [403, 'PermissionDenied'])
    const { headers } = await ask(group.id)
    const again = await server.get(pathOf(group.id), { token, headers: { 'if-none-match': String(headers['etag']) } })
    assert.equal(again.status, 304)
  })
})

describe('a page that is kept', () => {
  /** Asks both processes until they agree with what is expected. */
  const settle = async (groupId: string, query: Query, expected: string[]) => {
    assert.deepEqual(await names(groupId, query), expected)
    const since = performance.now()
    while (JSON.stringify(await names(groupId, query, other)) !== JSON.stringify(expected)) {
      assert.ok(performance.now() - since < 1_000, `after a second it is not ${expected.join()}`)
    }
    assert.equal((await ask(groupId, query, other)).text, (await ask(groupId, query)).text)
  }

  test('knows at once who comes, goes, is renamed or deleted', async () => {
    const watched = await createGroup(server, admin)
    const { id } = watched
    await settle(id, {}, [])
    const { email, token: joined } = await joinAs(server, { token: person, organizationId, email: 'max@example.com' })
    await server.post(`/api/v1/groups/${id}/users/${email}`, undefined, { token })
    await settle(id, {}, [email])
    const first = await addMachine(id, 'Alpha')
    await addMachine(id, 'Omega')
    await settle(id, {}, [email, 'Alpha', 'Omega'])
    await settle(id, { search: 'alp' }, ['Alpha'])

    await server.patch('/api/v2/users/me/name', { firstName: 'Zeno', lastName: 'Elea' }, { token: joined })
    await settle(id, {}, ['Alpha', 'Omega', email])
    await server.patch(`/api/v1/identities/${first}`, { name: 'Psi' }, { token })
    await settle(id, {}, ['Omega', 'Psi', email])
    await settle(id, { search: 'alp' }, [])
    await server.delete(`/api/v1/groups/${id}/users/${email}`, { token })
    await settle(id, {}, ['Omega', 'Psi'])
    await server.delete(`/api/v1/identities/${first}`, { token })
    await settle(id, {}, ['Omega'])
  })

  test('holds nobody who has left the organization', async () => {
    const { id } = await createGroup(server, admin)
    const { email } = await joinAs(server, { token: person, organizationId, email: 'gone@example.com' })
    await server.post(`/api/v1/groups/${id}/users/${email}`, undefined, { token })
    await settle(id, {}, [email])
    const members = `/api/v2/organizations/${organizationId}/memberships`
    const { users } = (await server.get(members, { token: person })).body
    const membership = users.find(({ user }: { user: { email: string } }) => user.email === email)
    assert.equal((await server.delete(`${members}/${membership.id}`, { token: person })).status, 200)
    await settle(id, {}, [])
  })

  test('is never torn while many come and go', async () => {
    const { id } = await createGroup(server, admin)
    await addPeople(
      id,
      Array.from({ length: 300 }, (_, number) => ({ email: `crowd${String(number).padStart(3, '0')}@example.com` })),
    )
    const machines = await Promise.all(
      Array.from({ length: 6 }, (_, number) => createIdentity(server, admin, { name: `m${number}` })),
    )
    const churn = machines.map(async ({ identityId }) => {
      const path = `/api/v1/groups/${id}/machine-identities/${identityId}`
      for (let round = 0; round < 5; round++) {
        assert.equal((await server.post(path, undefined, { token })).status, 200)
        const { body } = await ask(id, { memberTypeFilter: 'machineIdentities', limit: '100' })
        assert.ok(body.members.some((member: { id: string }) => member.id === identityId))
        if (round < 4) assert.equal((await server.delete(path, { token })).status, 200)
      }
    })
    const read = async () => {
      for (let offset = 0; offset < 300; offset += 100) {
        const { members, totalCount } = (await ask(id, { limit: '100', offset: String(offset) })).body
        assert.equal(members.length, 100)
        assert.equal(new Set(members.map((member: { id: string }) => member.id)).size, 100)
        assert.ok(totalCount >= 300 && totalCount <= 306)
      }
    }
    await Promise.all([...churn, read(), read(), read()])
    assert.equal((await ask(id)).body.totalCount, 306)
    assert.ok(machines.every(({ identityId }) => identityId !== robot))
  })
})
