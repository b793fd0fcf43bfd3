import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { startTestServer } from '../../../test/test-server.ts'

const IDENTITIES = 20_000
/** Far below what rendering them in one go takes, far above what a busy machine adds by itself. */
const BLOCKED_MS_MAX = 700

const server = await startTestServer()
const admin = await server.bootstrap()
const db = openBeside(server.url)

test('listing very many identities keeps nobody else waiting', async () => {
  await sql`with made as (
      insert into identities (id, organization_id, name)
      select gen_random_uuid(), ${admin.organizationId}, 'machine ' || n from generate_series(1, ${IDENTITIES}) n
      returning id, organization_id
    ), members as (
      insert into organization_memberships (id, organization_id, identity_id, status, is_active)
      select gen_random_uuid(), organization_id, id, 'accepted', true from made returning id
    )
    insert into organization_membership_roles (id, membership_id, role)
    select gen_random_uuid(), id, 'member' from members`.execute(db.pool)

  const watch = watchEventLoop()
  const { token, organizationId } = admin
  const { body } = await server.get('/api/v1/identities', { token, query: { orgId: organizationId } })
  const path = `/api/v2/organizations/${organizationId}/identity-memberships`
  const same = await server.get(path, { token, query: { limit: '20000' } })
  const blockedMs = watch.end()
  assert.deepEqual([body.totalCount, body.identities.length], [IDENTITIES + 1, IDENTITIES])
  assert.deepEqual(same.body.identityMemberships, body.identities)
  assert.ok(blockedMs < BLOCKED_MS_MAX, `nobody else was served for ${blockedMs} ms`)
})

/** Tells the longest time during which nothing else had its turn; of the processor, since others may use it as well. */
const watchEventLoop = () => {
  const cpuMs = () => process.cpuUsage().user / 1_000
  let [last, longestMs] = [cpuMs(), 0]
  const look = () => {
    const now = cpuMs()
    longestMs = Math.max(longestMs, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    end: () => {
      clearInterval(timer)
      look()
      return longestMs
    },
  }
}
