import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  claimsIn,
  expect200,
  type Machine,
  TestMachines,
  UNIVERSAL_AUTH,
  WHO_AM_I,
} from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const LOGIN = `${UNIVERSAL_AUTH}/login`
const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin

const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]
const REFUSED = [401, 'UnauthorizedError']
const wrong = (machine: Machine) => machines.login({ ...machine, clientSecret: 'f'.repeat(64) })
const change = (machine: Machine, changes: object) =>
  server.patch(`${UNIVERSAL_AUTH}/identities/${machine.id}`, changes, { token })
const clear = (machine: Machine) =>
  server.post(`${UNIVERSAL_AUTH}/identities/${machine.id}/clear-lockouts`, {}, { token })
const locks = async (machine: Machine) =>
  (await server.get(`/api/v1/identities/${machine.id}`, { token })).body.identity.identity.activeLockoutAuthMethods

describe('logging in', () => {
  test('200 with a token that works and says who it is', async () => {
    const machine = await machines.withSecret({
      accessTokenTTL: 600,
      accessTokenMaxTTL: 3600,
      accessTokenNumUsesLimit: 9,
    })
    const { status, body } = await machines.login(machine)
    const { accessToken, ...answer } = body
    assert.deepEqual([status, answer], [200, { expiresIn: 600, accessTokenMaxTTL: 3600, tokenType: 'Bearer' }])

    const { identityName, iat, exp, jti, identityAccessTokenId, creationEpoch, ...claims } = claimsIn(accessToken)
    assert.deepEqual(claims, {
      identityId: machine.id,
      authMethod: 'universal-auth',
      orgId: admin.organizationId,
      rootOrgId: admin.organizationId,
      parentOrgId: admin.organizationId,
      clientSecretId: machine.clientSecretId,
      ipRestrictionEnabled: false,
      accessTokenTTL: 600,
      accessTokenMaxTTL: 3600,
      accessTokenPeriod: 0,
      authTokenType: 'identityAccessToken',
      identityAuth: {},
      numUsesLimit: 9,
    })
    assert.match(identityName, /^machine \d+$/)
    assert.deepEqual([exp - iat, jti, creationEpoch], [600, identityAccessTokenId, iat])
    assert.equal((await server.get(WHO_AM_I, { token: accessToken })).status, 200)
  })

  for (const [name, settings, expected] of [
    ['the ceiling for lifetimes without limit', { accessTokenTTL: 0, accessTokenMaxTTL: 0 }, [7_776_000, 0]],
    ['the ceiling at most', { accessTokenTTL: 315_360_000, accessTokenMaxTTL: 315_360_000 }, [7_776_000, 315_360_000]],
    ['its period, and no maximum', { accessTokenPeriod: 120 }, [120, 0]],
  ] as const) {
    test(`200 with ${name}`, async () => {
      const { body } = await machines.login(await machines.withSecret(settings))
      assert.deepEqual([body.expiresIn, body.accessTokenMaxTTL], expected)
      assert.equal(claimsIn(body.accessToken).exp - claimsIn(body.accessToken).iat, expected[0])
    })
  }

  test('200 in every form that clients use', async () => {
    const { clientId, clientSecret } = await machines.withSecret()
    const form = `clientId=${clientId}&clientSecret=${clientSecret}`
    const inject = (url: string, payload: string | object, headers: Record<string, string> = {}) =>
      server.app.http.inject({ method: 'POST', url, payload, headers })
    const answers = [
      await inject(`${LOGIN}/`, { clientId, clientSecret }),
      await inject(LOGIN, form, { 'content-type': 'application/x-www-form-urlencoded' }),
      await inject(LOGIN, {
        clientId: ` ${clientId} `,
        clientSecret: `${clientSecret}\n`,
        identityId: admin.identityId,
      }),
      await inject(LOGIN, { clientId, clientSecret }, { authorization: 'Bearer stale' }),
    ]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 200, 200],
    )
  })

  test('415 for other content types', async () => {
    const { clientId, clientSecret } = await machines.withSecret()
    for (const type of ['text/plain', 'application/xml']) {
      const payload = JSON.stringify({ clientId, clientSecret })
      const headers = { 'content-type': type }
      assert.equal((await server.app.http.inject({ method: 'POST', url: LOGIN, payload, headers })).statusCode, 415)
    }
  })

  test('401, with one answer, for a wrong secret, an unknown client id and what cannot be one', async () => {
    const machine = await machines.withSecret({ lockoutEnabled: false })
    const other = await machines.withSecret()
    const answers = await Promise.all([
      wrong(machine),
      machines.login({ ...machine, clientSecret: '' }),
      machines.login({ ...machine, clientSecret: `${machine.clientSecret.slice(0, 4)}${'0'.repeat(60)}` }),
      machines.login({ ...machine, clientSecret: other.clientSecret }),
      machines.login({ ...machine, clientSecret: 'nul\0' }),
      machines.login({ ...machine, clientId: randomUUID() }),
      ...['', '__proto__', "' or 1=1 --", '\0', 'constructor', 'é'].map((clientId) =>
        machines.login({ ...machine, clientId }),
      ),
    ])
    for (const { status, body } of answers) {
      assert.deepEqual({ ...body, reqId: '' }, { ...answers[0].body, reqId: '' })
      assert.equal(status, 401)
    }
  })

  for (const [name, clientSecret] of [
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['a number', 7],
    ['null', null],
    ['an array', ['x']],
    ['an object', {}],
  ] as const) {
    test(`422 for a secret that is ${name}`, async () => {
      const answer = await server.post(LOGIN, { clientId: randomUUID(), clientSecret })
      assert.deepEqual(refusal(answer), [422, 'ValidationFailure'])
    })
  }

  test('with the slug of an organization: 200 for its own, 404 for another, 422 for no slug', async () => {
    const { clientId, clientSecret } = await machines.withSecret({}, { numUsesLimit: 1 })
    const own = (await server.get(WHO_AM_I, { token })).body.identityDetails.organization.slug as string
    const statuses = []
    for (const organizationSlug of ['elsewhere', 'No Slug', own]) {
      statuses.push((await server.post(LOGIN, { clientId, clientSecret, organizationSlug })).status)
    }
    assert.deepEqual(statuses, [404, 422, 200])
  })

  test('is remembered: the time of the last login and how often the secret was used', async () => {
    const machine = await machines.withSecret()
    for (let times = 1; times <= 3; times++) expect200(await machines.login(machine))
    const membership = async () => (await server.get(`/api/v1/identities/${machine.id}`, { token })).body.identity
    while ((await membership()).lastLoginTime === null) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((await membership()).lastLoginAuthMethod, 'universal-auth')
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}/client-secrets/${machine.clientSecretId}`
    const { clientSecretNumUses } = (await server.get(path, { token })).body.clientSecretData
    assert.ok(clientSecretNumUses >= 1 && clientSecretNumUses <= 3)
  })

  test('is in the audit log, refused or not', async () => {
    const machine = await machines.withSecret()
    await wrong(machine)
    expect200(await machines.login(machine))
    const { body } = await server.get('/api/v1/organization/audit-logs', { token, query: { limit: '20' } })
    const events = (body.auditLogs as { event: { type: string; metadata: Record<string, string> } }[])
      .map(({ event }) => event)
      .filter(({ type, metadata }) => type.startsWith('login-identity') && metadata['identityId'] === machine.id)
    const [success, failure] = events
    assert.equal(success?.type, 'login-identity-universal-auth')
    assert.equal(success.metadata['clientSecretId'], machine.clientSecretId)
    assert.equal(failure?.type, 'login-identity-universal-auth-failed')
    assert.deepEqual(
      [failure.metadata['clientId'], failure.metadata['reasonCode']],
      [machine.clientId, 'invalid_client_secret'],
    )
    assert.ok(!JSON.stringify(body).includes(machine.clientSecret))
  })
})

describe('a client secret', () => {
  test('of limited use is good for that many logins', async () => {
    const machine = await machines.withSecret({}, { numUsesLimit: 2 })
    const statuses = []
    for (let times = 1; times <= 4; times++) statuses.push((await machines.login(machine)).status)
    assert.deepEqual(statuses, [200, 200, 401, 401])
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}/client-secrets/${machine.clientSecretId}`
    const data = (await server.get(path, { token })).body.clientSecretData
    assert.deepEqual([data.clientSecretNumUses, data.isClientSecretRevoked], [2, false])
  })

  test('is good to the end of its time, and then does not bring a lock nearer', async () => {
    const machine = await machines.withSecret({ lockoutThreshold: 1 }, { ttl: 100 })
    server.clock.advance(99_000)
    assert.equal((await machines.login(machine)).status, 200)
    server.clock.advance(1_000)
    assert.deepEqual(refusal(await machines.login(machine)), REFUSED)
    assert.deepEqual((await clear(machine)).body, { deleted: 0 })
  })

  test('is good only from where it is trusted; elsewhere a wrong one is not even told so', async () => {
    const machine = await machines.withSecret({
      clientSecretTrustedIps: [{ ipAddress: '10.0.0.0/8' }],
      lockoutThreshold: 1,
    })
    const elsewhere = { clientId: machine.clientId, clientSecret: machine.clientSecret }
    assert.deepEqual(refusal(await machines.login(elsewhere, '11.0.0.1')), [403, 'ForbiddenError'])
    const guessed = await machines.login({ ...elsewhere, clientSecret: 'x' }, '11.0.0.1')
    const unknown = await machines.login({ ...elsewhere, clientId: randomUUID() }, '11.0.0.1')
    assert.deepEqual({ ...guessed.body, reqId: '' }, { ...unknown.body, reqId: '' })
    assert.equal((await machines.login(elsewhere, '10.1.2.3')).status, 200)
    assert.equal((await machines.login(elsewhere, '::ffff:10.1.2.3')).status, 200)
  })

  test('is not good because a header says where it comes from', async () => {
    const { clientId, clientSecret } = await machines.withSecret({
      clientSecretTrustedIps: [{ ipAddress: '10.0.0.1' }],
    })
    const headers = { 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1', forwarded: 'for=10.0.0.1' }
    const answer = await server.post(LOGIN, { clientId, clientSecret }, { ip: '11.0.0.1', headers })
    assert.deepEqual(refusal(answer), [403, 'ForbiddenError'])
  })
})

describe('failed logins', () => {
  test('lock: the third is refused as wrong, then even the right secret, until the time is over', async () => {
    const machine = await machines.withSecret()
    const texts = []
    for (let times = 1; times <= 3; times++) texts.push((await wrong(machine)).body.message)
    assert.equal(new Set(texts).size, 1)
    const locked = await machines.login(machine)
    assert.deepEqual(refusal(locked), REFUSED)
    assert.notEqual(locked.body.message, texts[0])
    assert.equal((await wrong(machine)).body.message, locked.body.message)
    assert.deepEqual(await locks(machine), ['universal-auth'])

    server.clock.advance(299_000)
    assert.deepEqual(refusal(await machines.login(machine)), REFUSED)
    server.clock.advance(1_000)
    assert.equal((await machines.login(machine)).status, 200)
    assert.deepEqual(await locks(machine), [])
  })

  test('are forgotten when none follows for a while', async () => {
    const machine = await machines.withSecret()
    for (let round = 1; round <= 3; round++) {
      for (let times = 1; times <= 2; times++) await wrong(machine)
      server.clock.advance(30_000)
    }
    assert.equal((await machines.login(machine)).status, 200)
  })

  test('are counted as long as one follows another', async () => {
    const machine = await machines.withSecret()
    for (let times = 1; times <= 3; times++) {
      await wrong(machine)
      server.clock.advance(29_000)
    }
    assert.deepEqual(refusal(await machines.login(machine)), REFUSED)
  })

  test('are forgotten after a good login, and after the lock', async () => {
    const machine = await machines.withSecret({ lockoutThreshold: 2.5 })
    for (let round = 1; round <= 3; round++) {
      for (let times = 1; times <= 2; times++) await wrong(machine)
      assert.equal((await machines.login(machine)).status, 200)
    }
    for (let times = 1; times <= 3; times++) await wrong(machine)
    server.clock.advance(300_000)
    for (let times = 1; times <= 2; times++) await wrong(machine)
    assert.equal((await machines.login(machine)).status, 200)
  })

  test('do not lock where lockout is off, and switching it off ends the lock at once', async () => {
    const machine = await machines.withSecret()
    for (let times = 1; times <= 3; times++) await wrong(machine)
    expect200(await change(machine, { lockoutEnabled: false }))
    assert.deepEqual(await locks(machine), [])
    assert.equal((await machines.login(machine)).status, 200)
    for (let times = 1; times <= 5; times++) await wrong(machine)
    assert.equal((await machines.login(machine)).status, 200)
    expect200(await change(machine, { lockoutEnabled: true }))
    assert.equal((await machines.login(machine)).status, 200)
  })

  test('can be cleared: a lock, a mere count, nothing', async () => {
    const machine = await machines.withSecret()
    for (let times = 1; times <= 3; times++) await wrong(machine)
    const deleted = [(await clear(machine)).body.deleted]
    assert.equal((await wrong(machine)).status, 401)
    deleted.push((await clear(machine)).body.deleted, (await clear(machine)).body.deleted)
    assert.deepEqual(deleted, [1, 1, 0])
    assert.equal((await machines.login(machine)).status, 200)
  })

  test('are gone when universal auth is attached anew', async () => {
    const machine = await machines.withSecret()
    for (let times = 1; times <= 3; times++) await wrong(machine)
    const path = `${UNIVERSAL_AUTH}/identities/${machine.id}`
    expect200(await server.delete(path, { token }))
    expect200(await server.post(path, {}, { token }))
    assert.deepEqual(await locks(machine), [])
    assert.deepEqual((await clear(machine)).body, { deleted: 0 })
  })
})
