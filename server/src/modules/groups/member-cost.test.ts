import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openCountedDatabase, pagesOf } from '../../../test/statement-cost.ts'
import { connectTo } from '../../../test/test-database.ts'
import { createGroup } from '../../../test/test-members.ts'
import { createIdentity } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'
import type { MemberType } from './group-members.store.ts'
import type { Slice } from './member-order.ts'
import { MemberOrders } from './member-orders.ts'
import { MemberPages } from './member-pages.ts'

/** Enough that going through them would show; with 100,000 a page costs the very same. */
const MEMBERS = 20_000
const LIMIT = 100

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin
const { changes } = server.app.services
const { id: groupId } = await createGroup(server, admin)
const beside = await connectTo(server.url)
after(() => beside.end())
const { db, statements } = await openCountedDatabase(server.url)

/** As many people as machines; names come in another order than ids, and some twice. */
await beside.query(
  `with people as (
    insert into users (id, username, email, first_name)
    select gen_random_uuid(), i || '@example.com', i || '@example.com', 'Name ' || i % ${MEMBERS / 5}
    from generate_series(1, ${MEMBERS / 2}) i returning id
  ), machines as (
    insert into identities (id, organization_id, name)
    select gen_random_uuid(), $1::uuid, 'name ' || i || ' of a machine' from generate_series(1, ${MEMBERS / 2}) i returning id
  ), joined as (
    insert into organization_memberships (id, organization_id, user_id, identity_id)
    select gen_random_uuid(), $1::uuid, id, null::uuid from people union all
    select gen_random_uuid(), $1::uuid, null, id from machines returning organization_id, user_id, identity_id
  )
  insert into group_members (id, group_id, organization_id, user_id, identity_id)
  select gen_random_uuid(), $2, organization_id, user_id, identity_id from joined`,
  [organizationId, groupId],
)
await beside.query('analyze')

const newPages = () => new MemberPages({ db, orders: new MemberOrders({ db, changes }) })

type Asked = Slice & { types: readonly MemberType[] }

/** One page with what it made PostgreSQL do. */
const ask = async (pages: MemberPages, { types, ...slice }: Asked) => {
  // What is kept may be used only shortly after a read.
  await changes.readNow()
  const before = statements().length
  const page = await pages.find({ organizationId, groupId, types }, slice)
  assert.ok(page)
  const sent = statements().slice(before)
  let cost = 0
  for (const statement of sent) cost += await pagesOf(beside, statement)
  return { page, cost, statements: sent.length }
}

/** The ids in their order, by the simplest statement that says it. */
const inOrder = async (types: readonly MemberType[]): Promise<string[]> => {
  const { rows } = await beside.query<{ id: string }>(
    `select coalesce(u.id, i.id) as id from group_members m
    left join users u on u.id = m.user_id left join identities i on i.id = m.identity_id
    where m.group_id = $1 and (u.id is not null and $2 or i.id is not null and $3)
    order by lower(coalesce(u.first_name, i.name)) collate "C", 1`,
    [groupId, types.includes('users'), types.includes('machineIdentities')],
  )
  return rows.map(({ id }) => id)
}

const BOTH: readonly MemberType[] = ['users', 'machineIdentities']

describe(`pages of a group of ${MEMBERS.toLocaleString('en-US')}`, () => {
  for (const types of [BOTH, ['users'], ['machineIdentities']] satisfies (readonly MemberType[])[]) {
    for (const orderDirection of ['asc', 'desc'] as const) {
      test(`cost the same wherever they are: ${types.join(' and ')}, ${orderDirection}`, async () => {
        const ids = await inOrder(types)
        if (orderDirection === 'desc') ids.reverse()
        const ofPage = (pages: MemberPages, offset: number) =>
          ask(pages, { types, orderDirection, offset, limit: LIMIT })

        const pages = newPages()
        const firstOfAll = await ofPage(pages, 0)
        const first = await ofPage(pages, LIMIT)
        assert.deepEqual([firstOfAll.statements, first.statements], [2, 1])
        for (const offset of [0, 2 * LIMIT, ids.length / 2, ids.length - LIMIT, ids.length - 1, ids.length]) {
          const { page, cost, statements } = await ofPage(pages, offset)
          assert.ok(statements <= 1 && cost <= 2 * first.cost, `${cost} pages at ${offset}, ${first.cost} at the start`)
          assert.equal(page.totalCount, ids.length)
          const shown = page.members.map(({ id }) => id)
          assert.deepEqual(shown, ids.slice(offset, offset + LIMIT))
        }
        const lastOfAll = await ofPage(newPages(), ids.length - LIMIT)
        assert.equal(lastOfAll.statements, 2)
        assert.ok(lastOfAll.cost <= 2 * firstOfAll.cost, `${lastOfAll.cost} pages, ${firstOfAll.cost} for the first`)
      })
    }
  }

  test('cost hardly more while members come and go, and the total is true at once', async () => {
    const pages = newPages()
    const { identityId } = await createIdentity(server, admin, { name: 'Name 77' })
    const path = `/api/v1/groups/${groupId}/machine-identities/${identityId}`
    const ofPage = (offset: number) => ask(pages, { types: BOTH, orderDirection: 'asc', offset, limit: LIMIT })
    await ofPage(0)
    const { cost: quiet } = await ofPage(LIMIT)
    for (const offset of [0, MEMBERS / 2, MEMBERS - LIMIT]) {
      assert.equal((await server.post(path, undefined, { token })).status, 200)
      const added = await ofPage(offset)
      assert.equal(added.page.totalCount, MEMBERS + 1)
      assert.equal((await server.delete(path, { token })).status, 200)
      const removed = await ofPage(offset)
      assert.equal(removed.page.totalCount, MEMBERS)
      assert.ok(Math.max(added.cost, removed.cost) <= 2 * quiet, `${added.cost} and ${removed.cost} at ${offset}`)
    }
  })
})
