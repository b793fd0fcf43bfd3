import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/organization/roles'
const FIXED = {
  admin: 'b11b49a9-09a9-4443-916a-4246f9ff2c69',
  member: 'b11b49a9-09a9-4443-916a-4246f9ff2c70',
  'no-access': 'b10d49a9-09a9-4443-916a-4246f9ff2c72',
}

const server = await startTestServer()
const admin = await server.bootstrap()
const token = await logIn(server, admin)
const member = await joinAs(server, { ...admin, token, email: 'member@example.com' })
const elsewhere = await server.post('/api/v2/organizations', { name: 'Other' }, { token }).then(async ({ body }) => {
  const other = await logIn(server, { ...admin, organizationId: body.organization.id })
  const role = await server.post(PATH, { slug: 'theirs', name: 'Theirs', permissions: [] }, { token: other })
  return role.body.role as { id: string }
})

const RULES = [
  { subject: 'member', action: ['read', 'edit'], inverted: false },
  { subject: 'app-connections', action: ['connect'], inverted: true, conditions: { connectionId: { $eq: 'c1' } } },
]
const role = (slug: string) => ({ slug, name: slug.toUpperCase(), description: 'x', permissions: RULES })
const create = (body: object, as: string | undefined = token) => server.post(PATH, body, { token: as })

describe(`POST ${PATH}`, () => {
  test('200 stores rules as they were sent, for people and machines', async () => {
    for (const [slug, as] of [
      ['by-user', token],
      ['by-machine', admin.token],
    ] as const) {
      const { status, body } = await create(role(slug), as)
      assert.equal(status, 200)
      const { id, createdAt, updatedAt, ...rest } = body.role
      assert.equal(createdAt, updatedAt)
      assert.deepEqual(rest, { ...role(slug), orgId: admin.organizationId })
      assert.deepEqual((await server.get(`${PATH}/${id}`, { token: as })).body, body)
      assert.deepEqual((await server.get(`${PATH}/slug/${slug}`, { token: as })).body, body)
    }
  })

  test('200 shows one action as a list, and no description as none', async () => {
    const { body } = await create({ slug: 'short', name: 'S', permissions: [{ subject: 'role', action: 'read' }] })
    assert.equal(body.role.description, null)
    assert.deepEqual(body.role.permissions, [{ subject: 'role', action: ['read'], inverted: false }])
  })

  for (const [status, error, reason, body, as] of [
    [400, 'BadRequest', 'the slug is taken', role('by-user'), token],
    [401, 'UnauthorizedError', 'no token is sent', role('a'), undefined],
    [403, 'PermissionDenied', 'a member asks', role('a'), member.token],
    [422, 'ValidationFailure', 'the slug is reserved', role('admin'), token],
    [422, 'ValidationFailure', 'the slug is the marker of custom roles', role('custom'), token],
    [422, 'ValidationFailure', 'the slug has 65 characters', role('a'.repeat(65)), token],
    [422, 'ValidationFailure', 'the slug has capitals', role('Abc'), token],
    [422, 'ValidationFailure', 'the name is empty', { ...role('a'), name: '' }, token],
    [422, 'ValidationFailure', 'there are no rules', { slug: 'a', name: 'A' }, token],
    [
      422,
      'ValidationFailure',
      'a subject is unknown',
      { ...role('a'), permissions: [{ subject: 'secrets', action: 'read' }] },
      token,
    ],
    [
      422,
      'ValidationFailure',
      'an action is unknown',
      { ...role('a'), permissions: [{ subject: 'member', action: 'fly' }] },
      token,
    ],
    [
      422,
      'ValidationFailure',
      'a denial would be ignored',
      { ...role('a'), permissions: [{ subject: 'member', action: 'read', inverted: true }] },
      token,
    ],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }

  test('of two with one slug at the same time one is refused', async () => {
    const answers = await Promise.all([create(role('twin')), create(role('twin'))])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  })
})

describe(`GET ${PATH}`, () => {
  test('200 lists the predefined ones first, then the others by slug, without their rules', async () => {
    const { status, body } = await server.get(PATH, { token: member.token })
    assert.equal(status, 200)
    const slugs = (body.roles as { slug: string }[]).map(({ slug }) => slug)
    assert.deepEqual(slugs.slice(0, 3), ['admin', 'member', 'no-access'])
    assert.deepEqual(slugs.slice(3), [...slugs.slice(3)].sort())
    assert.ok((body.roles as object[]).every((one) => !('permissions' in one)))
    assert.deepEqual((await server.get(PATH, { token })).body, body, 'and does not change')
  })

  for (const [slug, id] of Object.entries(FIXED)) {
    test(`200 shows the rules of ${slug}, by id and by slug`, async () => {
      const byId = await server.get(`${PATH}/${id}`, { token })
      assert.equal(byId.status, 200)
      assert.equal(byId.body.role.permissions.length, { admin: 33, member: 17, 'no-access': 0 }[slug])
      assert.deepEqual((await server.get(`${PATH}/slug/${slug}`, { token })).body, byId.body)
    })
  }

  for (const path of [
    `${PATH}/${elsewhere.id}`,
    `${PATH}/${admin.userId}`,
    `${PATH}/x`,
    `${PATH}/slug/custom`,
    `${PATH}/slug/theirs`,
  ]) {
    test(`404 for ${path.replace(PATH, '')}`, async () => {
      const answer = await server.get(path, { token })
      assert.deepEqual([answer.status, answer.body.error], [404, 'NotFound'])
    })
  }
})

describe(`PATCH ${PATH}/{roleId}`, () => {
  test('200 changes what is named, and counts at once for whoever holds the role', async () => {
    const { body } = await create({ ...role('changing'), permissions: [{ subject: 'role', action: 'read' }] })
    const { id } = body.role
    const holder = await joinAs(server, { ...admin, token, email: 'holder@example.com', role: 'changing' })
    const memberships = `/api/v2/organizations/${admin.organizationId}/memberships`
    assert.equal((await server.get(memberships, { token: holder.token })).status, 403)

    const permissions = [{ subject: 'member', action: ['read'] }]
    const changed = await server.patch(`${PATH}/${id}`, { permissions, name: 'New', description: null }, { token })
    assert.equal(changed.status, 200)
    const { slug, name, description } = changed.body.role
    assert.deepEqual([slug, name, description], ['changing', 'New', null])
    assert.equal((await server.get(memberships, { token: holder.token })).status, 200)
    assert.equal((await server.get(PATH, { token: holder.token })).status, 403)
  })

  test('200 with nothing to change', async () => {
    const { body } = await server.get(`${PATH}/slug/by-user`, { token })
    const answer = await server.patch(`${PATH}/${body.role.id}`, {}, { token })
    assert.deepEqual([answer.status, answer.body.role.permissions], [200, RULES])
  })

  test('400 for a slug that is taken, 422 for one that is reserved', async () => {
    const { id } = (await server.get(`${PATH}/slug/by-user`, { token })).body.role
    assert.equal((await server.patch(`${PATH}/${id}`, { slug: 'by-machine' }, { token })).status, 400)
    assert.equal((await server.patch(`${PATH}/${id}`, { slug: 'member' }, { token })).status, 422)
  })

  for (const id of [elsewhere.id, FIXED.admin, 'x']) {
    test(`404 for ${id}`, async () => {
      assert.equal((await server.patch(`${PATH}/${id}`, { name: 'X' }, { token })).status, 404)
      assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 404)
    })
  }
})

describe(`DELETE ${PATH}/{roleId}`, () => {
  test('200 answers what is gone', async () => {
    const { body } = await create(role('going'))
    const { status, body: gone } = await server.delete(`${PATH}/${body.role.id}`, { token })
    assert.deepEqual([status, gone.role.slug], [200, 'going'])
    assert.equal((await server.get(`${PATH}/${body.role.id}`, { token })).status, 404)
  })

  test('is either deleted or given, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = `race-${round}`
      const { id } = (await create(role(slug))).body.role
      const machine = { name: slug, organizationId: admin.organizationId, role: slug }
      const [deleted, given] = await Promise.all([
        server.delete(`${PATH}/${id}`, { token }),
        server.post('/api/v1/identities', machine, { token }),
      ])
      assert.ok(
        (deleted.status === 200 && given.status === 404) || (deleted.status === 400 && given.status === 200),
        `${deleted.status} ${given.status}`,
      )
    }
  })

  test('400 when somebody holds it, 403 when a member asks', async () => {
    const { id } = (await server.get(`${PATH}/slug/changing`, { token })).body.role
    const answer = await server.delete(`${PATH}/${id}`, { token })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    assert.equal((await server.delete(`${PATH}/${id}`, { token: member.token })).status, 403)
  })
})
