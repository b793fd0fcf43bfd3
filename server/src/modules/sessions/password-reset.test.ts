import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { logIn } from '../../../test/test-people.ts'
import { startServerOn, startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
// As the command runs: in another process, beside the server.
const beside = await startServerOn(server.url)
after(() => beside.stop())
const { logins } = beside.app.services

describe('a password that is set by whoever runs the server', () => {
  test('replaces the old one and ends all sessions, within a second', async () => {
    const token = await logIn(server, admin)
    const password = 'another horse battery 9'
    await logins.resetPassword({ email: 'Admin@example.com', password })
    const deadline = performance.now() + 1_000
    while ((await server.post('/api/v1/auth/checkAuth', undefined, { token })).status === 200) {
      assert.ok(performance.now() < deadline, 'the session is still open')
    }
    await assert.rejects(logIn(server, admin), /login answered 400/)
    await logIn(server, { ...admin, password })
  })

  test('is refused for somebody unknown, and for somebody who was only invited', async () => {
    const account = { email: 'invited@example.com', password: 'another horse battery 9' }
    await assert.rejects(logins.resetPassword(account), /not found/)
    const token = await logIn(server, { ...admin, password: account.password })
    const invitation = { inviteeEmails: [account.email], organizationId: admin.organizationId }
    assert.equal((await server.post('/api/v1/invite-org/signup', invitation, { token })).status, 200)
    await assert.rejects(logins.resetPassword(account), /has no account yet/)
  })
})
