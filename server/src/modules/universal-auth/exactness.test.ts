import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Machine, TestMachines, UNIVERSAL_AUTH, WHO_AM_I } from '../../../test/test-machines.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'

// Two processes on one database, as far as they can tell.
const server = await startTestServer()
const second = await startServerOn(server.url)
after(() => second.stop())

const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const elsewhere = new TestMachines(second, admin)
const { token } = admin

const both = <T>(count: number, call: (target: typeof server, machines: TestMachines) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => (n % 2 === 0 ? call(server, machines) : call(second, elsewhere))))
const tally = (answers: { status: number; body: { message?: string } }[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const kind = `${status}${/locked/.test(body.message ?? '') ? ' locked' : ''}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
const wrong = (machine: Machine) => ({ ...machine, clientSecret: 'f'.repeat(64) })

describe('at the same time, on two processes,', () => {
  test('fifty logins with a secret that is good for five give five tokens', async () => {
    const machine = await machines.withSecret({}, { numUsesLimit: 5 })
    assert.deepEqual(tally(await both(50, (_, on) => on.login(machine))), { '200': 5, '401': 45 })
  })

  test('fifty right logins and a hundred wrong ones give five tokens, and each is counted', async () => {
    const machine = await machines.withSecret({ lockoutEnabled: false }, { numUsesLimit: 5 })
    const [right, failed] = await Promise.all([
      both(50, (_, on) => on.login(machine)),
      both(100, (_, on) => on.login(wrong(machine))),
    ])
    assert.deepEqual([tally(right), tally(failed)], [{ '200': 5, '401': 45 }, { '401': 100 }])
  })

  test('right and wrong logins never give more tokens than uses, nor one after the lock', async () => {
    const machine = await machines.withSecret({}, { numUsesLimit: 5 })
    const [right] = await Promise.all([
      both(50, (_, on) => on.login(machine)),
      both(100, (_, on) => on.login(wrong(machine))),
    ])
    const given = tally(right)['200'] ?? 0
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}/client-secrets/${machine.clientSecretId}`
    assert.equal((await server.get(path, { token })).body.clientSecretData.clientSecretNumUses, given)
    assert.ok(given <= 5)
    assert.deepEqual(tally(await both(4, (_, on) => on.login(wrong(machine))))['200'], undefined)
    assert.deepEqual(tally(await both(2, (_, on) => on.login(machine))), { '401 locked': 2 })
  })

  test('a hundred requests with a token that is good for ten are ten that succeed', async () => {
    const used = await machines.tokenOf(await machines.withSecret({ accessTokenNumUsesLimit: 10 }))
    assert.deepEqual(tally(await both(100, (on) => on.get(WHO_AM_I, { token: used }))), { '200': 10, '401': 90 })
  })

  test('a hundred wrong logins are three that count, and the lock', async () => {
    const machine = await machines.withSecret()
    assert.deepEqual(tally(await both(100, (_, on) => on.login(wrong(machine)))), { '401': 3, '401 locked': 97 })
    assert.deepEqual(tally(await both(2, (_, on) => on.login(machine))), { '401 locked': 2 })
  })

  test('a lock outlives the process, and attempts do not prolong it', async () => {
    const machine = await machines.withSecret({ lockoutDurationSeconds: 300 })
    for (let times = 1; times <= 3; times++) await machines.login(wrong(machine))
    const third = await startServerOn(server.url)
    try {
      const logins = new TestMachines(third, admin)
      assert.deepEqual(tally([await logins.login(machine)]), { '401 locked': 1 })
      third.clock.advance(240_000)
      assert.deepEqual(tally([await logins.login(wrong(machine))]), { '401 locked': 1 })
      third.clock.advance(60_000)
      assert.equal((await logins.login(machine)).status, 200)
    } finally {
      await third.stop()
    }
  })
})

test('uses of a secret without limit are written together, the last of them when the process stops', async () => {
  const machine = await machines.withSecret()
  const third = await startServerOn(server.url)
  const logins = new TestMachines(third, admin)
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await logins.login(machine)).status))
  assert.ok(statuses.every((status) => status === 200))
  await third.stop()
  const path = `${UNIVERSAL_AUTH}/identities/${machine.id}/client-secrets/${machine.clientSecretId}`
  assert.equal((await server.get(path, { token })).body.clientSecretData.clientSecretNumUses, 200)
})

describe('what one process revokes has no effect on the other after a second:', () => {
  const path = (machine: Machine) => `${UNIVERSAL_AUTH}/identities/${machine.id}`
  const cases: [
    name: string,
    revoke: (machine: Machine, token: string) => Promise<{ status: number }>,
    status: number,
  ][] = [
    ['a token', (_, accessToken) => server.post('/api/v1/auth/token/revoke', { accessToken }), 401],
    [
      'a client secret',
      (machine) => server.post(`${path(machine)}/client-secrets/${machine.clientSecretId}/revoke`, {}, { token }),
      401,
    ],
    ['universal auth', (machine) => server.delete(path(machine), { token }), 401],
    ['an identity', (machine) => server.delete(`/api/v1/identities/${machine.id}`, { token }), 401],
    [
      'a trusted address',
      (machine) => server.patch(path(machine), { accessTokenTrustedIps: [{ ipAddress: '10.0.0.1' }] }, { token }),
      403,
    ],
  ]
  for (const [name, revoke, status] of cases) {
    test(name, async () => {
      const machine = await machines.withSecret()
      const used = await machines.tokenOf(machine)
      const isUsed = async () => (await second.get(WHO_AM_I, { token: used })).status
      for (let times = 1; times <= 3; times++) assert.equal(await isUsed(), 200)

      assert.equal((await revoke(machine, used)).status, 200)
      const revokedAt = performance.now()
      // What counts is when a request began: its answer may be on its way for long on a busy machine.
      for (let askedAt = revokedAt; (await isUsed()) === 200; askedAt = performance.now()) {
        assert.ok(askedAt - revokedAt < 1_000, 'still good after a second')
      }
      assert.equal(await isUsed(), status)
    })
  }

  test('and what it makes is there at once', async () => {
    const machine = await machines.withSecret({ accessTokenTrustedIps: [{ ipAddress: '10.0.0.1' }] })
    const login = await elsewhere.login(machine)
    const used = login.body.accessToken as string
    assert.equal((await second.get(WHO_AM_I, { token: used, ip: '11.0.0.1' })).status, 403)
    const changes = { accessTokenTrustedIps: [{ ipAddress: '11.0.0.1' }] }
    assert.equal((await server.patch(path(machine), changes, { token })).status, 200)
    assert.equal((await second.get(WHO_AM_I, { token: used, ip: '11.0.0.1' })).status, 200)
  })
})
