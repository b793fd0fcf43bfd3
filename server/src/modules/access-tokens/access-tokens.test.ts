import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  claimsIn,
  expect200,
  type Machine,
  TestMachines,
  TOKEN_AUTH,
  UNIVERSAL_AUTH,
  WHO_AM_I,
} from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const RENEW = '/api/v1/auth/token/renew'
const REVOKE = '/api/v1/auth/token/revoke'

const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)

type Reply = { status: number; body: { error?: unknown } }
const refusal = ({ status, body }: Reply) => [status, body.error]
const use = (token: string, ip?: string) => server.get(WHO_AM_I, ip === undefined ? { token } : { token, ip })
const renew = (accessToken: string) => server.post(RENEW, { accessToken })
const revoke = (accessToken: string) => server.post(REVOKE, { accessToken })
const methodOf = ({ id }: Machine) => `${UNIVERSAL_AUTH}/identities/${id}`

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: object, payload: object, key = '') => {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

describe('a token is rejected', () => {
  const TOKEN_ERROR = [403, 'TokenError']

  test('403 when it is forged in one of the usual ways', async () => {
    const token = await machines.tokenOf(await machines.withSecret())
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const claims = claimsIn(token)
    const forged = [
      'not-a-jwt',
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${encode({ ...claims, exp: claims.exp + 1 })}.${signature}`,
      signed({ alg: 'HS256', typ: 'JWT', kid }, claims),
      signed({ alg: 'HS256', typ: 'JWT' }, claims),
      signed({ alg: 'HS256', typ: 'JWT', kid: '../../etc/passwd' }, claims),
      signed({ alg: 'HS256', typ: 'JWT', kid: "' or 1=1 --" }, claims),
      signed({ alg: 'HS256', typ: 'JWT', kid, jku: 'http://127.0.0.1:1/' }, claims),
      ...['none', 'None', 'HS512', 'RS256', undefined].map(
        (alg) => `${encode({ alg, typ: 'JWT', kid })}.${payload}.${signature}`,
      ),
      `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    ]
    for (const one of forged) assert.deepEqual(refusal(await use(one)), TOKEN_ERROR, one)
    assert.equal((await use(token)).status, 200)
  })

  test('403 from the very second of its end on', async () => {
    const token = await machines.tokenOf(await machines.withSecret({ accessTokenTTL: 10 }))
    const { exp } = claimsIn(token)
    server.clock.advance(exp * 1000 - server.clock.now() - 100)
    assert.equal((await use(token)).status, 200)
    server.clock.advance(100)
    const answer = await use(token)
    assert.deepEqual(refusal(answer), TOKEN_ERROR)
    assert.match(answer.body.message, /expired/)
    assert.deepEqual(refusal(await renew(token)), TOKEN_ERROR)
    assert.deepEqual(refusal(await revoke(token)), TOKEN_ERROR)
  })

  test('401 without one, wherever the URL speaks of logging in', async () => {
    for (const path of [WHO_AM_I, `${WHO_AM_I}?y=/api/v1/auth/universal-auth/login`]) {
      assert.deepEqual(refusal(await server.get(path)), [401, 'UnauthorizedError'])
    }
  })

  test('400 by renewing and revoking when it is one of a person', async () => {
    const login = await server.post('/api/v3/auth/login', { email: admin.email, password: admin.password })
    for (const path of [RENEW, REVOKE]) {
      const answer = await server.post(path, { accessToken: login.body.accessToken })
      assert.deepEqual(refusal(answer), [400, 'BadRequest'])
    }
  })
})

describe('a token ends', () => {
  const ENDED = [401, 'UnauthorizedError']

  test('with its identity', async () => {
    const machine = await machines.withSecret()
    const token = await machines.tokenOf(machine)
    assert.equal((await use(token)).status, 200)
    expect200(await server.delete(`/api/v1/identities/${machine.id}`, { token: admin.token }))
    assert.deepEqual(refusal(await use(token)), ENDED)
    assert.deepEqual(refusal(await renew(token)), ENDED)
    assert.deepEqual(refusal(await machines.login(machine)), ENDED)
  })

  test('with its login method, which those of other methods outlive', async () => {
    const machine = await machines.withSecret()
    const token = await machines.tokenOf(machine)
    expect200(await server.post(`${TOKEN_AUTH}/identities/${machine.id}`, {}, { token: admin.token }))
    const made = await server.post(`${TOKEN_AUTH}/identities/${machine.id}/tokens`, {}, { token: admin.token })
    const other = made.body.accessToken as string
    assert.deepEqual([(await use(token)).status, (await use(other)).status], [200, 200])

    expect200(await server.delete(methodOf(machine), { token: admin.token }))
    assert.deepEqual(refusal(await use(token)), ENDED)
    assert.equal((await use(other)).status, 200)
  })

  test('for good: attached anew in the same second, old ones stay dead and new ones work', async () => {
    const machine = await machines.withSecret()
    const old = await machines.tokenOf(machine)
    expect200(await server.delete(methodOf(machine), { token: admin.token }))
    const attached = expect200(await server.post(methodOf(machine), {}, { token: admin.token }))
    const secret = await server.post(`${methodOf(machine)}/client-secrets`, {}, { token: admin.token })
    const { clientId } = attached.body.identityUniversalAuth
    const login = expect200(await machines.login({ clientId, clientSecret: secret.body.clientSecret }))
    assert.equal((await use(login.body.accessToken)).status, 200)
    assert.deepEqual(refusal(await use(old)), ENDED)
  })

  test('when it is revoked, with all that were renewed from it; doing so again is 401', async () => {
    const token = await machines.tokenOf(await machines.withSecret())
    server.clock.advance(1_000)
    const renewed = expect200(await renew(token)).body.accessToken as string
    assert.deepEqual([(await use(token)).status, (await use(renewed)).status], [200, 200])
    assert.equal(typeof expect200(await revoke(token)).body.message, 'string')
    for (const one of [token, renewed]) {
      assert.deepEqual(refusal(await use(one)), ENDED)
      assert.deepEqual(refusal(await renew(one)), ENDED)
    }
    assert.deepEqual(refusal(await revoke(renewed)), [401, 'UnauthorizedError'])
  })
})

describe('where a token may be used from', () => {
  test('is decided by the list as it is now', async () => {
    const machine = await machines.withSecret({ accessTokenTrustedIps: [{ ipAddress: '10.0.0.0/8' }] })
    const token = await machines.tokenOf(machine)
    assert.equal((await use(token, '10.1.1.1')).status, 200)
    assert.equal((await use(token, '::ffff:10.1.1.1')).status, 200)
    assert.deepEqual(refusal(await use(token, '11.0.0.1')), [403, 'ForbiddenError'])
    assert.equal(claimsIn(token).ipRestrictionEnabled, true)

    const changes = { accessTokenTrustedIps: [{ ipAddress: '11.0.0.1' }, { ipAddress: '2001:db8::/32' }] }
    expect200(await server.patch(methodOf(machine), changes, { token: admin.token }))
    assert.deepEqual(refusal(await use(token, '10.1.1.1')), [403, 'ForbiddenError'])
    assert.equal((await use(token, '11.0.0.1')).status, 200)
    assert.equal((await use(token, '2001:db8::1')).status, 200)
  })

  test('is not decided by headers', async () => {
    const machine = await machines.withSecret({ accessTokenTrustedIps: [{ ipAddress: '10.0.0.1' }] })
    const token = await machines.tokenOf(machine)
    const headers = { 'x-forwarded-for': '10.0.0.1' }
    assert.equal((await server.get(WHO_AM_I, { token, headers, ip: '11.0.0.1' })).status, 403)
  })
})

describe('a token of limited use', () => {
  test('is good for that many requests, whatever their outcome', async () => {
    const token = await machines.tokenOf(await machines.withSecret({ accessTokenNumUsesLimit: 3 }))
    const statuses = [
      (await use(token)).status,
      (await server.get('/api/v1/identities/abc', { token })).status,
      (await use(token)).status,
      (await use(token)).status,
      (await use(token)).status,
    ]
    assert.deepEqual(statuses, [200, 404, 200, 401, 401])
  })

  test('loses none from where it may not be used', async () => {
    const settings = { accessTokenNumUsesLimit: 1, accessTokenTrustedIps: [{ ipAddress: '10.0.0.1' }] }
    const token = await machines.tokenOf(await machines.withSecret(settings))
    const statuses = []
    for (const ip of ['11.0.0.1', '11.0.0.1', '10.0.0.1', '10.0.0.1']) statuses.push((await use(token, ip)).status)
    assert.deepEqual(statuses, [403, 403, 200, 401])
  })

  test('gets no more by being renewed, which takes none', async () => {
    const token = await machines.tokenOf(await machines.withSecret({ accessTokenNumUsesLimit: 2 }))
    const renewed = expect200(await renew(token)).body.accessToken as string
    assert.equal(claimsIn(renewed).numUsesLimit, 2)
    assert.deepEqual([(await use(token)).status, (await use(renewed)).status], [200, 200])
    assert.deepEqual([(await use(token)).status, (await use(renewed)).status], [401, 401])
    assert.deepEqual(refusal(await renew(renewed)), [401, 'UnauthorizedError'])
  })
})

describe('renewing a token', () => {
  test('200 with the same id, a later end and the same beginning, also with a stale header', async () => {
    const token = await machines.tokenOf(await machines.withSecret({ accessTokenTTL: 600 }))
    server.clock.advance(60_000)
    const headers = { authorization: 'Bearer stale' }
    const { status, body } = await server.post(RENEW, { accessToken: ` ${token} ` }, { headers })
    const { accessToken, ...answer } = body
    assert.deepEqual([status, answer], [200, { expiresIn: 600, accessTokenMaxTTL: 2_592_000, tokenType: 'Bearer' }])
    const [before, after] = [claimsIn(token), claimsIn(accessToken)]
    assert.ok(after.exp >= before.exp + 60 && after.iat >= before.iat + 60)
    assert.deepEqual({ ...after, iat: 0, exp: 0 }, { ...before, iat: 0, exp: 0 })
    assert.deepEqual([(await use(token)).status, (await use(accessToken)).status], [200, 200])
  })

  test('is possible until the maximum is reached', async () => {
    let token = await machines.tokenOf(await machines.withSecret({ accessTokenTTL: 60, accessTokenMaxTTL: 150 }))
    const end = claimsIn(token).creationEpoch + 150
    for (let times = 1; times <= 2; times++) {
      server.clock.advance(59_000)
      token = expect200(await renew(token)).body.accessToken as string
    }
    assert.equal(claimsIn(token).exp, end)
    server.clock.advance(end * 1000 - server.clock.now() - 500)
    assert.equal((await use(token)).status, 200)
    server.clock.advance(500)
    assert.deepEqual(refusal(await renew(token)), [403, 'TokenError'])
  })

  test('goes by the settings of its method as they are now', async () => {
    const machine = await machines.withSecret({ accessTokenTTL: 600, accessTokenMaxTTL: 6_000 })
    const token = await machines.tokenOf(machine)
    const lifetime = async (changes: object) => {
      expect200(await server.patch(methodOf(machine), changes, { token: admin.token }))
      return (await renew(token)).body.expiresIn
    }
    server.clock.advance(10_000)
    assert.equal(await lifetime({ accessTokenTTL: 300 }), 300)
    assert.equal(await lifetime({ accessTokenPeriod: 90 }), 90)
    assert.equal(await lifetime({ accessTokenPeriod: 0, accessTokenTTL: 5, accessTokenMaxTTL: 5 }), undefined)
    assert.deepEqual(refusal(await renew(token)), [401, 'UnauthorizedError'])
  })

  test('is possible for ever when it is periodic', async () => {
    let token = await machines.tokenOf(
      await machines.withSecret({ accessTokenPeriod: 100, accessTokenMaxTTL: 2_592_000 }),
    )
    for (let times = 1; times <= 5; times++) {
      server.clock.advance(99_000)
      const { body } = expect200(await renew(token))
      assert.deepEqual([body.expiresIn, body.accessTokenMaxTTL], [100, 0])
      token = body.accessToken
    }
    assert.deepEqual([claimsIn(token).accessTokenTTL, claimsIn(token).accessTokenMaxTTL], [100, 0])
  })

  test('422 without a token, 403 for what is none', async () => {
    for (const path of [RENEW, REVOKE]) {
      assert.deepEqual(refusal(await server.post(path, {})), [422, 'ValidationFailure'])
      for (const accessToken of ['', 'x', 'x'.repeat(100_000)]) {
        assert.deepEqual(refusal(await server.post(path, { accessToken })), [403, 'TokenError'])
      }
    }
  })
})
