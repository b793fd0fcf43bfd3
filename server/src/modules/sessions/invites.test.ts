import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs, logIn, PASSWORD, readLink } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const INVITE = '/api/v1/invite-org/signup'
const VERIFY = '/api/v1/invite-org/verify'
const COMPLETE = '/api/v3/signup/complete-account'
const DAY_MS = 24 * 3_600_000

const server = await startTestServer()
const admin = await server.bootstrap()
const { organizationId } = admin
const token = await logIn(server, { email: admin.email, password: admin.password })
const adminToken = await logIn(server, admin)

const invite = (body: object, as: string | undefined = adminToken) =>
  server.post(INVITE, { organizationId, ...body }, { token: as })
const invited = async (email: string, as = adminToken, into = organizationId) => {
  const { body } = await server.post(INVITE, { inviteeEmails: [email], organizationId: into }, { token: as })
  return readLink(body.completeInviteLinks[0].link)
}
const verify = (body: object) => server.post(VERIFY, { organizationId, ...body })
const account = (email: string) => ({ type: 'email', email, firstName: 'Grace', password: PASSWORD })
const complete = (signUpToken: string | undefined, body: object) => server.post(COMPLETE, body, { token: signUpToken })
const signUpTokenFor = async (email: string) => {
  const { code } = await invited(email)
  return (await verify({ email, code })).body.token as string
}

describe(`POST ${INVITE}`, () => {
  test('200 answers a link for each, with the code where no server sees it', async () => {
    const { status, body } = await invite({ inviteeEmails: ['One@example.com', 'two@example.com', 'one@example.com'] })
    assert.equal(status, 200)
    assert.deepEqual(
      (body.completeInviteLinks as { email: string }[]).map(({ email }) => email),
      ['one@example.com', 'two@example.com'],
    )
    const link = readLink(body.completeInviteLinks[0].link)
    assert.equal(link.page, 'http://localhost:8080/signupinvite')
    assert.equal(link.code.length, 43)
    assert.deepEqual([link.email, link.organizationId], ['one@example.com', organizationId])
  })

  test('200 without a link for whoever is a member already', async () => {
    const { status, body } = await invite({ inviteeEmails: [admin.email] })
    assert.deepEqual([status, body.completeInviteLinks], [200, []])
  })

  for (const [status, error, reason, body, as] of [
    [400, 'BadRequest', 'projects are named', { inviteeEmails: ['a@example.com'], projectIds: ['x'] }, adminToken],
    [401, 'UnauthorizedError', 'no organization is selected', { inviteeEmails: ['a@example.com'] }, token],
    [403, 'ForbiddenError', 'an identity asks', { inviteeEmails: ['a@example.com'] }, admin.token],
    [
      403,
      'ForbiddenError',
      'it is another organization',
      { inviteeEmails: ['a@example.com'], organizationId: admin.userId },
      adminToken,
    ],
    [
      404,
      'NotFound',
      'there is no such role',
      { inviteeEmails: ['a@example.com'], organizationRoleSlug: 'x' },
      adminToken,
    ],
    [422, 'ValidationFailure', 'nobody is named', { inviteeEmails: [] }, adminToken],
    [422, 'ValidationFailure', 'an address is none', { inviteeEmails: ['a'] }, adminToken],
    [
      422,
      'ValidationFailure',
      'a hundred and one are named',
      { inviteeEmails: Array.from({ length: 101 }, (_, i) => `a${i}@example.com`) },
      adminToken,
    ],
    [
      422,
      'ValidationFailure',
      'six projects are named',
      { inviteeEmails: ['a@example.com'], projectIds: Array(6).fill('x') },
      adminToken,
    ],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await invite(body, as)
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }

  test('403 for a member, who may not invite', async () => {
    const member = await joinAs(server, { token: adminToken, organizationId, email: 'member@example.com' })
    const answer = await invite({ inviteeEmails: ['a@example.com'] }, member.token)
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
  })

  test('403 for whoever may invite, and would make somebody more powerful than himself', async () => {
    const role = { slug: 'inviter', name: 'Inviter', permissions: [{ subject: 'member', action: ['read', 'create'] }] }
    assert.equal((await server.post('/api/v1/organization/roles', role, { token: adminToken })).status, 200)
    const inviter = await joinAs(server, {
      token: adminToken,
      organizationId,
      email: 'inviter@example.com',
      role: 'inviter',
    })
    const answer = await invite({ inviteeEmails: ['a@example.com'], organizationRoleSlug: 'admin' }, inviter.token)
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionBoundaryError'])
    assert.equal((await invite({ inviteeEmails: ['a@example.com'] }, inviter.token)).status, 200)
  })
})

describe(`POST ${VERIFY}`, () => {
  test('200 gives a token to sign up with, once', async () => {
    const { code, email } = await invited('verify@example.com')
    const first = await verify({ email: 'Verify@example.com', code })
    assert.equal(first.status, 200)
    assert.equal(first.body.organizationName, 'Acme')
    assert.equal(typeof first.body.token, 'string')
    assert.equal((await verify({ email, code })).status, 400)
  })

  test('200 without a token for whoever has an account, who is a member from then on', async () => {
    const other = await server.post('/api/v2/organizations', { name: 'Second' }, { token })
    const second = other.body.organization.id as string
    const inSecond = await logIn(server, { ...admin, organizationId: second })
    const member = await joinAs(server, { token: adminToken, organizationId, email: 'both@example.com' })
    const { code, email } = await invited(member.email, inSecond, second)
    const { status, body } = await verify({ email, code, organizationId: second })
    assert.deepEqual([status, body.token], [200, undefined])
    const { organizations } = (await server.get('/api/v1/organization', { token: member.token })).body
    assert.equal(organizations.length, 2)
  })

  test('400 for another code, another address, another organization, an older code and one that has expired', async () => {
    const older = await invited('refused@example.com')
    const { email, code } = await invited('refused@example.com')
    const other = await invited('refused-too@example.com')
    for (const body of [
      { email, code: older.code },
      { email, code: other.code },
      { email, code: '' },
      { email: 'nobody@example.com', code },
      { email, code, organizationId: admin.userId },
      { email, code, organizationId: 'x' },
    ]) {
      const answer = await verify(body)
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    }
    server.clock.advance(7 * DAY_MS)
    assert.equal((await verify({ email, code })).status, 400)
  })

  test('422 when the address is none', async () => {
    assert.equal((await verify({ email: 'x', code: 'y' })).status, 422)
  })
})

describe(`POST ${COMPLETE}`, () => {
  test('200 makes a user who is logged in and a member', async () => {
    const email = 'new@example.com'
    const { status, body, headers } = await complete(await signUpTokenFor(email), account(email))
    assert.equal(status, 200)
    assert.deepEqual([body.user.email, body.user.firstName, body.user.lastName], [email, 'Grace', null])
    assert.match(String(headers['set-cookie']), /^jid=/)
    const { organizations } = (await server.get('/api/v1/organization', { token: body.token })).body
    assert.deepEqual(
      (organizations as { userRole: string }[]).map(({ userRole }) => userRole),
      ['member'],
    )
  })

  test('400 the second time, for another address, and when the invitation was withdrawn', async () => {
    const email = 'twice@example.com'
    const signUpToken = await signUpTokenFor(email)
    assert.equal((await complete(signUpToken, account('other@example.com'))).status, 400)
    assert.equal((await complete(signUpToken, account(email))).status, 200)
    assert.equal((await complete(signUpToken, account(email))).status, 400)

    const withdrawn = await signUpTokenFor('withdrawn@example.com')
    const members = `/api/v2/organizations/${organizationId}/memberships`
    const { users } = (await server.get(members, { token: adminToken })).body
    const isWithdrawn = (one: { inviteEmail: string }) => one.inviteEmail === 'withdrawn@example.com'
    const id = (users as { inviteEmail: string; id: string }[]).find(isWithdrawn)?.id ?? ''
    assert.equal((await server.delete(`${members}/${id}`, { token: adminToken })).status, 200)
    assert.equal((await complete(withdrawn, account('withdrawn@example.com'))).status, 400)
  })

  test('422 when the password breaks the policy or the kind of account is another', async () => {
    const email = 'policy@example.com'
    const signUpToken = await signUpTokenFor(email)
    for (const body of [
      { ...account(email), password: 'short1' },
      { ...account(email), type: 'saml' },
    ]) {
      assert.equal((await complete(signUpToken, body)).status, 422)
    }
  })

  test('401 without a token or with one that is for something else, 403 when it has expired', async () => {
    const email = 'expired@example.com'
    const signUpToken = await signUpTokenFor(email)
    assert.equal((await complete(undefined, account(email))).status, 401)
    assert.equal((await complete(adminToken, account(email))).status, 401)
    assert.equal((await server.post('/api/v1/auth/checkAuth', undefined, { token: signUpToken })).status, 401)
    server.clock.advance(15 * 60_000)
    const answer = await complete(signUpToken, account(email))
    assert.deepEqual([answer.status, answer.body.error], [403, 'TokenError'])
  })

  test('leaves invitations of other organizations to be made again: their code was not shown', async () => {
    const email = 'taken@example.com'
    await invited(email)
    const created = await server.post('/api/v2/organizations', { name: 'Third' }, { token })
    const third = created.body.organization.id as string
    const inThird = await logIn(server, { ...admin, organizationId: third })
    const { token: joined } = await joinAs(server, { token: inThird, organizationId: third, email })
    const selection = await server.post('/api/v3/auth/select-organization', { organizationId }, { token: joined })
    assert.equal(selection.status, 404)
  })
})

test('an account that came in elsewhere accepts an invitation by its link alone', async () => {
  const email = 'cto@example.com'
  await complete(await signUpTokenFor(email), account(email))
  const own = await logIn(server, { email, password: PASSWORD })
  const created = await server.post('/api/v2/organizations', { name: 'Elsewhere' }, { token })
  const elsewhere = created.body.organization.id as string
  const owner = await logIn(server, { ...admin, organizationId: elsewhere })
  const { code } = await invited(email, owner, elsewhere)

  const select = () => server.post('/api/v3/auth/select-organization', { organizationId: elsewhere }, { token: own })
  assert.equal((await select()).status, 403)
  assert.equal((await verify({ email, code, organizationId: elsewhere })).status, 200)
  assert.equal((await select()).status, 200)
})
