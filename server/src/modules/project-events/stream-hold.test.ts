import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../test/lock-waits.ts'
import { openBeside } from '../../../test/test-database.ts'
import { expect200 } from '../../../test/test-machines.ts'
import { createMember } from '../../../test/test-projects.ts'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { startStreamServer, TestStream } from '../../../test/test-streams.ts'

const { server, port } = await startStreamServer()
const admin = await server.bootstrap()
const beside = openBeside(server.url)
const db = beside.pool

test('what waited for a right to be confirmed is told when another stream of the same token finds that it is', async () => {
  const secrets = await TestSecrets.open(server, admin)
  const { projectId } = secrets
  const { token, identityId } = await createMember(server, admin, { db, projectId, role: 'member' })
  const witness = await TestStream.open(port, { token: admin.token, projectId })
  const held = await TestStream.open(port, { token, projectId })

  await db.transaction().execute(async (tx) => {
    // Whoever asks what the member may do waits here.
    await sql`lock table identity_metadata in access exclusive mode`.execute(tx)
    const roles = [{ role: 'viewer' }]
    const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
    expect200(await server.patch(path, { roles }, { token: admin.token }))
    await lockWaits(db)
    expect200(await secrets.create('A', 'a'))
    await witness.waitFor(1)
    assert.deepEqual(held.told, [])
    // The question fails, and is asked again a little later.
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(tx)
  })
  const other = await TestStream.open(port, { token, projectId })
  await held.waitFor(1)
  assert.deepEqual([held.told, other.told], [['create dev / A'], []])
})
