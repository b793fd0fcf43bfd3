import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../../test/test-database.ts'
import { claimsOf, logIn } from '../../../test/test-people.ts'
import { startServerOn, startTestServer, type TestServer } from '../../../test/test-server.ts'

const PASSWORD = 'correct horse battery 9'
const BOOTSTRAP = '/api/v1/admin/bootstrap'
const SIGN_UP = '/api/v1/admin/signup'
const CONFIG = '/api/v1/admin/config'

const first = { email: 'Admin@Example.com', password: 'x', organization: 'Acme Inc' }
const person = { email: 'Ada@Example.com', password: PASSWORD, firstName: 'Ada' }

const countsIn = async (server: TestServer) => {
  const db = openDatabase(server.url, 1)
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from users) as users, (select count(*)::int from organizations) as organizations,
      (select count(*)::int from identities) as identities, (select count(*)::int from sessions) as sessions`.execute(
    db.pool,
  )
  await db.close()
  return rows[0]
}

describe('a new instance', async () => {
  const server = await startTestServer()

  test('says that it is up, in the words that clients compare', async () => {
    const { status, body } = await server.get('/api/status', { token: 'not-a-token' })
    assert.equal(status, 200)
    assert.match(body.date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    delete body.date
    assert.deepEqual(body, {
      message: 'Ok',
      emailConfigured: false,
      inviteOnlySignup: true,
      redisConfigured: false,
      secretScanningConfigured: false,
      auditLogStorageDisabled: false,
      maxIdentityAccessTokenTTL: 7_776_000,
    })
  })

  test('says that nobody has set it up', async () => {
    const { status, body } = await server.get(CONFIG)
    assert.equal(status, 200)
    assert.equal(body.config.id, '00000000-0000-0000-0000-000000000000')
    assert.equal(body.config.initialized, false)
    assert.equal(body.config.defaultAuthOrgSlug, null)
    assert.equal(body.config.passwordPolicy.requirements.length, 6)
  })

  for (const [name, path, body, paths] of [
    ['has no address', BOOTSTRAP, { ...first, email: 'admin' }, ['email']],
    ['has no password', BOOTSTRAP, { ...first, password: ' ' }, ['password']],
    ['has no organization', BOOTSTRAP, { ...first, organization: '' }, ['organization']],
    ['has a password of a megabyte', BOOTSTRAP, { ...first, password: 'x'.repeat(900_000) }, ['password']],
    ['says nothing', BOOTSTRAP, {}, ['email', 'password', 'organization']],
    ['of a person has no first name', SIGN_UP, { ...person, firstName: '' }, ['firstName']],
    [
      'of a person has a wrong name of an organization',
      SIGN_UP,
      { ...person, organizationName: 'a!' },
      ['organizationName'],
    ],
    [
      'of a person has a password that breaks three rules',
      SIGN_UP,
      { ...person, password: 'aaaa' },
      ['password', 'password', 'password'],
    ],
  ] as const) {
    test(`422 when the first call ${name}`, async () => {
      const answer = await server.post(path, body)
      assert.deepEqual([answer.status, answer.body.error], [422, 'ValidationFailure'])
      assert.deepEqual(
        (answer.body.message as { path: string[] }[]).flatMap((issue) => issue.path),
        paths,
      )
    })
  }

  test('403 for whoever signs up where that is switched off comes later; before, 400 for want of mail', async () => {
    const answer = await server.post('/api/v3/signup/email/signup', { email: 'a@example.com' })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })
})

describe(`POST ${BOOTSTRAP}`, async () => {
  const server = await startTestServer()
  const made = await server.post(BOOTSTRAP, { ...first, domain: 'ignored' })

  test('200 makes a user, an organization, an identity and its token', () => {
    assert.equal(made.status, 200)
    const { user, organization, identity } = made.body
    assert.deepEqual(
      { ...user, id: '' },
      {
        id: '',
        username: 'admin@example.com',
        firstName: 'Admin',
        lastName: 'User',
        email: 'admin@example.com',
        superAdmin: true,
      },
    )
    assert.equal(organization.name, 'Acme Inc')
    assert.match(organization.slug, /^acme-inc-[a-z0-9]{4}$/)
    assert.equal(identity.name, 'Instance Admin Identity')
    const claims = claimsOf(identity.credentials.token)
    assert.equal(claims['authTokenType'], 'identityAccessToken')
    assert.equal(claims['authMethod'], 'token-auth')
    assert.equal(Number(claims['exp']) - Number(claims['iat']), 7_776_000)
  })

  test('the identity administers the organization and the instance', async () => {
    const token = made.body.identity.credentials.token
    assert.equal((await server.get('/api/v1/organization/roles', { token })).status, 200)
    const { body } = await server.get(CONFIG, { token })
    assert.deepEqual(body.config.adminIdentityIds, [made.body.identity.id])
    assert.equal(body.config.initialized, true)
    assert.equal(body.config.allowSignUp, false)
  })

  test('the user can log in and administers the organization', async () => {
    const organizationId = made.body.organization.id
    const token = await logIn(server, { email: first.email, password: first.password, organizationId })
    const { body } = await server.get('/api/v1/organization', { token })
    assert.deepEqual(
      (body.organizations as { userRole: string }[]).map((one) => one.userRole),
      ['admin'],
    )
  })

  test('nobody signs up from then on', async () => {
    const answer = await server.post('/api/v3/signup/email/signup', { email: 'a@example.com' })
    assert.deepEqual([answer.status, answer.body.error], [403, 'ForbiddenError'])
    assert.equal((await server.get('/api/status')).body.inviteOnlySignup, false)
  })

  for (const [path, body] of [
    [BOOTSTRAP, first],
    [SIGN_UP, person],
  ] as const) {
    test(`400 when it is done and somebody calls ${path}`, async () => {
      const answer = await server.post(path, body)
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    })
  }
})

describe(`POST ${SIGN_UP}`, async () => {
  const server = await startTestServer()

  test('200 makes a user and an organization and logs the user in', async () => {
    const { status, body, headers } = await server.post(SIGN_UP, person)
    assert.equal(status, 200)
    assert.equal(body.new, '123')
    assert.equal(body.organization.name, 'Admin Org')
    assert.equal(body.organization.shouldUseNewPrivilegeSystem, true)
    assert.equal(body.user.email, 'ada@example.com')
    assert.match(String(headers['set-cookie']), /^jid=\S+; Path=\/api; HttpOnly; SameSite=Strict$/)
    assert.equal(claimsOf(body.token)['organizationId'], undefined)

    const { token } = body
    const selection = { organizationId: body.organization.id }
    assert.equal((await server.post('/api/v3/auth/select-organization', selection, { token })).status, 200)
  })
})

describe('of several first calls at the same time', () => {
  test('one goes through, on whichever server, and the others leave nothing behind', async () => {
    const server = await startTestServer()
    const other = await startServerOn(server.url)
    const calls = [server, other, server, other, server, other].map((one, index) =>
      index % 3 === 2
        ? one.post(SIGN_UP, { ...person, email: `person${index}@example.com` })
        : one.post(BOOTSTRAP, { ...first, email: `admin${index}@example.com` }),
    )
    const answers = await Promise.all(calls)
    await other.stop()
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 400, 400, 400, 400, 400])
    const counts = await countsIn(server)
    const isBootstrap = answers.some(({ status, body }) => status === 200 && 'identity' in body)
    const [identities, sessions] = isBootstrap ? [1, 0] : [0, 1]
    assert.deepEqual(counts, { users: 1, organizations: 1, identities, sessions })
  })
})

describe(`PATCH ${CONFIG}`, async () => {
  const server = await startTestServer()
  const admin = await server.bootstrap()
  const userToken = await logIn(server, admin)

  test('200 changes what is named, and everyone sees it', async () => {
    const changes = { allowSignUp: true, allowedSignUpDomain: 'example.com', defaultAuthOrgId: admin.organizationId }
    const { status, body } = await server.patch(CONFIG, changes, { token: userToken })
    assert.equal(status, 200)
    assert.equal(body.config.instanceId.length, 36)
    const { config } = (await server.get(CONFIG)).body
    assert.deepEqual([config.allowSignUp, config.allowedSignUpDomain], [true, 'example.com'])
    assert.match(config.defaultAuthOrgSlug, /^acme-/)
    assert.equal(config.instanceId, undefined)
    assert.equal(config.adminIdentityIds, undefined)
  })

  test('200 for the identity of an instance administrator, with nothing to change', async () => {
    const { status, body } = await server.patch(CONFIG, {}, { token: admin.token })
    assert.deepEqual([status, body.config.allowSignUp], [200, true])
  })

  test('passwords that are switched off still work for administrators of an organization', async () => {
    await server.patch(CONFIG, { enabledLoginMethods: ['saml'] }, { token: admin.token })
    await logIn(server, admin)
    await server.patch(CONFIG, { enabledLoginMethods: ['email', 'saml'] }, { token: admin.token })
  })

  for (const [status, error, reason, token, body] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined, {}],
    [403, 'TokenError', 'the token is nonsense', 'nonsense', {}],
    [404, 'NotFound', 'the organization does not exist', admin.token, { defaultAuthOrgId: admin.userId }],
    [404, 'NotFound', 'the id of the organization is malformed', admin.token, { defaultAuthOrgId: 'x' }],
    [422, 'ValidationFailure', 'no way to log in is left', admin.token, { enabledLoginMethods: [] }],
    [422, 'ValidationFailure', 'a way to log in is unknown', admin.token, { enabledLoginMethods: ['magic'] }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.patch(CONFIG, body, { token })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})
