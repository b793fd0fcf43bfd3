import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claimsOf, joinAs, logIn, PASSWORD } from '../../../test/test-people.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'

const LOGIN = '/api/v3/auth/login'
const SELECT = '/api/v3/auth/select-organization'
const MINUTE_MS = 60_000

const server = await startTestServer({ SITE_URL: 'https://holdfast.example.com' })
const admin = await server.bootstrap()
const adminToken = await logIn(server, { email: admin.email, password: admin.password })
const inAcme = await logIn(server, admin)
const { email } = await joinAs(server, { ...admin, token: inAcme, email: 'member@example.com' })

describe(`POST ${LOGIN}`, () => {
  test('200 gives a token without an organization, and a cookie for this site alone', async () => {
    const { status, body, headers } = await server.post(LOGIN, {
      email: ' MEMBER@example.com ',
      password: `${PASSWORD} `,
    })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['accessToken'])
    assert.match(String(headers['set-cookie']), /^jid=\S+; Path=\/api; HttpOnly; SameSite=Strict; Secure$/)
    const { iat, exp, userId, tokenVersionId, ...claims } = claimsOf(body.accessToken)
    assert.deepEqual(claims, { authMethod: 'email', authTokenType: 'accessToken', accessVersion: 1 })
    assert.equal(Number(exp) - Number(iat), 10 * 24 * 3600)
    assert.match(`${String(userId)} ${String(tokenVersionId)}`, /^[0-9a-f-]{36} [0-9a-f-]{36}$/)
  })

  test('200 without a User-Agent, and whatever the Authorization header says', async () => {
    const headers = { 'user-agent': '', authorization: 'Bearer nonsense' }
    assert.equal((await server.post(LOGIN, { email, password: PASSWORD }, { headers })).status, 200)
  })

  for (const [reason, body] of [
    ['the password is wrong', { email, password: 'wrong' }],
    ['nobody has that address', { email: 'nobody@example.com', password: PASSWORD }],
    ['the address is none', { email: "' or 1=1 --", password: PASSWORD }],
  ] as const) {
    test(`400 when ${reason}, always in the same words`, async () => {
      const answer = await server.post(LOGIN, body, { ip: '10.1.0.1' })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
      assert.equal(answer.body.message, 'The email address or the password is wrong')
    })
  }

  for (const [reason, body] of [
    ['there is no password', { email }],
    ['the password is empty', { email, password: '  ' }],
    ['the password is a number', { email, password: 5 }],
    ['the password is an object', { email, password: { $ne: '' } }],
    ['the password has a megabyte', { email, password: 'x'.repeat(1_000_000) }],
    ['the address has a NUL', { email: 'a\0b', password: PASSWORD }],
  ] as const) {
    test(`422 when ${reason}`, async () => {
      assert.equal((await server.post(LOGIN, body)).status, 422)
    })
  }

  test('415 for a form, which any page could send', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await server.app.http.inject({
      method: 'POST',
      url: LOGIN,
      headers,
      payload: `email=${email}&password=x`,
    })
    assert.equal(answer.statusCode, 415)
  })

  test('400 for somebody who was invited and has not completed the account', async () => {
    const invitation = { inviteeEmails: ['invited@example.com'], organizationId: admin.organizationId }
    assert.equal((await server.post('/api/v1/invite-org/signup', invitation, { token: inAcme })).status, 200)
    assert.equal((await server.post(LOGIN, { email: 'invited@example.com', password: PASSWORD })).status, 400)
  })

  test('400 where passwords are switched off, for whoever administers no organization', async () => {
    const config = '/api/v1/admin/config'
    await server.patch(config, { enabledLoginMethods: ['saml'] }, { token: admin.token })
    assert.equal((await server.post(LOGIN, { email, password: PASSWORD })).status, 400)
    await server.patch(config, { enabledLoginMethods: ['email'] }, { token: admin.token })
    assert.equal((await server.post(LOGIN, { email, password: PASSWORD })).status, 200)
  })

  test('the older way to log in is refused with 400, so that clients give up', async () => {
    const answer = await server.post('/api/v3/auth/login1', { email, clientPublicKey: 'ab' })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })
})

describe('whoever guesses passwords', () => {
  const guess = (ip: string, account = email, password = 'wrong') =>
    server.post(LOGIN, { email: account, password }, { ip })

  test('gets ten tries for an account and is then held back, for a quarter of an hour, on every server', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => guess('10.2.0.1')))
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 400).length, 10)
    assert.equal(statuses.filter((status) => status === 429).length, 15)

    const other = await startServerOn(server.url)
    const { status, body, headers } = await other.post(LOGIN, { email, password: PASSWORD }, { ip: '10.2.0.1' })
    await other.stop()
    assert.deepEqual([status, body.error], [429, 'RateLimitExceeded'])
    const seconds = Number(headers['retry-after'])
    assert.ok(seconds > 800 && seconds <= 900, String(seconds))
    assert.match(body.message, new RegExp(`${seconds} seconds`))

    assert.equal((await guess('10.2.0.2', email, PASSWORD)).status, 200, 'the owner is elsewhere')
    server.clock.advance(15 * MINUTE_MS)
    assert.equal((await guess('10.2.0.1', email, PASSWORD)).status, 200)
  })

  test('begins anew after a right one', async () => {
    for (let round = 0; round < 2; round++) {
      for (let wrong = 0; wrong < 9; wrong++) assert.equal((await guess('10.2.0.3')).status, 400)
      assert.equal((await guess('10.2.0.3', email, PASSWORD)).status, 200)
    }
  })

  test('and comes from one IPv6 network counts as one, from another as another', async () => {
    const statuses = []
    for (let host = 1; host <= 11; host++) statuses.push((await guess(`2001:db8::${host}`)).status)
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 400), 429])
    assert.equal((await guess('2001:db8:0:1::1')).status, 400)
  })

  test('may be right any number of times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => guess('10.2.0.4', email, PASSWORD)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })
})

describe(`POST ${SELECT}`, () => {
  const select = (body: object, token: string | undefined) => server.post(SELECT, body, { token })

  test('200 gives a token of the same session for the organization', async () => {
    const { status, body, headers } = await select(
      { organizationId: admin.organizationId, userAgent: 'cli' },
      adminToken,
    )
    assert.equal(status, 200)
    assert.equal(body.isMfaEnabled, false)
    assert.match(String(headers['set-cookie']), /^jid=/)
    const [before, after] = [claimsOf(adminToken), claimsOf(body.token)]
    assert.equal(after['organizationId'], admin.organizationId)
    assert.equal(after['tokenVersionId'], before['tokenVersionId'])
  })

  test('is remembered as the last login of the member', async () => {
    const { body } = await server.get(`/api/v2/organizations/${admin.organizationId}/memberships`, { token: inAcme })
    const member = (body.users as Record<string, unknown>[]).find(({ userId }) => userId === admin.userId)
    assert.equal(member?.['lastLoginAuthMethod'], 'email')
    assert.ok(Math.abs(Date.parse(String(member['lastLoginTime'])) - server.clock.now()) < MINUTE_MS)
  })

  test('404 when the user is no member, as if there were none', async () => {
    const { body } = await server.post('/api/v2/organizations', { name: 'Other' }, { token: adminToken })
    const token = await logIn(server, { email, password: PASSWORD })
    const answer = await select({ organizationId: body.organization.id }, token)
    assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
  })

  for (const [status, error, reason, body, token] of [
    [401, 'UnauthorizedError', 'no token is sent', { organizationId: admin.organizationId }, undefined],
    [403, 'ForbiddenError', 'the token is that of an identity', { organizationId: admin.organizationId }, admin.token],
    [404, 'NotFound', 'there is no such organization', { organizationId: admin.userId }, adminToken],
    [404, 'NotFound', 'the id is malformed', { organizationId: 'x' }, adminToken],
    [422, 'ValidationFailure', 'no organization is named', {}, adminToken],
    [422, 'ValidationFailure', 'the user agent is another', { organizationId: 'x', userAgent: 'web' }, adminToken],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await select(body, token)
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})
