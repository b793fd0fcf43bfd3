import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { TestMachines, TOKEN_AUTH, UNIVERSAL_AUTH } from '../../../test/test-machines.ts'
import { createMember, createProject } from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)

const target = await machines.withSecret()
const ua = `${UNIVERSAL_AUTH}/identities/${target.id}`
const ta = `${TOKEN_AUTH}/identities/${target.id}`
await server.post(ta, {}, { token: admin.token })
const tokenId = (await server.post(`${ta}/tokens`, {}, { token: admin.token })).body.tokenData.id as string

type Operation = [
  name: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  action: string,
  boundary: string | undefined,
]

/** In an order that leaves each something to do. */
const OPERATIONS: Operation[] = [
  ['get universal auth', 'GET', ua, 'read', undefined],
  ['change universal auth', 'PATCH', ua, 'edit-auth', undefined],
  ['clear lockouts', 'POST', `${ua}/clear-lockouts`, 'edit', undefined],
  ['create a client secret', 'POST', `${ua}/client-secrets`, 'create', 'create-token'],
  ['list client secrets', 'GET', `${ua}/client-secrets`, 'read', 'get-token'],
  ['get a client secret', 'GET', `${ua}/client-secrets/${target.clientSecretId}`, 'read', 'get-token'],
  ['revoke a client secret', 'POST', `${ua}/client-secrets/${target.clientSecretId}/revoke`, 'delete', 'delete-token'],
  ['get token auth', 'GET', ta, 'read', undefined],
  ['change token auth', 'PATCH', ta, 'edit-auth', undefined],
  ['create a token', 'POST', `${ta}/tokens`, 'edit', 'create-token'],
  ['list tokens', 'GET', `${ta}/tokens`, 'read', undefined],
  ['get a token', 'GET', `${TOKEN_AUTH}/tokens/${tokenId}`, 'read', undefined],
  ['get a token by the older path', 'GET', `${ta}/tokens/${tokenId}`, 'read', undefined],
  ['name a token', 'PATCH', `${TOKEN_AUTH}/tokens/${tokenId}`, 'edit', 'create-token'],
  ['revoke a token', 'POST', `${TOKEN_AUTH}/tokens/${tokenId}/revoke`, 'edit', undefined],
  ['detach universal auth', 'DELETE', ua, 'edit', 'revoke-auth'],
  ['attach universal auth', 'POST', ua, 'edit-auth', undefined],
  ['detach token auth', 'DELETE', ta, 'edit', 'revoke-auth'],
  ['attach token auth', 'POST', ta, 'edit-auth', undefined],
]

const ACTIONS = 'read create edit delete revoke-auth edit-auth create-token get-token delete-token'.split(' ')

const nobody = await machines.tokenWith('no-access')
const member = await machines.tokenWith('member')

const call = ([, method, path]: Operation, token: string) =>
  server.request(method, path, method === 'GET' || method === 'DELETE' ? undefined : {}, { token })

describe('whoever may not', () => {
  for (const operation of OPERATIONS) {
    const [name, , , action, boundary] = operation

    test(`${name} is refused without '${action}'`, async () => {
      const { status, body } = await call(operation, nobody)
      assert.deepEqual([status, body.error, body.details], [403, 'PermissionDenied', []])
    })

    if (boundary === undefined) continue
    test(`${name} is refused without '${boundary}', which a member lacks`, async () => {
      const { status, body } = await call(operation, member)
      assert.deepEqual([status, body.error], [403, 'PermissionBoundaryError'])
      assert.deepEqual(body.details, { missingPermissions: [{ action: boundary, subject: 'identity' }] })
    })
  }
})

describe('whoever holds just what it takes may', () => {
  for (const operation of OPERATIONS) {
    const [name, , , action, boundary] = operation
    test(name, async () => {
      const token = await machines.tokenAllowing({
        subject: 'identity',
        action: ACTIONS.filter((one) => one === action || one === boundary),
      })
      const { status, text } = await call(operation, token)
      assert.equal(status, 200, text)
    })
  }
})

describe('an identity that a project owns', async () => {
  const db = openBeside(server.url)
  const { id: projectId } = await createProject(server, admin.token)
  const [owned, viewer, outsider] = await Promise.all([
    machines.identity(),
    createMember(server, admin, { db: db.pool, projectId, role: 'viewer' }),
    machines.tokenWith('admin'),
  ])
  await sql`update identities set project_id = ${projectId} where id = ${owned}`.execute(db.pool)
  const method = `${UNIVERSAL_AUTH}/identities/${owned}`

  test('is managed by those who may in the project, whatever they are in the organization', async () => {
    const { body, status } = await server.post(method, {}, { token: outsider })
    assert.deepEqual([status, body.error], [403, 'ProjectMembershipNotFound'])
    const looking = await server.post(method, {}, { token: viewer.token })
    assert.deepEqual([looking.status, looking.body.error], [403, 'PermissionDenied'])

    assert.equal((await server.post(method, {}, { token: admin.token })).status, 200)
    assert.equal((await server.get(method, { token: viewer.token })).status, 200)
    assert.equal((await server.get(`${method}/client-secrets`, { token: viewer.token })).status, 403)
    const secret = await server.post(`${method}/client-secrets`, {}, { token: admin.token })
    assert.equal(secret.status, 200, secret.text)
  })
})

describe('an identity that is instance administrator', () => {
  const instanceAdmin = `${TOKEN_AUTH}/identities/${admin.identityId}`

  test('may be looked at by others', async () => {
    const token = await machines.tokenWith('admin')
    assert.equal((await server.get(instanceAdmin, { token })).status, 200)
  })

  test('is changed only by one', async () => {
    const token = await machines.tokenWith('admin')
    for (const [method, path] of [
      ['POST', `${UNIVERSAL_AUTH}/identities/${admin.identityId}`],
      ['PATCH', instanceAdmin],
      ['POST', `${instanceAdmin}/tokens`],
      ['DELETE', instanceAdmin],
    ] as const) {
      const { status, body } = await server.request(method, path, {}, { token })
      assert.deepEqual([status, body.error], [403, 'ForbiddenError'], path)
    }
    const own = await server.post(`${instanceAdmin}/tokens`, {}, { token: admin.token })
    assert.equal(own.status, 200)
  })
})

test('an identity of another organization is one that does not exist', async () => {
  const elsewhere = await server.post('/api/v3/auth/login', { email: admin.email, password: admin.password })
  const person = elsewhere.body.accessToken as string
  const { body } = await server.post('/api/v2/organizations', { name: 'Other' }, { token: person })
  const organizationId = body.organization.id as string
  const selected = await server.post('/api/v3/auth/select-organization', { organizationId }, { token: person })
  const stranger = selected.body.token as string

  for (const operation of OPERATIONS) {
    const [, method, path] = operation
    const unknown = path.replace(target.id, randomUUID()).replace(tokenId, randomUUID())
    const [theirs, nothing] = [
      await call(operation, stranger),
      await call([operation[0], method, unknown, '', ''], stranger),
    ]
    assert.deepEqual([theirs.status, theirs.body.error], [404, 'NotFound'], path)
    assert.deepEqual({ ...theirs.body, reqId: '', message: '' }, { ...nothing.body, reqId: '', message: '' })
  }
})
