import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Administrator, call } from './administrator.ts'
import { createDataDirectory } from './server-process.ts'

const ROUNDS = Number(process.env['HOLDFAST_CRASH_ROUNDS'] ?? 2)
const WRITERS = 200

const directory = await createDataDirectory()
after(directory.remove)

describe('a server that is killed while 200 clients write', () => {
  test('has every acknowledged write after it is started again, each time', async () => {
    let server = await directory.start()
    const administrator = await Administrator.bootstrap(server.url)
    const acknowledged: string[] = []
    const create = async (name: string) => {
      const { identity } = await administrator
        .at(server.url)
        .post('/api/v1/identities', { name, organizationId: administrator.organizationId })
      acknowledged.push(identity.id)
    }

    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.length
      const writes = Array.from({ length: WRITERS }, (_, writer) => create(`${round}-${writer}`).catch(() => undefined))
      while (acknowledged.length < before + WRITERS / 10) await sleep(1)
      await server.kill()
      await Promise.all(writes)
      server = await directory.start()

      const { identities } = await call(server.url, 'GET', `/api/v1/identities?orgId=${administrator.organizationId}`, {
        token: administrator.token,
      })
      const present = new Set(identities.map(({ identityId }: { identityId: string }) => identityId))
      assert.deepEqual(
        acknowledged.filter((id) => !present.has(id)),
        [],
        `round ${round}`,
      )
      const { auditLogs } = await call(
        server.url,
        'GET',
        '/api/v1/organization/audit-logs?eventType=create-identity&limit=1000',
        { token: administrator.token },
      )
      const audited = new Set(
        auditLogs.map(({ event }: { event: { metadata: { identityId: string } } }) => event.metadata.identityId),
      )
      assert.deepEqual(
        [...present].filter((id) => !audited.has(id)),
        [],
        `every write has its audit row in round ${round}`,
      )
    }
    await server.stop()
    assert.ok(acknowledged.length >= ROUNDS * (WRITERS / 10))
  })
})
