import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openCountedDatabase, rowsOf } from '../../../test/statement-cost.ts'
import { connectTo } from '../../../test/test-database.ts'
import { createGroup } from '../../../test/test-members.ts'
import { createIdentity } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'
import type { IdentityActor } from '../permissions/actor.ts'
import { GroupMemberService } from './group-members.service.ts'

/** Of each kind in the organization, every fourth of them in the group. */
const PEOPLE = 12_000
const LIMIT = 100
/** A few for each that is shown. */
const ROWS_MAX = 15 * LIMIT

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId, identityId: adminId } = admin
const { services } = server.app
const { id: groupId } = await createGroup(server, admin)
const beside = await connectTo(server.url)
after(() => beside.end())
const { db, statements } = await openCountedDatabase(server.url)

await beside.query(
  `with people as (
    insert into users (id, username, email, first_name)
    select gen_random_uuid(), i || '@example.com', i || '@example.com', case when i % 9 > 0 then 'Name ' || i % 5000 end
    from generate_series(1, ${PEOPLE}) i returning id
  ), machines as (
    insert into identities (id, organization_id, name)
    select gen_random_uuid(), $1::uuid, 'name ' || i % 7000 from generate_series(1, ${PEOPLE}) i returning id
  ), joined as (
    insert into organization_memberships (id, organization_id, user_id, identity_id)
    select gen_random_uuid(), $1::uuid, id, null::uuid from people union all
    select gen_random_uuid(), $1::uuid, null, id from machines returning organization_id, user_id, identity_id
  )
  insert into group_members (id, group_id, organization_id, user_id, identity_id)
  select gen_random_uuid(), $2, organization_id, user_id, identity_id from (select *, row_number() over () from joined) j
  where row_number % 4 = 0`,
  [organizationId, groupId],
)
await beside.query('analyze')

const actor: IdentityActor = {
  type: 'identity',
  id: adminId,
  name: 'admin',
  organizationId,
  authMethod: 'token-auth',
  tokenId: adminId,
  isInstanceAdmin: false,
  claims: {},
  origin: { ip: '127.0.0.1', userAgent: 'test', requestId: 'test' },
}

type Kind = 'users' | 'identities'
type Asked = { offset: number; isMember?: boolean | undefined; search?: string }
type Page = { rows: { id: string; isPartOfGroup: boolean }[]; totalCount: number }

const list = async (members: GroupMemberService, kind: Kind, { isMember, ...asked }: Asked): Promise<Page> => {
  const page = { ...asked, limit: LIMIT }
  if (kind === 'users') {
    const filter = isMember ? 'existingMembers' : 'nonMembers'
    const { users, totalCount } = await members.listUsers(actor, groupId, {
      ...page,
      ...(isMember !== undefined && { filter }),
    })
    return { rows: users, totalCount }
  }
  const filter = isMember ? 'assignedMachineIdentities' : 'nonAssignedMachineIdentities'
  const { machineIdentities, totalCount } = await members.listIdentities(actor, groupId, {
    ...page,
    ...(isMember !== undefined && { filter }),
  })
  return { rows: machineIdentities, totalCount }
}

/** One page with what it made PostgreSQL do. */
const ask = async (members: GroupMemberService, kind: Kind, asked: Asked) => {
  await services.changes.readNow()
  const before = statements().length
  const page = await list(members, kind, asked)
  let cost = 0
  for (const statement of statements().slice(before)) cost += await rowsOf(beside, statement)
  return { ...page, cost }
}

/** The ids in their order, by the simplest statement that says it. */
const inOrder = async (kind: Kind, isMember: boolean | undefined): Promise<string[]> => {
  const text =
    kind === 'users'
      ? `select u.id, g.id is not null as is_in from organization_memberships o join users u on u.id = o.user_id
        left join group_members g on g.group_id = $1 and g.user_id = u.id where o.organization_id = $2
        order by lower(u.first_name) collate "C" nulls last, u.username collate "C", u.id`
      : `select i.id, g.id is not null as is_in from identities i
        left join group_members g on g.group_id = $1 and g.identity_id = i.id where i.organization_id = $2
        order by g.id is null, lower(i.name) collate "C", i.id`
  const { rows } = await beside.query<{ id: string; is_in: boolean }>(text, [groupId, organizationId])
  return rows.filter(({ is_in }) => isMember === undefined || is_in === isMember).map(({ id }) => id)
}

describe(`pages of an organization with ${PEOPLE.toLocaleString('en-US')} people and as many machines, told who is in a group`, () => {
  for (const kind of ['users', 'identities'] as const) {
    for (const isMember of [undefined, true, false]) {
      const which = isMember === undefined ? 'all' : isMember ? 'members' : 'the others'
      test(`cost the same wherever they are: ${kind}, ${which}`, async () => {
        const ids = await inOrder(kind, isMember)
        const members = new GroupMemberService({ ...services, db })
        await ask(members, kind, { offset: 0, isMember })
        const first = await ask(members, kind, { offset: LIMIT, isMember })
        for (const offset of [
          0,
          2 * LIMIT,
          Math.floor(ids.length / 2),
          ids.length - LIMIT,
          ids.length - 1,
          ids.length,
        ]) {
          const { rows, totalCount, cost } = await ask(members, kind, { offset, isMember })
          assert.deepEqual([rows.map(({ id }) => id), totalCount], [ids.slice(offset, offset + LIMIT), ids.length])
          assert.ok(cost <= 2 * first.cost && cost < ROWS_MAX, `${cost} rows at ${offset}, ${first.cost} at the start`)
        }
      })
    }
  }

  test('cost hardly more while machines come and go, and all is true at once', async () => {
    const members = new GroupMemberService({ ...services, db })
    const ofPage = (offset: number) => ask(members, 'identities', { offset })
    const { totalCount } = await ofPage(0)
    const { cost: quiet } = await ofPage(LIMIT)
    const { identityId } = await createIdentity(server, admin, { name: '!first of all' })
    const path = `/api/v1/groups/${groupId}/machine-identities/${identityId}`
    const created = await ofPage(PEOPLE / 4)
    assert.deepEqual([created.rows[0]?.id, created.totalCount], [identityId, totalCount + 1])
    assert.equal((await server.post(path, undefined, { token })).status, 200)
    const added = await ofPage(0)
    assert.deepEqual([added.rows[0]?.id, added.rows[0]?.isPartOfGroup], [identityId, true])
    assert.equal((await server.delete(path, { token })).status, 200)
    assert.deepEqual((await ofPage(PEOPLE / 4)).rows[0]?.isPartOfGroup, false)
    assert.equal((await server.delete(`/api/v1/identities/${identityId}`, { token })).status, 200)
    const gone = await ofPage(PEOPLE / 4)
    assert.deepEqual([gone.rows.some(({ id }) => id === identityId), gone.totalCount], [false, totalCount])
    for (const { cost } of [created, added, gone]) assert.ok(cost <= 3 * quiet, `${cost} rows, ${quiet} before`)
  })
})
