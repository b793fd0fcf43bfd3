import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import pg from 'pg'
import { type Machine, TestMachines } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const machines = new TestMachines(server, await server.bootstrap())
const wrong = (machine: Machine) => ({ ...machine, clientSecret: 'f'.repeat(64) })

/** What a login asks of the database: the change feed, jobs and counts that are written together are not its own. */
const OF_LOGINS = /universal_auth_configs|auth_lockouts|universal_auth_client_secrets|insert into audit_logs/
const WRITTEN_TOGETHER = /unnest\(|where expires_at </

const queries = mock.method(pg.Client.prototype, 'query').mock
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: string } | undefined)?.text)

/** The status of a login and how many statements it took, without its audit row. */
const cost = async (machine: Machine) => {
  const before = queries.callCount()
  const { status } = await machines.login(machine)
  const texts = queries.calls.slice(before).map(({ arguments: [query] }) => textOf(query))
  const own = texts.filter((text) => OF_LOGINS.test(text) && !WRITTEN_TOGETHER.test(text))
  const audited = own.filter((text) => text.includes('insert into audit_logs')).length
  return [status, own.length - audited, audited]
}

describe('a login takes at most two statements and its audit row', () => {
  test('with a secret that may be used any number of times', async () => {
    const machine = await machines.withSecret()
    assert.deepEqual(await cost(machine), [200, 1, 1])
    assert.deepEqual(await cost(wrong(machine)), [401, 2, 1])
    assert.deepEqual(await cost(machine), [200, 2, 1])
  })

  test('with a secret of a limited number of uses, after failures too, and when none is left', async () => {
    const machine = await machines.withSecret({}, { numUsesLimit: 2 })
    assert.deepEqual(await cost(machine), [200, 2, 1])
    assert.deepEqual(await cost(wrong(machine)), [401, 2, 1])
    assert.deepEqual(await cost(machine), [200, 2, 1])
    assert.deepEqual(await cost(wrong(machine)), [401, 2, 1])
    assert.deepEqual(await cost(machine), [401, 2, 1])
  })

  test('when it is locked, and for a client id that does not exist', async () => {
    const machine = await machines.withSecret({ lockoutThreshold: 1 })
    await machines.login(wrong(machine))
    assert.deepEqual(await cost(machine), [401, 2, 1])
    assert.deepEqual(await cost({ ...machine, clientId: '00000000-0000-4000-8000-000000000001' }), [401, 2, 1])
  })
})

test('a login with one of a limited number of uses forgets the failures before it', async () => {
  const machine = await machines.withSecret({ lockoutThreshold: 3 }, { numUsesLimit: 5 })
  for (let round = 1; round <= 3; round++) {
    for (let failures = 1; failures <= 2; failures++) await machines.login(wrong(machine))
    assert.equal((await machines.login(machine)).status, 200)
  }
})
