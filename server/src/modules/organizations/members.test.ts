import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const { organizationId } = admin
const PATH = `/api/v2/organizations/${organizationId}/memberships`
const OLDER_PATH = `/api/v1/organization/${organizationId}/users`

const token = await logIn(server, admin)
const join = (name: string, role?: string) =>
  joinAs(server, { token, organizationId, email: `${name}@example.com`, ...(role !== undefined && { role }) })
const member = await join('member')

type Listed = { id: string; userId: string; role: string; roleId: string | null }
const membershipOf = async (userId: string): Promise<Listed> => {
  const { body } = await server.get(PATH, { token })
  const found = (body.users as Listed[]).find((one) => one.userId === userId)
  return found ?? assert.fail('is no member')
}
const own = await membershipOf(admin.userId)
const createRole = async (slug: string, permissions: object[]) => {
  const { body } = await server.post('/api/v1/organization/roles', { slug, name: slug, permissions }, { token })
  return body.role.id as string
}

describe('the list of members', () => {
  test('200 on both paths', async () => {
    const [newer, older] = [await server.get(PATH, { token }), await server.get(OLDER_PATH, { token })]
    assert.deepEqual([newer.status, older.status], [200, 200])
    const { createdAt, updatedAt, lastLoginTime, ...first } = newer.body.users[0]
    assert.ok([createdAt, updatedAt, lastLoginTime].every((time) => Date.parse(time) > 0))
    assert.deepEqual(first, {
      id: own.id,
      role: 'admin',
      status: 'accepted',
      inviteEmail: null,
      userId: admin.userId,
      orgId: organizationId,
      roleId: null,
      projectFavorites: null,
      isActive: true,
      lastInvitedAt: null,
      lastLoginAuthMethod: 'email',
      user: {
        id: admin.userId,
        username: admin.email,
        email: admin.email,
        firstName: 'Admin',
        lastName: 'User',
        publicKey: null,
        superAdmin: true,
        isEmailVerified: true,
        authMethods: ['email'],
      },
    })
    assert.equal(older.body.users[0].user.authMethods, undefined)
    assert.equal(older.body.users.length, 2)
  })

  test('200 for a machine on the newer path alone', async () => {
    assert.equal((await server.get(PATH, { token: admin.token })).status, 200)
    assert.equal((await server.get(OLDER_PATH, { token: admin.token })).status, 403)
  })

  test('403 for whoever may not read members, and for another organization', async () => {
    const outsider = await join('outsider', 'no-access')
    const denied = await server.get(PATH, { token: outsider.token })
    assert.deepEqual([denied.status, denied.body.error], [403, 'PermissionDenied'])
    const other = await server.get(`/api/v2/organizations/${admin.userId}/memberships`, { token })
    assert.deepEqual([other.status, other.body.error], [403, 'ForbiddenError'])
    assert.equal((await server.get(PATH)).status, 401)
  })
})

describe('one member', () => {
  test('200 shows metadata and the slug of a custom role', async () => {
    const roleId = await createRole('auditor', [{ subject: 'audit-logs', action: 'read' }])
    const { userId, token: theirs } = await join('auditor', 'auditor')
    const { id } = await membershipOf(userId)
    const metadata = [{ key: 'team', value: 'blue' }]
    assert.equal((await server.patch(`${PATH}/${id}`, { metadata }, { token })).status, 200)
    const { body } = await server.get(`${PATH}/${id}`, { token: admin.token })
    const { role, customRoleSlug, metadata: kept } = body.membership
    assert.deepEqual([role, body.membership.roleId, customRoleSlug], ['custom', roleId, 'auditor'])
    assert.deepEqual(
      (kept as { key: string; value: string }[]).map(({ key, value }) => ({ key, value })),
      metadata,
    )
    assert.equal((await server.get(`${PATH}/${id}`, { token: theirs })).status, 403)
  })

  for (const id of [admin.userId, 'x', '00000000-0000-0000-0000-000000000000']) {
    test(`404 for ${id}`, async () => {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const answer = await server.request(method, `${PATH}/${id}`, method === 'PATCH' ? {} : undefined, { token })
        assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
      }
    })
  }
})

describe('changing a member', () => {
  test('200 gives another role, which counts at once', async () => {
    const { userId, token: theirs } = await join('rising')
    const { id } = await membershipOf(userId)
    const roles = '/api/v1/organization/roles'
    const role = { slug: 'made', name: 'Made', permissions: [] }
    assert.equal((await server.post(roles, role, { token: theirs })).status, 403)
    const { status, body } = await server.patch(`${PATH}/${id}`, { role: 'admin' }, { token })
    assert.deepEqual([status, body.membership.role], [200, 'admin'])
    assert.equal((await server.post(roles, role, { token: theirs })).status, 200)
    await server.patch(`${PATH}/${id}`, { role: 'member' }, { token })
    assert.equal((await server.post(roles, { ...role, slug: 'again' }, { token: theirs })).status, 403)
  })

  test('200 with nothing to change', async () => {
    const { status, body } = await server.patch(`${PATH}/${own.id}`, {}, { token })
    assert.deepEqual([status, body.membership.role], [200, 'admin'])
  })

  test('200 deactivates, which ends all access, and activates again', async () => {
    const { userId, token: theirs } = await join('sleeper')
    const { id } = await membershipOf(userId)
    await server.patch(`${PATH}/${id}`, { isActive: false }, { token })
    assert.equal((await server.get('/api/v1/organization/permissions', { token: theirs })).status, 403)
    await server.patch(`${PATH}/${id}`, { isActive: true }, { token })
    assert.equal((await server.get('/api/v1/organization/permissions', { token: theirs })).status, 200)
  })

  for (const [reason, changes] of [
    ['demoted', { role: 'member' }],
    ['deactivated', { isActive: false }],
  ] as const) {
    test(`400 when the last administrator would be ${reason}`, async () => {
      const answer = await server.patch(`${PATH}/${own.id}`, changes, { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    })
  }

  test('403 for members, and for machines whatever they may', async () => {
    for (const as of [member.token, admin.token]) {
      assert.equal((await server.patch(`${PATH}/${own.id}`, {}, { token: as })).status, 403)
      assert.equal((await server.delete(`${PATH}/${own.id}`, { token: as })).status, 403)
    }
  })

  test('403 when somebody would be given more than the giver holds, also oneself', async () => {
    await createRole('editor', [{ subject: 'member', action: ['read', 'edit'] }])
    const editor = await join('editor', 'editor')
    const { id } = await membershipOf(editor.userId)
    const answer = await server.patch(`${PATH}/${id}`, { role: 'admin' }, { token: editor.token })
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionBoundaryError'])
    assert.ok(answer.body.details.missingPermissions.length > 0)
    assert.equal((await membershipOf(editor.userId)).role, 'custom')
  })

  test('404 for an unknown role, 422 for a malformed one', async () => {
    assert.equal((await server.patch(`${PATH}/${own.id}`, { role: 'custom' }, { token })).status, 404)
    assert.equal((await server.patch(`${PATH}/${own.id}`, { role: '' }, { token })).status, 422)
    assert.equal((await server.patch(`${PATH}/${own.id}`, { isActive: 'no' }, { token })).status, 422)
  })
})

describe('removing a member', () => {
  test('200 ends all access at once', async () => {
    const { userId, token: theirs } = await join('leaver')
    const { id } = await membershipOf(userId)
    const { status, body } = await server.delete(`${PATH}/${id}`, { token })
    assert.deepEqual([status, body.membership.id], [200, id])
    const answer = await server.get('/api/v1/organization/permissions', { token: theirs })
    assert.deepEqual([answer.status, answer.body.error], [403, 'ForbiddenError'])
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 404)
  })

  test('400 when it is the last administrator', async () => {
    const answer = await server.delete(`${PATH}/${own.id}`, { token })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })

  test('two administrators who remove each other at the same time leave one', async () => {
    const second = await join('second', 'admin')
    const { id } = await membershipOf(second.userId)
    const answers = await Promise.all([
      server.patch(`${PATH}/${id}`, { role: 'member' }, { token }),
      server.patch(`${PATH}/${own.id}`, { role: 'member' }, { token: second.token }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })
})
