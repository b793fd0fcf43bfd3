import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logIn } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const ME = '/api/v2/users/me'
const NAME = `${ME}/name`

const server = await startTestServer()
const admin = await server.bootstrap()
const token = await logIn(server, { email: admin.email, password: admin.password })
const selected = await logIn(server, admin)

describe('GET /api/v1/user', () => {
  test('200 tells who is logged in, without a word of the password', async () => {
    const { status, body, text } = await server.get('/api/v1/user', { token })
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, ...user } = body.user
    assert.equal(id, admin.userId)
    assert.ok(Date.parse(createdAt) <= Date.parse(updatedAt))
    assert.deepEqual(user, {
      email: 'admin@example.com',
      authMethods: ['email'],
      superAdmin: true,
      firstName: 'Admin',
      lastName: 'User',
      isAccepted: true,
      isMfaEnabled: false,
      devices: null,
      isGhost: false,
      username: 'admin@example.com',
      isEmailVerified: true,
      consecutiveFailedMfaAttempts: 0,
      isLocked: false,
      temporaryLockDateEnd: null,
      consecutiveFailedPasswordAttempts: 0,
      selectedMfaMethod: null,
      isGoogleVerified: false,
      isGitHubVerified: false,
      isGitLabVerified: false,
      lastSeenAnnouncementId: null,
      encryptionVersion: 2,
    })
    assert.ok(!text.includes('argon2'))
  })

  test('401 without a token, 403 for an identity', async () => {
    assert.equal((await server.get('/api/v1/user')).status, 401)
    assert.equal((await server.get('/api/v1/user', { token: admin.token })).status, 403)
  })
})

describe(`GET ${ME}`, () => {
  test('200 tells the same, and that there are no keys', async () => {
    const { status, body } = await server.get(ME, { token: selected })
    assert.equal(status, 200)
    assert.equal(body.user.id, admin.userId)
    assert.deepEqual([body.user.mfaMethods, body.user.publicKey, body.user.encryptedPrivateKey], [null, null, null])
  })

  test('401 until an organization is selected', async () => {
    assert.equal((await server.get(ME, { token })).status, 401)
  })
})

describe(`PATCH ${NAME}`, () => {
  test('200 changes the names', async () => {
    const { status, body } = await server.patch(NAME, { firstName: ' Ada ', lastName: 'Lovelace' }, { token })
    assert.equal(status, 200)
    assert.deepEqual([body.user.firstName, body.user.lastName], ['Ada', 'Lovelace'])
    assert.equal((await server.get('/api/v1/user', { token })).body.user.firstName, 'Ada')
  })

  for (const [status, error, reason, body, as] of [
    [401, 'UnauthorizedError', 'no token is sent', { firstName: 'A', lastName: 'B' }, undefined],
    [403, 'ForbiddenError', 'an identity asks', { firstName: 'A', lastName: 'B' }, admin.token],
    [422, 'ValidationFailure', 'the first name is empty', { firstName: ' ', lastName: 'B' }, token],
    [422, 'ValidationFailure', 'a name has 256 characters', { firstName: 'A', lastName: 'B'.repeat(256) }, token],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.patch(NAME, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})
