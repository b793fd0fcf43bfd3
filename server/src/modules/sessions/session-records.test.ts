import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBeside } from '../../../test/test-database.ts'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const DAY_MS = 24 * 3_600_000
const server = await startTestServer()
const db = openBeside(server.url)

const admin = await server.bootstrap()
const token = await logIn(server, admin)
const eventsOf = (...types: string[]) =>
  db.pool
    .selectFrom('auditLogs')
    .select(['eventType', 'eventMetadata', 'actorType', 'actorId', 'organizationId', 'ipAddress', 'result'])
    .where('eventType', 'in', types)
    .orderBy('seq')
    .execute()

describe('the audit log tells', () => {
  test('who set up the instance', async () => {
    const [event] = await eventsOf('bootstrap-instance')
    assert.equal(event?.actorType, 'unknownUser')
    assert.equal(event.organizationId, admin.organizationId)
    const { email, userId, organizationId, identityId } = admin
    assert.deepEqual(event.eventMetadata, { email, userId, organizationId, identityId })
  })

  test('who logged in and who failed to, from where, and never with what', async () => {
    await server.post('/api/v3/auth/login', { email: admin.email, password: 'canary-1' }, { ip: '10.9.0.1' })
    await server.post('/api/v3/auth/login', { email: 'canary-2', password: 'canary-3' }, { ip: '10.9.0.2' })
    const events = await eventsOf('user-login', 'user-login-failed')
    assert.deepEqual(
      events.map(({ eventType, actorId, ipAddress, result }) => [eventType, actorId, ipAddress, result]),
      [
        ['user-login', admin.userId, '127.0.0.1', 'success'],
        ['user-login-failed', null, '10.9.0.1', 'refused'],
        ['user-login-failed', null, '10.9.0.2', 'refused'],
      ],
    )
    assert.deepEqual(events[1]?.eventMetadata, { userId: admin.userId })
    assert.ok(!JSON.stringify(events).includes('canary'))
  })

  test('who selected which organization, and logged out', async () => {
    const session = await logIn(server, admin)
    await server.post('/api/v1/auth/logout', undefined, { token: session })
    await server.post('/api/v1/auth/logout', undefined, { token: session })
    const events = await eventsOf('select-organization', 'user-logout')
    assert.deepEqual(
      events.map(({ eventType }) => eventType),
      ['select-organization', 'select-organization', 'user-logout'],
    )
    assert.deepEqual(events[0]?.eventMetadata, { organizationId: admin.organizationId, organizationName: 'Acme' })
  })

  test('who invited whom, who came, and what became of them', async () => {
    const { userId } = await joinAs(server, { ...admin, token, email: 'new@example.com' })
    const path = `/api/v2/organizations/${admin.organizationId}/memberships`
    const { users } = (await server.get(path, { token })).body
    const id = (users as { userId: string; id: string }[]).find((one) => one.userId === userId)?.id ?? ''
    await server.patch(`${path}/${id}`, { role: 'no-access' }, { token })
    await server.delete(`${path}/${id}`, { token })
    const types = ['invite-org-member', 'user-signup', 'update-org-membership', 'delete-org-membership']
    const events = await eventsOf(...types)
    assert.deepEqual(
      events.map(({ eventType }) => eventType),
      types,
    )
    assert.ok(events.every(({ organizationId }) => organizationId === admin.organizationId))
    assert.deepEqual(events[2]?.eventMetadata, { membershipId: id, userId, role: 'no-access' })
  })
})

describe('what is kept of sessions', () => {
  const { sessions, throttle, invites } = server.app.services
  const origin = { ip: '10.8.0.1', userAgent: 'ci', requestId: 'r' }
  const countOf = async (table: 'sessions' | 'organizationInvites') =>
    (
      await db.pool
        .selectFrom(table)
        .select((columns) => columns.fn.countAll().as('n'))
        .executeTakeFirst()
    )?.n

  test('is the latest hundred of one device', async () => {
    const device = { userId: admin.userId, authMethod: 'email', origin }
    const opened = []
    for (let round = 0; round < 102; round++) opened.push(await db.transaction((tx) => sessions.open(tx, device)))
    const listed = await db.pool.selectFrom('sessions').select('id').where('userAgent', '=', 'ci').execute()
    const kept = new Set(listed.map(({ id }) => id))
    assert.equal(kept.size, 100)
    assert.deepEqual(opened.map(({ id }) => kept.has(id)).slice(0, 3), [false, false, true])
  })

  test('is forgotten when nobody can use it any more', async () => {
    const invitation = { inviteeEmails: ['late@example.com'], organizationId: admin.organizationId }
    await server.post('/api/v1/invite-org/signup', invitation, { token })
    assert.notEqual(await countOf('organizationInvites'), 0)
    server.clock.advance(91 * DAY_MS)
    for (const one of [sessions, throttle, invites]) await one.purge()
    assert.deepEqual([await countOf('sessions'), await countOf('organizationInvites')], [0, 0])
  })
})
