import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createGroup } from '../../../test/test-members.ts'
import { startTestServer } from '../../../test/test-server.ts'
import { newId } from '../../lib/uuid.ts'
import { identitiesOf } from './group-candidates.store.ts'
import { MemberOrders } from './member-orders.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { organizationId } = admin
const { db, changes } = server.app.services
const { id: groupId } = await createGroup(server, admin)

const addMachines = async (count: number) => {
  const ids = Array.from({ length: count }, () => newId())
  await db.transaction(async (tx) => {
    await sql`insert into identities (id, organization_id, name)
      select id, ${organizationId}, 'machine' from unnest(${ids}::uuid[]) a (id)`.execute(tx)
    await changes.append(tx, ...ids.map((id) => ({ scope: `actor:${id}`, kind: 'identity-changed' })))
  })
  await changes.readNow()
}

test('an order that has grown far beyond what it was weighed with is loaded anew', async () => {
  const orders = new MemberOrders({ db, changes })
  const current = async () => {
    const listing = await orders.current(identitiesOf({ organizationId, groupId }, {}))
    return { number: listing?.number, size: listing?.order.size }
  }
  const { size = 0 } = await current()
  await addMachines(5)
  assert.deepEqual(await current(), { number: 1, size: size + 5 })
  await addMachines(100)
  assert.equal((await current()).size, size + 105)
  assert.deepEqual(await current(), { number: 2, size: size + 105 })
  assert.deepEqual(await current(), { number: 2, size: size + 105 })
})
