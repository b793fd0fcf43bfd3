import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/identities'
const MISSING = '00000000-0000-4000-8000-000000000000'

const server = await startTestServer()
const admin = await server.bootstrap()
const { token, organizationId } = admin

const create = async (body: object = {}) => {
  const answer = await server.post(PATH, { name: 'ci', organizationId, ...body }, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.identity as { id: string; metadata: { id: string; key: string; value: string }[] }
}

/** A token of an identity with this role. */
const tokenWithRole = async (role: string): Promise<string> => {
  const { id } = await create({ name: role, role })
  await server.post(`/api/v1/auth/token-auth/identities/${id}`, {}, { token })
  const { body } = await server.post(`/api/v1/auth/token-auth/identities/${id}/tokens`, {}, { token })
  return body.accessToken as string
}

const member = await tokenWithRole('member')
const nobody = await tokenWithRole('no-access')
const login = await server.post('/api/v3/auth/login', { email: admin.email, password: admin.password })
const selected = await server.post(
  '/api/v3/auth/select-organization',
  { organizationId },
  { token: login.body.accessToken },
)
const person = selected.body.token as string

describe(`POST ${PATH}`, () => {
  test('200 with every field, and it reads back', async () => {
    const metadata = [{ key: 'team', value: 'core' }]
    const { status, body } = await server.post(
      PATH,
      { name: ' ci ', organizationId, role: 'member', hasDeleteProtection: true, metadata, unknown: 1 },
      { token },
    )
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body.identity).sort(), [
      'authMethod',
      'authMethods',
      'createdAt',
      'hasDeleteProtection',
      'id',
      'metadata',
      'name',
      'orgId',
      'projectId',
      'updatedAt',
    ])
    assert.deepEqual(
      [body.identity.name, body.identity.authMethods, body.identity.projectId, body.identity.authMethod],
      ['ci', [], null, null],
    )

    const read = await server.get(`${PATH}/${body.identity.id}`, { token })
    assert.equal(read.status, 200)
    assert.equal(read.body.identity.role, 'member')
    assert.equal(read.body.identity.identity.hasDeleteProtection, true)
    assert.deepEqual(read.body.identity.metadata, body.identity.metadata)
    assert.deepEqual(
      read.body.identity.metadata.map(({ key, value }: { key: string; value: string }) => ({ key, value })),
      metadata,
    )
  })

  for (const [status, error, reason, as, body] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined, {}],
    [403, 'PermissionDenied', 'the actor may not create identities', nobody, {}],
    [403, 'PermissionBoundaryError', 'the actor may not grant the role', member, { role: 'admin' }],
    [403, 'ForbiddenError', 'the organization is another one', token, { organizationId: MISSING }],
    [404, 'NotFound', 'there is no such role', token, { role: 'no-such-role' }],
    [422, 'ValidationFailure', 'the name is not a text', token, { name: 5 }],
    [422, 'ValidationFailure', 'the name is too long', token, { name: 'x'.repeat(256) }],
    [422, 'ValidationFailure', 'a metadata value is empty', token, { metadata: [{ key: 'a', value: ' ' }] }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, { name: 'x', organizationId, ...body }, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})

describe(`PATCH ${PATH}/{id}`, () => {
  test('200 changes only what it names', async () => {
    const { id } = await create({ hasDeleteProtection: true, metadata: [{ key: 'a', value: '1' }] })
    const off = await server.patch(`${PATH}/${id}`, { hasDeleteProtection: false }, { token })
    assert.deepEqual(
      [off.status, off.body.identity.hasDeleteProtection, off.body.identity.name, off.body.identity.metadata],
      [200, false, 'ci', []],
    )
    const { body } = await server.get(`${PATH}/${id}`, { token })
    assert.equal(body.identity.metadata.length, 1)
  })

  test('200 keeps metadata in the order it was sent, which clients compare', async () => {
    const keys = ['zone', 'team', 'owner', 'cost', 'stage', 'area', 'node', 'build']
    const metadata = keys.map((key) => ({ key, value: 'v' }))
    const { id } = await create({ metadata })
    const orderOf = async () =>
      (await server.get(`${PATH}/${id}`, { token })).body.identity.metadata.map(({ key }: { key: string }) => key)
    assert.deepEqual(await orderOf(), keys)
    await server.patch(`${PATH}/${id}`, { metadata: metadata.toReversed() }, { token })
    assert.deepEqual(await orderOf(), keys.toReversed())
  })

  test('200 replaces metadata and role', async () => {
    const { id } = await create({ metadata: [{ key: 'a', value: '1' }] })
    await server.patch(`${PATH}/${id}`, { metadata: [], role: 'member' }, { token })
    const { body } = await server.get(`${PATH}/${id}`, { token })
    assert.deepEqual([body.identity.metadata, body.identity.role], [[], 'member'])
  })

  test('a new role is in force at once', async () => {
    const { id } = await create()
    await server.post(`/api/v1/auth/token-auth/identities/${id}`, {}, { token })
    const { body } = await server.post(`/api/v1/auth/token-auth/identities/${id}/tokens`, {}, { token })
    const list = () => server.get(`${PATH}?orgId=${organizationId}`, { token: body.accessToken })
    assert.equal((await list()).status, 403)
    await server.patch(`${PATH}/${id}`, { role: 'member' }, { token })
    assert.equal((await list()).status, 200)
    await server.patch(`${PATH}/${id}`, { role: 'no-access' }, { token })
    assert.equal((await list()).status, 403)
  })

  for (const [status, error, reason, as, id, body] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined, MISSING, {}],
    [404, 'NotFound', 'there is no such identity', token, MISSING, { name: 'x' }],
    [404, 'NotFound', 'the id is malformed', token, 'not-an-id', { name: 'x' }],
    [404, 'NotFound', 'there is no such role', token, undefined, { role: 'nope' }],
    [403, 'PermissionDenied', 'the actor may not edit', nobody, undefined, { name: 'x' }],
    [403, 'PermissionBoundaryError', 'the actor may not grant the role', member, undefined, { role: 'admin' }],
    [
      403,
      'ForbiddenError',
      'an administrator of the instance is to be changed by someone who is none',
      member,
      admin.identityId,
      { name: 'x' },
    ],
    [422, 'ValidationFailure', 'the role is empty', token, MISSING, { role: '' }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.patch(`${PATH}/${id ?? (await create()).id}`, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})

describe(`DELETE ${PATH}/{id}`, () => {
  test('200 with what was deleted, then 404; its tokens end at once', async () => {
    const { id } = await create()
    await server.post(`/api/v1/auth/token-auth/identities/${id}`, {}, { token })
    const { body } = await server.post(`/api/v1/auth/token-auth/identities/${id}/tokens`, {}, { token })
    assert.equal((await server.get(`${PATH}/details`, { token: body.accessToken })).status, 200)

    const deleted = await server.delete(`${PATH}/${id}`, { token })
    assert.deepEqual([deleted.status, deleted.body.identity.id], [200, id])
    assert.equal((await server.get(`${PATH}/details`, { token: body.accessToken })).status, 401)
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 404)
  })

  test('400 while it is protected', async () => {
    const { id } = await create({ hasDeleteProtection: true })
    assert.deepEqual((await server.delete(`${PATH}/${id}`, { token })).body.error, 'BadRequest')
  })

  test('403 for whoever may not', async () => {
    const { id } = await create()
    assert.equal((await server.delete(`${PATH}/${id}`, { token: nobody })).status, 403)
    assert.equal((await server.delete(`${PATH}/${id}`)).status, 401)
  })
})

describe(`GET ${PATH}`, () => {
  test('200 lists by name; 422 without an organization; 403 for another', async () => {
    await create({ name: 'Zulu' })
    await create({ name: 'alpha' })
    const { status, body } = await server.get(`${PATH}?orgId=${organizationId}`, { token })
    assert.equal(status, 200)
    const names = body.identities.map(({ identity }: { identity: { name: string } }) => identity.name.toLowerCase())
    assert.deepEqual(names, [...names].sort())
    assert.equal(body.totalCount, names.length)
    assert.equal((await server.get(PATH, { token })).status, 422)
    assert.equal((await server.get(`${PATH}?orgId=${MISSING}`, { token })).status, 403)
    assert.equal((await server.get(`${PATH}?orgId=${organizationId}`, { token: nobody })).status, 403)
  })

  test('404 for one that does not exist, 403 for who may not read', async () => {
    assert.equal((await server.get(`${PATH}/${MISSING}`, { token })).status, 404)
    assert.equal((await server.get(`${PATH}/nonsense`, { token })).status, 404)
    assert.equal((await server.get(`${PATH}/${admin.identityId}`, { token: nobody })).status, 403)
  })
})

describe('searching', () => {
  const search = (body: object, path = `${PATH}/search`) => server.post(path, body, { token })
  const names = ({ body }: Awaited<ReturnType<typeof search>>) =>
    body.identities.map(({ identity }: { identity: { name: string } }) => identity.name)

  test('200 by name, by role, by several and by alternatives', async () => {
    for (const name of ['search-one', 'search-two', 'SEARCH_three'])
      await create({ name, role: name === 'search-two' ? 'member' : 'no-access' })
    assert.deepEqual(names(await search({ search: { name: 'search-one' } })), ['search-one'])
    assert.deepEqual(names(await search({ search: { name: { $contains: 'SEARCH-' } } })), ['search-one', 'search-two'])
    // An underscore means itself.
    assert.deepEqual(names(await search({ search: { name: { $contains: 'search_' } } })), ['SEARCH_three'])
    assert.deepEqual(names(await search({ search: { name: { $in: ['search-one', 'search-two'] }, role: 'member' } })), [
      'search-two',
    ])
    assert.deepEqual(
      names(await search({ search: { $or: [{ name: 'search-one' }, { name: 'search-two', role: 'member' }] } })),
      ['search-one', 'search-two'],
    )
  })

  test('200 pages with a true total', async () => {
    const first = await search({
      search: { name: { $contains: 'search' } },
      limit: 1,
      offset: 1,
      orderDirection: 'desc',
    })
    assert.deepEqual([names(first), first.body.totalCount], [['search-two'], 3])
    assert.deepEqual([(await search({ limit: 1, offset: 500 })).body.identities], [[]])
  })

  test('422 for what cannot be searched', async () => {
    for (const body of [
      { limit: 101 },
      { limit: 0 },
      { offset: -1 },
      { orderBy: 'id' },
      { search: { name: '%' } },
      { search: { $or: Array.from({ length: 6 }, () => ({})) } },
    ]) {
      assert.equal((await search(body)).status, 422, JSON.stringify(body))
    }
  })

  test('over scopes: what may not be seen is left out', async () => {
    const found = await search({ search: { name: 'search-two' }, orderBy: 'lastLogin' }, '/api/v2/identities/search')
    assert.equal(found.status, 200)
    assert.equal(found.body.identities[0].scope, 'organization')
    assert.equal(found.body.identities[0].roles[0].role, 'member')
    const unseen = await server.post('/api/v2/identities/search', {}, { token: nobody })
    assert.deepEqual([unseen.status, unseen.body], [200, { identities: [], totalCount: 0 }])
    const counted = await search(
      { scope: ['organization'], search: { name: { $contains: 'search' } } },
      '/api/v2/identities/search/count',
    )
    assert.deepEqual(counted.body, { counts: { organization: 3 } })
  })

  test('the list of an organization: default page, sorted by role, filtered by name', async () => {
    const list = (query: string) =>
      server.get(`/api/v2/organizations/${organizationId}/identity-memberships${query}`, { token })
    assert.equal((await list('')).status, 200)
    assert.equal((await list('?orderBy=role')).status, 200)
    assert.equal((await list('?search=search-')).body.totalCount, 2)
    assert.equal((await list('?limit=20001')).status, 422)
  })
})

describe(`GET ${PATH}/details`, () => {
  test('200 for an identity, 403 for a person, 401 for nobody', async () => {
    const { status, body } = await server.get(`${PATH}/details`, { token: nobody })
    assert.deepEqual([status, Object.keys(body.identityDetails.organization)], [200, ['id', 'name', 'slug']])
    assert.equal((await server.get(`${PATH}/details`, { token: person })).status, 403)
    assert.equal((await server.get(`${PATH}/details`)).status, 401)
  })
})

describe('the paths for people', () => {
  const ORGANIZATION = '/api/v1/organization/identities'

  test('200 create, list, get, update, delete', async () => {
    const created = await server.post(
      ORGANIZATION,
      { name: 'personal', metadata: [{ key: 'k', value: 'v' }] },
      { token: person },
    )
    assert.equal(created.status, 200, created.text)
    assert.deepEqual(created.body.identity.metadata, [{ key: 'k', value: 'v' }])
    const one = `${ORGANIZATION}/${created.body.identity.id}`
    assert.equal((await server.get(`${ORGANIZATION}?search=personal&limit=1`, { token: person })).body.totalCount, 1)
    assert.equal((await server.patch(one, { name: 'renamed' }, { token: person })).body.identity.name, 'renamed')
    assert.equal((await server.get(one, { token: person })).body.identity.name, 'renamed')
    assert.equal((await server.delete(one, { token: person })).status, 200)
    assert.equal((await server.get(one, { token: person })).status, 404)
  })

  test('403 for a machine identity, 422 without a name', async () => {
    assert.equal((await server.get(ORGANIZATION, { token })).status, 403)
    assert.equal((await server.post(ORGANIZATION, { name: '' }, { token: person })).status, 422)
  })
})

describe('the audit log', () => {
  test('has a row for each change', async () => {
    const { id } = await create()
    await server.patch(`${PATH}/${id}`, { name: 'audited' }, { token })
    await server.delete(`${PATH}/${id}`, { token })
    const { body } = await server.get(
      '/api/v1/organization/audit-logs?eventType=create-identity,update-identity,delete-identity&limit=3',
      { token },
    )
    const events = body.auditLogs.map(({ event }: { event: { type: string; metadata: { identityId: string } } }) => [
      event.type,
      event.metadata.identityId,
    ])
    assert.deepEqual(events, [
      ['delete-identity', id],
      ['update-identity', id],
      ['create-identity', id],
    ])
  })
})
