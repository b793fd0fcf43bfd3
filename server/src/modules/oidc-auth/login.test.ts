import assert from 'node:assert/strict'
import { createHmac, randomUUID, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { SignJWT } from 'jose'
import { openBeside } from '../../../test/test-database.ts'
import { claimsIn, expect200, TestMachines, WHO_AM_I } from '../../../test/test-machines.ts'
import { AUDIENCE, SUBJECT, TestOpenIdProvider } from '../../../test/test-openid-provider.ts'
import { createProject, joinProject } from '../../../test/test-projects.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'
import { assertEndsWithinASecond } from '../../../test/within-a-second.ts'

const OIDC_AUTH = '/api/v1/auth/oidc-auth'
const LOGIN = `${OIDC_AUTH}/login`
const LOOPBACK = { OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' }
const server = await startTestServer(LOOPBACK)
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin
const provider = await TestOpenIdProvider.start()

const pathOf = (identityId: string) => `${OIDC_AUTH}/identities/${identityId}`
const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]
const REFUSED = [401, 'UnauthorizedError']

/** An identity that is bound to the provider. */
const bound = async (settings: object = {}): Promise<string> => {
  const id = await machines.identity()
  const body = { oidcDiscoveryUrl: provider.issuer, boundIssuer: provider.issuer, boundClaims: {}, ...settings }
  expect200(await server.post(pathOf(id), body, { token }))
  return id
}
const login = (identityId: string, jwt: string, rest: object = {}) => server.post(LOGIN, { identityId, jwt, ...rest })
/** Signed by the provider's key, with a header of the test's choice. */
const signed = (header: object, claims: object = {}, key = provider.key.privateKey) =>
  new SignJWT({ iss: provider.issuer, sub: SUBJECT, aud: AUDIENCE, ...claims })
    .setProtectedHeader({ alg: 'RS256', ...header })
    .setExpirationTime('5m')
    .sign(key)
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

describe('logging in with a JWT of a provider', () => {
  test('200 with a token that works and says who it is', async () => {
    const id = await bound({
      boundAudiences: AUDIENCE,
      boundSubject: 'repo:acme/shop:*',
      boundClaims: { client_id: 'pipeline', 'run.branch': 'main, release/*', groups: 'dev' },
      claimMetadataMapping: { team: 'run.team', number: 'run.number' },
      accessTokenTTL: 600,
      accessTokenMaxTTL: 3600,
      accessTokenNumUsesLimit: 9,
    })
    const run = { branch: 'release/1.0', team: 'blue', number: 7 }
    const { status, body } = await login(id, await provider.token({ run, groups: ['ops', 'dev'] }))
    const { accessToken, ...answer } = body
    assert.deepEqual([status, answer], [200, { expiresIn: 600, accessTokenMaxTTL: 3600, tokenType: 'Bearer' }])
    const claims = claimsIn(accessToken) as Record<string, unknown>
    assert.deepEqual([claims['identityId'], claims['authMethod'], claims['clientSecretId']], [id, 'oidc-auth', ''])
    assert.deepEqual(claims['identityAuth'], { oidc: { claims: { team: 'blue', number: '7' } } })
    assert.equal((await server.get(WHO_AM_I, { token: accessToken })).status, 200)
    expect200(await server.post('/api/v1/auth/token/renew', { accessToken }))
  })

  test('200 in every form that clients use', async () => {
    const [identityId, jwt] = [await bound(), await provider.token()]
    const inject = (url: string, payload: string | object, headers: Record<string, string> = {}) =>
      server.app.http.inject({ method: 'POST', url, payload, headers })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answers = [
      await inject(`${LOGIN}/`, { identityId, jwt }),
      await inject(LOGIN, `identityId=${identityId}&jwt=${jwt}`, form),
      await inject(LOGIN, { identityId: ` ${identityId}\n`, jwt: `${jwt}\n`, unknown: 1 }),
      await inject(LOGIN, { identityId, jwt }, { authorization: 'Bearer stale' }),
    ]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 200, 200],
    )
  })

  test('200 with the real lifetime where there is no limit', async () => {
    const id = await bound({ accessTokenTTL: 0, accessTokenMaxTTL: 0 })
    const { body } = expect200(await login(id, await provider.token()))
    assert.deepEqual([body.expiresIn, body.accessTokenMaxTTL], [7_776_000, 0])
  })

  test('404 for an identity that does not exist or logs in otherwise, and what is no id', async () => {
    const jwt = await provider.token()
    for (const id of [randomUUID(), await machines.identity(), 'abc', '', '\0', "' or 1=1"]) {
      assert.deepEqual(refusal(await login(id, jwt)), [404, 'NotFound'], id)
    }
  })

  test('with the slug of an organization: 200 for its own, 404 for another, 422 for no slug', async () => {
    const [id, jwt] = [await bound(), await provider.token()]
    const own = (await server.get(WHO_AM_I, { token })).body.identityDetails.organization.slug as string
    const statuses = []
    for (const organizationSlug of ['elsewhere', 'No Slug', own]) {
      statuses.push((await login(id, jwt, { organizationSlug })).status)
    }
    assert.deepEqual(statuses, [404, 422, 200])
  })

  for (const [name, body] of [
    ['without a JWT', { identityId: randomUUID() }],
    ['without an identity', { jwt: 'x' }],
    ['with a JWT that is a number', { identityId: randomUUID(), jwt: 7 }],
    ['with a JWT of a megabyte', { identityId: randomUUID(), jwt: 'x'.repeat(1_000_000) }],
  ] as const) {
    test(`422 ${name}`, async () => {
      assert.deepEqual(refusal(await server.post(LOGIN, body)), [422, 'ValidationFailure'])
    })
  }
})

describe('a JWT is refused', async () => {
  const id = await bound()
  const { kid } = provider.key
  const publicPem = provider.key.publicKey.export({ type: 'spki', format: 'pem' })
  const payload = { iss: provider.issuer, sub: SUBJECT, exp: inAnHour() }
  const withHmac = (header: object, secret: string | Buffer) => {
    const input = `${encode(header)}.${encode(payload)}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }

  const signedByHand = (header: object) => {
    const input = `${encode(header)}.${encode(payload)}`
    return `${input}.${sign('sha256', Buffer.from(input), provider.key.privateKey).toString('base64url')}`
  }

  test('the same key and header admit one that is right', async () => {
    assert.equal((await login(id, signedByHand({ alg: 'RS256', kid }))).status, 200)
    assert.equal((await login(id, await signed({ kid }))).status, 200)
    assert.equal((await login(id, await signed({}))).status, 200, 'without a kid, of a provider with one key')
  })

  for (const [name, jwt] of [
    ['signed with the public key as a shared secret', () => withHmac({ alg: 'HS256', kid }, publicPem)],
    ['unsigned', () => `${encode({ alg: 'none', kid })}.${encode(payload)}.`],
    ['unsigned, in capitals', () => `${encode({ alg: 'NONE', kid })}.${encode(payload)}.`],
    ['of an unknown key', () => signed({ kid: 'unknown' })],
    ['with a key it brings itself', () => signed({ jwk: { kty: 'oct' }, jku: 'http://127.0.0.1:1/', kid: 'own' })],
    ['with a padding that the key is not for', () => signed({ alg: 'PS256', kid })],
    ['with a critical extension', () => signedByHand({ alg: 'RS256', kid, crit: ['x'], x: 1 })],
    ['of another issuer', () => signed({ kid }, { iss: 'https://other.example' })],
    ['of the issuer with a slash', () => signed({ kid }, { iss: `${provider.issuer}/` })],
    ['of a list of issuers', () => signed({ kid }, { iss: [provider.issuer] })],
    ['without issuer', () => signed({ kid }, { iss: undefined })],
    ['of the future', () => signed({ kid }, { nbf: inAnHour() })],
    ['with times that are no numbers', () => signed({ kid }, { nbf: 'now' })],
    ['with a changed payload', async () => (await signed({ kid })).replace(/\.[^.]+\./, `.${encode(payload)}.`)],
    ['with a changed signature', async () => `${(await signed({ kid })).slice(0, -4)}AAAA`],
    ['without signature', async () => (await signed({ kid })).replace(/[^.]+$/, '')],
    ['of two parts', async () => (await signed({ kid })).replace(/\.[^.]+$/, '')],
    ['encrypted', () => 'a.b.c.d.e'],
    ['nested without end', () => signed({ kid }, { deep: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) })],
    ['with a kid that is no text', () => signed({ kid: 7 })],
    ['empty', () => ''],
    ['no JWT', () => 'x.y.z'],
  ] as const) {
    test(`${name}: 401`, async () => {
      assert.deepEqual(refusal(await login(id, await jwt())), REFUSED)
    })
  }

  test('that has expired, or never does: 401', async () => {
    const claims = { iss: provider.issuer, sub: SUBJECT }
    const sign = (jwt: SignJWT) => jwt.setProtectedHeader({ alg: 'RS256', kid }).sign(provider.key.privateKey)
    assert.deepEqual(refusal(await login(id, await sign(new SignJWT(claims)))), REFUSED)
    const short = await sign(new SignJWT(claims).setExpirationTime('100s'))
    assert.equal((await login(id, short)).status, 200)
    server.clock.advance(100_000)
    assert.deepEqual(refusal(await login(id, short)), REFUSED)
  })

  test('that names none of several keys: 401', async () => {
    provider.rotateKeys('second', { keepOld: true })
    const other = await bound({ oidcDiscoveryUrl: `${provider.issuer}/` })
    assert.equal((await login(other, await provider.token())).status, 200)
    assert.deepEqual(refusal(await login(other, await signed({}))), REFUSED)
  })
})

describe('what an identity is bound to', () => {
  for (const [name, settings, claims, status] of [
    ['another subject', { boundSubject: 'repo:acme/shop-2:*' }, {}, 403],
    ['a subject that only begins alike', { boundSubject: 'repo:org/x:*' }, { sub: 'repo:org/x-evil:ref' }, 403],
    ['a subject in other letters', { boundSubject: 'Repo:*' }, {}, 403],
    ['a subject by glob', { boundSubject: 'repo:acme/*:ref:refs/heads/*' }, {}, 200],
    ['another audience', { boundAudiences: 'https://holdfast' }, {}, 401],
    ['one of two audiences', { boundAudiences: `x,${AUDIENCE}` }, {}, 200],
    ['one of the audiences of the JWT', { boundAudiences: 'b' }, { aud: ['a', 'b'] }, 200],
    ['none of the audiences of the JWT', { boundAudiences: 'b' }, { aud: ['a', 'bc'] }, 401],
    ['an audience that is missing', { boundAudiences: '*' }, { aud: [] }, 401],
    ['a claim that is missing', { boundClaims: { team: '*' } }, {}, 401],
    ['a claim of another value', { boundClaims: { team: 'red' } }, { team: 'blue' }, 401],
    ['a claim with nothing for it', { boundClaims: { team: '' } }, { team: 'blue' }, 401],
    ['a mapped claim that is missing', { claimMetadataMapping: { team: 'team' } }, {}, 401],
    ['a mapped claim that is a list', { claimMetadataMapping: { team: 'team' } }, { team: ['a'] }, 401],
    ['a mapped claim without end', { claimMetadataMapping: { team: 'team' } }, { team: 'x'.repeat(20_000) }, 400],
  ] as const) {
    test(`${status} for ${name}`, async () => {
      const answer = await login(await bound(settings), await provider.token(claims))
      assert.equal(answer.status, status, answer.text)
      if (status === 403) assert.equal(answer.body.error, 'ForbiddenError')
    })
  }

  test('is in force at once when it changes, and the token of another method lives on', async () => {
    const machine = await machines.withSecret()
    const own = await machines.tokenOf(machine)
    const body = { oidcDiscoveryUrl: provider.issuer, boundIssuer: provider.issuer, boundClaims: {} }
    expect200(await server.post(pathOf(machine.id), body, { token }))
    const jwt = await provider.token()
    const { accessToken } = expect200(await login(machine.id, jwt)).body
    const check = async (one: string) => (await server.get(WHO_AM_I, { token: one })).status
    assert.deepEqual([await check(accessToken), await check(own)], [200, 200])

    const change = async (changes: object) => expect200(await server.patch(pathOf(machine.id), changes, { token }))
    await change({ boundSubject: 'someone else' })
    assert.equal((await login(machine.id, jwt)).status, 403)
    assert.equal(await check(accessToken), 200, 'what was given stays')
    await change({ accessTokenTrustedIps: [{ ipAddress: '10.0.0.1' }] })
    assert.equal(await check(accessToken), 403, 'but for where it may be used')
    await change({ accessTokenTrustedIps: [{ ipAddress: '0.0.0.0/0' }], boundSubject: '' })
    assert.equal(await check(accessToken), 200)

    expect200(await server.delete(pathOf(machine.id), { token }))
    assert.deepEqual([await check(accessToken), await check(own)], [401, 200])
    assert.deepEqual(refusal(await login(machine.id, jwt)), [404, 'NotFound'])
    assert.deepEqual(refusal(await server.delete(pathOf(machine.id), { token })), [400, 'BadRequest'])
    expect200(await server.post(pathOf(machine.id), body, { token }))
    assert.equal(await check(accessToken), 401, 'attaching it anew brings no token back')
  })

  test('ends in under a second on another server too', async () => {
    const other = await startServerOn(server.url, LOOPBACK)
    try {
      const id = await bound()
      const { accessToken } = expect200(await login(id, await provider.token())).body
      const check = async () => (await other.get(WHO_AM_I, { token: accessToken })).status
      assert.equal(await check(), 200)
      expect200(await server.delete(pathOf(id), { token }))
      await assertEndsWithinASecond(async () => (await check()) === 200)
    } finally {
      await other.stop()
    }
  })
})

describe('what follows a login', () => {
  const db = openBeside(server.url)

  test('rules know the claims by the names of the mapping', async () => {
    const id = await bound({ claimMetadataMapping: { target: 'run.target' } })
    const { id: projectId } = await createProject(server, token)
    await joinProject(db.pool, projectId, { identityId: id, role: 'no-access' })
    const conditions = { environment: { $eq: '{{identity.auth.oidc.claims.target}}' } }
    const permissions = [{ subject: 'secrets', action: ['describeSecret'], conditions }]
    const grant = { identityId: id, projectId, slug: 'own', permissions, type: { isTemporary: false } }
    expect200(await server.post('/api/v2/identity-project-additional-privilege', grant, { token }))

    const reach = async (target: string) => {
      const { accessToken } = expect200(await login(id, await provider.token({ run: { target } }))).body
      const origin = { ip: '127.0.0.1', userAgent: '', requestId: '' }
      const actor = await server.app.services.accessTokens.authenticate(claimsIn(accessToken), origin)
      const ability = await server.app.services.permissions.inProject(actor, projectId)
      const can = (environment: string) => ability.can('describeSecret', 'secrets', { environment, secretPath: '/' })
      return [await can('dev'), await can('prod')]
    }
    assert.deepEqual(
      [await reach('dev'), await reach('prod'), await reach('*')],
      [
        [true, false],
        [false, true],
        [false, false],
      ],
    )
  })

  test('is in the audit log, refused or not, without the JWT', async () => {
    const id = await bound({ boundAudiences: AUDIENCE })
    const jwt = await provider.token({ team: 'blue' })
    const wrong = await provider.token({ aud: 'other' })
    expect200(await login(id, jwt))
    assert.equal((await login(id, wrong)).status, 401)
    const { body, text } = await server.get('/api/v1/organization/audit-logs', { token, query: { limit: '20' } })
    const [failure, success] = (body.auditLogs as { event: { type: string; metadata: Record<string, unknown> } }[])
      .map(({ event }) => event)
      .filter(({ type, metadata }) => type.startsWith('login-identity') && metadata['identityId'] === id)
    assert.equal(success?.type, 'login-identity-oidc-auth')
    const received = success.metadata['oidcClaimsReceived'] as Record<string, unknown>
    assert.deepEqual([received['iss'], received['team'], received['aud']], [provider.issuer, 'blue', AUDIENCE])
    assert.equal(failure?.type, 'login-identity-oidc-auth-failed')
    assert.equal(failure.metadata['reasonCode'], 'audience_not_allowed')
    for (const secret of [jwt, wrong]) assert.ok(!text.includes(secret.split('.')[2] ?? ''))
  })

  test('is remembered as the last one', async () => {
    const id = await bound()
    expect200(await login(id, await provider.token()))
    const membership = async () => (await server.get(`/api/v1/identities/${id}`, { token })).body.identity
    const endAt = performance.now() + 5_000
    while ((await membership()).lastLoginTime === null) assert.ok(performance.now() < endAt)
    assert.equal((await membership()).lastLoginAuthMethod, 'oidc-auth')
  })
})
