import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../../../test/loopback-certificate.ts'
import { expect200, TestMachines } from '../../../test/test-machines.ts'
import { TestOpenIdProvider } from '../../../test/test-openid-provider.ts'
import { startServerOn, startTestServer, type TestServer } from '../../../test/test-server.ts'

const OIDC_AUTH = '/api/v1/auth/oidc-auth'
const LOOPBACK = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }
const TEN_SECONDS = 10_000
const A_DAY = 86_400_000
const server = await startTestServer(LOOPBACK)
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)

const bound = async ({ issuer }: TestOpenIdProvider, settings: object = {}): Promise<string> => {
  const id = await machines.identity()
  const body = { oidcDiscoveryUrl: issuer, boundIssuer: issuer, boundClaims: {}, ...settings }
  expect200(await server.post(`${OIDC_AUTH}/identities/${id}`, body, { token: admin.token }))
  return id
}
const login = async (identityId: string, jwt: string, at: TestServer = server) =>
  (await at.post(`${OIDC_AUTH}/login`, { identityId, jwt })).status

/** The statuses of so many logins, some at a time. */
const logins = async (count: number, one: () => Promise<number>): Promise<number[]> => {
  const statuses = new Set<number>()
  const worker = async () => {
    while (count-- > 0) statuses.add(await one())
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return [...statuses]
}

describe('a provider that is known', () => {
  test('is not asked by a login, and may be away for a thousand of them', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt] = [await bound(provider), await provider.sign()]
    assert.equal(await login(id, jwt), 200)
    assert.deepEqual(provider.requests, ['/.well-known/openid-configuration', '/jwks'])
    assert.equal(await login(await bound(provider), jwt), 200, 'whoever else is bound to it')
    assert.equal(provider.requests.length, 2)

    await provider.goAway()
    assert.deepEqual(await logins(1_000, () => login(id, jwt)), [200])
  })

  test('that is away is asked for an unknown key once in ten seconds, and known keys go on', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt, unknown] = [await bound(provider), await provider.sign(), await provider.sign({}, 'unknown')]
    assert.equal(await login(id, jwt), 200)
    await provider.goAway()
    assert.deepEqual(await logins(50, () => login(id, unknown)), [401])
    assert.equal(await login(id, jwt), 200)
    await provider.comeBack()
    assert.equal(await login(id, unknown), 401)
    assert.equal(provider.keyFetches, 1)
    server.clock.advance(TEN_SECONDS)
    assert.equal(await login(id, unknown), 401)
    assert.equal(provider.keyFetches, 2)
  })

  test('may change its keys: they are fetched once, not once for each login', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, old] = [await bound(provider), await provider.sign()]
    assert.equal(await login(id, old), 200)
    provider.rotateKeys('next')
    const jwt = await provider.token()
    assert.deepEqual(await logins(100, () => login(id, jwt)), [200])
    assert.equal(provider.keyFetches, 2)
    assert.equal(await login(id, old), 401, 'what the old key signed')

    const invented = await Promise.all(['a', 'b', 'c'].map((kid) => provider.sign({}, kid)))
    for (const one of invented) assert.equal(await login(id, one), 401)
    assert.equal(provider.keyFetches, 2)
    server.clock.advance(TEN_SECONDS)
    assert.deepEqual(await logins(30, () => login(id, invented[0] ?? '')), [401])
    assert.equal(provider.keyFetches, 3)
  })

  test('may be away while a server starts, but not for more than a day', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt] = [await bound(provider), await provider.sign()]
    assert.equal(await login(id, jwt), 200)
    await provider.goAway()
    const other = await startServerOn(server.url, LOOPBACK)
    try {
      other.clock.advance(A_DAY - 60_000)
      assert.equal(await login(id, jwt, other), 200)
      // The first server's clock is a little ahead.
      other.clock.advance(A_DAY)
      assert.equal(await login(id, jwt, other), 401)
      await provider.comeBack()
      other.clock.advance(TEN_SECONDS)
      assert.equal(await login(id, jwt, other), 200)
    } finally {
      await other.stop()
    }
  })

  test('is not asked by a second server that can know from the first', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt] = [await bound(provider), await provider.sign()]
    assert.equal(await login(id, jwt), 200)
    const other = await startServerOn(server.url, LOOPBACK)
    try {
      assert.equal(await login(id, jwt, other), 200)
      assert.equal(provider.keyFetches, 1)
    } finally {
      await other.stop()
    }
  })
})

describe('a provider that is not known yet', () => {
  test('is asked once by all who come at once', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt] = [await bound(provider), await provider.sign()]
    assert.deepEqual(await logins(50, () => login(id, jwt)), [200])
    assert.equal(provider.keyFetches, 1)
  })

  test('with a key that it does not have is asked once, not twice', async () => {
    const provider = await TestOpenIdProvider.start()
    assert.equal(await login(await bound(provider), await provider.sign({}, 'unknown')), 401)
    assert.equal(provider.keyFetches, 1)
  })

  test('and is away: 401, and it is tried again after ten seconds', async () => {
    const provider = await TestOpenIdProvider.start()
    const [id, jwt] = [await bound(provider), await provider.sign()]
    await provider.goAway()
    assert.equal(await login(id, jwt), 401)
    await provider.comeBack()
    assert.equal(await login(id, jwt), 401)
    assert.equal(provider.requests.length, 0)
    server.clock.advance(TEN_SECONDS)
    assert.equal(await login(id, jwt), 200)
  })

  test('and is away: another URL is tried at once', async () => {
    const [dead, alive] = [await TestOpenIdProvider.start(), await TestOpenIdProvider.start()]
    const id = await bound(dead)
    await dead.goAway()
    assert.equal(await login(id, await dead.sign()), 401)
    const changes = { oidcDiscoveryUrl: alive.issuer, boundIssuer: alive.issuer }
    expect200(await server.patch(`${OIDC_AUTH}/identities/${id}`, changes, { token: admin.token }))
    assert.equal(await login(id, await alive.sign()), 200)
  })
})

describe('a private provider', async () => {
  const provider = await TestOpenIdProvider.start({ cert: LOOPBACK_CERTIFICATE, key: LOOPBACK_KEY })
  const jwt = await provider.sign()

  test('is believed when the CA certificate vouches for it', async () => {
    assert.equal(await login(await bound(provider, { caCert: LOOPBACK_CERTIFICATE }), jwt), 200)
  })

  test('is not believed without, nor with what is no certificate, and keys got otherwise do not count', async () => {
    const id = await bound(provider)
    assert.equal(await login(id, jwt), 401)
    const change = async (caCert: string) =>
      expect200(await server.patch(`${OIDC_AUTH}/identities/${id}`, { caCert }, { token: admin.token }))
    await change('nonsense')
    assert.equal(await login(id, jwt), 401)
    await change(LOOPBACK_CERTIFICATE)
    assert.equal(await login(id, jwt), 200)
    await change('')
    assert.equal(await login(id, jwt), 401)
  })
})
