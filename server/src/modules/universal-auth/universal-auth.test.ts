import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { TestMachines, UNIVERSAL_AUTH, without } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin

const pathOf = (identityId: string) => `${UNIVERSAL_AUTH}/identities/${identityId}`
const EVERYWHERE = [
  { ipAddress: '0.0.0.0', type: 'ipv4', prefix: 0 },
  { ipAddress: '::', type: 'ipv6', prefix: 0 },
]
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const attach = async (body: object = {}, identityId?: string) =>
  server.post(pathOf(identityId ?? (await machines.identity())), body, { token })
/** An identity that has it. */
const attached = async (body: object = {}): Promise<string> => {
  const answer = await attach(body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.identityUniversalAuth.identityId
}

const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]

describe('attaching universal auth', () => {
  test('200 with the defaults for an empty object', async () => {
    const identityId = await machines.identity()
    const { status, body } = await attach({}, identityId)
    const { id, clientId, createdAt, updatedAt, ...config } = body.identityUniversalAuth
    assert.equal(status, 200)
    assert.match(id, UUID)
    assert.match(clientId, UUID)
    assert.equal(new Date(createdAt).toISOString(), createdAt)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(config, {
      identityId,
      accessTokenTTL: 2_592_000,
      accessTokenMaxTTL: 2_592_000,
      accessTokenNumUsesLimit: 0,
      accessTokenPeriod: 0,
      accessTokenTrustedIps: EVERYWHERE,
      clientSecretTrustedIps: EVERYWHERE,
      lockoutEnabled: true,
      lockoutThreshold: 3,
      lockoutDurationSeconds: 300,
      lockoutCounterResetSeconds: 30,
    })
  })

  test('200 with every field as it was sent, addresses in their order and spelling', async () => {
    const { body } = await attach({
      clientSecretTrustedIps: [{ ipAddress: '10.1.2.3/8' }, { ipAddress: '192.168.1.7' }],
      accessTokenTrustedIps: [{ ipAddress: '2001:db8::/32' }, { ipAddress: ' 0.0.0.0/0 ' }],
      accessTokenTTL: 3600,
      accessTokenMaxTTL: 86_400,
      accessTokenNumUsesLimit: 5,
      accessTokenPeriod: 600,
      lockoutEnabled: false,
      lockoutThreshold: 2.5,
      lockoutDurationSeconds: 60.5,
      lockoutCounterResetSeconds: 10.25,
    })
    const config = without(body.identityUniversalAuth, 'id', 'clientId', 'identityId', 'createdAt', 'updatedAt')
    assert.deepEqual(config, {
      clientSecretTrustedIps: [
        { ipAddress: '10.1.2.3', type: 'ipv4', prefix: 8 },
        { ipAddress: '192.168.1.7', type: 'ipv4' },
      ],
      accessTokenTrustedIps: [
        { ipAddress: '2001:db8::', type: 'ipv6', prefix: 32 },
        { ipAddress: '0.0.0.0', type: 'ipv4', prefix: 0 },
      ],
      accessTokenTTL: 3600,
      accessTokenMaxTTL: 86_400,
      accessTokenNumUsesLimit: 5,
      accessTokenPeriod: 600,
      lockoutEnabled: false,
      lockoutThreshold: 2.5,
      lockoutDurationSeconds: 60.5,
      lockoutCounterResetSeconds: 10.25,
    })
  })

  for (const [name, body] of [
    [
      'what shipped clients send besides',
      { identityId: 7, clientSecretNumUsesLimit: 0, isClientSecretRotationEnabled: 0 },
    ],
    ['no limits at all', { accessTokenTTL: 0, accessTokenMaxTTL: 0 }],
    ['the longest lifetimes', { accessTokenTTL: 315_360_000, accessTokenMaxTTL: 315_360_000 }],
    ['a period of any length', { accessTokenPeriod: 9_007_199_254_740_991 }],
    ['the bounds of lockout', { lockoutThreshold: 30, lockoutDurationSeconds: 30, lockoutCounterResetSeconds: 3_600 }],
    [
      'a hundred addresses',
      { accessTokenTrustedIps: Array.from({ length: 100 }, (_, n) => ({ ipAddress: `10.0.0.${n}` })) },
    ],
  ] as const) {
    test(`200 with ${name}`, async () => assert.equal((await attach(body)).status, 200))
  }

  const issues: [name: string, body: object, issues: object[]][] = [
    ['an unknown property', { nonsense: true }, [{ code: 'unrecognized_keys', path: [] }]],
    [
      'an unknown property of an address',
      { accessTokenTrustedIps: [{ ipAddress: '0.0.0.0/0', x: 1 }] },
      [{ code: 'unrecognized_keys', path: ['accessTokenTrustedIps', 0] }],
    ],
    ['an empty list', { accessTokenTrustedIps: [] }, [{ code: 'too_small', path: ['accessTokenTrustedIps'] }]],
    [
      'a very long list',
      { clientSecretTrustedIps: Array.from({ length: 101 }, () => ({ ipAddress: '10.0.0.1' })) },
      [{ code: 'too_big', path: ['clientSecretTrustedIps'] }],
    ],
    [
      'an address that is missing',
      { accessTokenTrustedIps: [{}] },
      [{ code: 'invalid_type', path: ['accessTokenTrustedIps', 0, 'ipAddress'] }],
    ],
    ['TTL -1', { accessTokenTTL: -1 }, [{ code: 'too_small', path: ['accessTokenTTL'] }]],
    ['TTL 1.5', { accessTokenTTL: 1.5 }, [{ code: 'invalid_type', path: ['accessTokenTTL'] }]],
    ['TTL as text', { accessTokenTTL: '3600' }, [{ code: 'invalid_type', path: ['accessTokenTTL'] }]],
    ['TTL null', { accessTokenTTL: null }, [{ code: 'invalid_type', path: ['accessTokenTTL'] }]],
    [
      'both TTLs over the bound',
      { accessTokenTTL: 315_360_001, accessTokenMaxTTL: 315_360_001 },
      [
        { code: 'too_big', path: ['accessTokenTTL'] },
        { code: 'too_big', path: ['accessTokenMaxTTL'] },
      ],
    ],
    ['a TTL above the maximum', { accessTokenTTL: 100, accessTokenMaxTTL: 50 }, [{ code: 'custom', path: [] }]],
    ['a maximum of 0 alone', { accessTokenMaxTTL: 0 }, [{ code: 'custom', path: [] }]],
    ['a uses limit of -1', { accessTokenNumUsesLimit: -1 }, [{ code: 'too_small', path: ['accessTokenNumUsesLimit'] }]],
    ['a period of -1', { accessTokenPeriod: -1 }, [{ code: 'too_small', path: ['accessTokenPeriod'] }]],
    ['a threshold of 0', { lockoutThreshold: 0 }, [{ code: 'too_small', path: ['lockoutThreshold'] }]],
    ['a threshold of 31', { lockoutThreshold: 31 }, [{ code: 'too_big', path: ['lockoutThreshold'] }]],
    ['a lock of 29 s', { lockoutDurationSeconds: 29 }, [{ code: 'too_small', path: ['lockoutDurationSeconds'] }]],
    ['a lock of 86401 s', { lockoutDurationSeconds: 86_401 }, [{ code: 'too_big', path: ['lockoutDurationSeconds'] }]],
    [
      'a reset of 4 s',
      { lockoutCounterResetSeconds: 4 },
      [{ code: 'too_small', path: ['lockoutCounterResetSeconds'] }],
    ],
    [
      'a reset of 3601 s',
      { lockoutCounterResetSeconds: 3_601 },
      [{ code: 'too_big', path: ['lockoutCounterResetSeconds'] }],
    ],
    ['lockoutEnabled "yes"', { lockoutEnabled: 'yes' }, [{ code: 'invalid_type', path: ['lockoutEnabled'] }]],
    [
      'two faults at once, in the order of the fields',
      { lockoutThreshold: 0, accessTokenTTL: 'x' },
      [
        { code: 'invalid_type', path: ['accessTokenTTL'] },
        { code: 'too_small', path: ['lockoutThreshold'] },
      ],
    ],
    ['an array', [], [{ code: 'invalid_type', path: [] }]],
  ]
  for (const [name, body, expected] of issues) {
    test(`422 for ${name}`, async () => {
      const answer = await attach(body)
      assert.deepEqual(refusal(answer), [422, 'ValidationFailure'])
      const found = (answer.body.message as { code: string; path: unknown }[]).map(({ code, path }) => ({ code, path }))
      assert.deepEqual(found, expected)
    })
  }

  test('422 without a body', async () => {
    const answer = await server.post(pathOf(await machines.identity()), undefined, { token })
    assert.deepEqual(refusal(answer), [422, 'ValidationFailure'])
  })

  for (const ipAddress of ['not-an-ip', '10.0.0.0/99', '10.0.0.0/8/9', '10.0.0.0/8abc', 'fe80::1%eth0', '']) {
    test(`400 for the address '${ipAddress}'`, async () => {
      assert.deepEqual(refusal(await attach({ accessTokenTrustedIps: [{ ipAddress }] })), [400, 'BadRequest'])
    })
  }

  test('400 when it is attached already, and one of several at the same time gets through', async () => {
    const identityId = await machines.identity()
    const answers = await Promise.all(Array.from({ length: 5 }, () => attach({}, identityId)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  for (const id of [randomUUID(), 'abc', '{0}', 'x'.repeat(100)]) {
    test(`404 for the identity '${id.slice(0, 40)}'`, async () => {
      assert.deepEqual(refusal(await attach({}, id)), [404, 'NotFound'])
    })
  }

  test('401 without a token', async () => {
    assert.deepEqual(refusal(await server.post(pathOf(randomUUID()), {})), [401, 'UnauthorizedError'])
  })
})

describe('getting it', () => {
  test('200 with what was attached', async () => {
    const { body } = await attach({ accessTokenTTL: 60 })
    const got = await server.get(pathOf(body.identityUniversalAuth.identityId), { token })
    assert.deepEqual([got.status, got.body], [200, body])
  })

  test('404 when it is not attached, or there is no such identity', async () => {
    for (const id of [await machines.identity(), randomUUID(), 'abc']) {
      assert.deepEqual(refusal(await server.get(pathOf(id), { token })), [404, 'NotFound'])
    }
  })
})

describe('changing it', () => {
  test('200 changes what is named and nothing else', async () => {
    const { body } = await attach({ accessTokenTTL: 60, lockoutThreshold: 5 })
    const before = body.identityUniversalAuth
    const changes = {
      accessTokenMaxTTL: 120,
      clientSecretTrustedIps: [{ ipAddress: '10.0.0.0/8' }],
      identityId: 'ignored',
    }
    const { status, body: changed } = await server.patch(pathOf(before.identityId), changes, { token })
    const expected = {
      ...before,
      accessTokenMaxTTL: 120,
      clientSecretTrustedIps: [{ ipAddress: '10.0.0.0', type: 'ipv4', prefix: 8 }],
    }
    assert.equal(status, 200)
    assert.deepEqual(without(changed.identityUniversalAuth, 'updatedAt'), without(expected, 'updatedAt'))
  })

  test('200 for an empty object, and nothing changes', async () => {
    const { body } = await attach()
    const changed = await server.patch(pathOf(body.identityUniversalAuth.identityId), {}, { token })
    assert.deepEqual([changed.status, changed.body], [200, body])
  })

  test('the TTL is compared with the maximum that it will have', async () => {
    const id = await attached({ accessTokenTTL: 60, accessTokenMaxTTL: 1_000 })
    const statuses = []
    for (const changes of [
      { accessTokenMaxTTL: 100 },
      { accessTokenMaxTTL: 59 },
      { accessTokenTTL: 101 },
      { accessTokenMaxTTL: 0 },
      { accessTokenTTL: 1_000_000 },
    ]) {
      statuses.push((await server.patch(pathOf(id), changes, { token })).status)
    }
    assert.deepEqual(statuses, [200, 400, 400, 200, 200])
  })

  for (const [status, error, name, changes] of [
    [422, 'ValidationFailure', 'a TTL above the maximum', { accessTokenTTL: 100, accessTokenMaxTTL: 50 }],
    [422, 'ValidationFailure', 'a period beyond ten years', { accessTokenPeriod: 315_360_001 }],
    [422, 'ValidationFailure', 'an empty list', { clientSecretTrustedIps: [] }],
    [400, 'BadRequest', 'what is no address', { accessTokenTrustedIps: [{ ipAddress: 'x' }] }],
  ] as const) {
    test(`${status} for ${name}`, async () => {
      assert.deepEqual(refusal(await server.patch(pathOf(await attached()), changes, { token })), [status, error])
    })
  }

  test('404 when it is not attached, or there is no such identity', async () => {
    for (const id of [await machines.identity(), randomUUID(), 'abc']) {
      assert.deepEqual(refusal(await server.patch(pathOf(id), {}, { token })), [404, 'NotFound'])
    }
  })
})

describe('detaching it', () => {
  test('200 with what there was; a new one has another client id', async () => {
    const { body } = await attach()
    const { identityId, clientId } = body.identityUniversalAuth
    const detached = await server.delete(pathOf(identityId), { token, body: { identityId } })
    assert.deepEqual([detached.status, detached.body], [200, body])
    assert.deepEqual(refusal(await server.get(pathOf(identityId), { token })), [404, 'NotFound'])
    const again = await attach({}, identityId)
    assert.notEqual(again.body.identityUniversalAuth.clientId, clientId)
  })

  test('400 when it is not attached', async () => {
    assert.deepEqual(refusal(await server.delete(pathOf(await machines.identity()), { token })), [400, 'BadRequest'])
  })

  test('404 for an unknown identity', async () => {
    assert.deepEqual(refusal(await server.delete(pathOf(randomUUID()), { token })), [404, 'NotFound'])
  })
})

describe('clearing lockouts', () => {
  test('200 with 0 when there is nothing, also without a body', async () => {
    const answer = await server.post(`${pathOf(await attached())}/clear-lockouts`, undefined, { token })
    assert.deepEqual([answer.status, answer.body], [200, { deleted: 0 }])
  })

  test('400 when universal auth is not attached', async () => {
    const answer = await server.post(`${pathOf(await machines.identity())}/clear-lockouts`, {}, { token })
    assert.deepEqual(refusal(answer), [400, 'BadRequest'])
  })
})
