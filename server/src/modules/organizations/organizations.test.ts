import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs, logIn } from '../../../test/test-people.ts'
import { startTestServer } from '../../../test/test-server.ts'

const PATH = '/api/v1/organization'
const CREATE = '/api/v2/organizations'

const server = await startTestServer()
const admin = await server.bootstrap()
const token = await logIn(server, admin)
const withoutOrganization = await logIn(server, { email: admin.email, password: admin.password })
const member = await joinAs(server, { ...admin, token, email: 'member@example.com' })

/** Every field that clients are told of, with what a new organization has. */
const DEFAULTS = {
  customerId: null,
  authEnforced: false,
  googleSsoAuthEnforced: false,
  scimEnabled: false,
  kmsDefaultKeyId: null,
  defaultMembershipRole: 'member',
  enforceMfa: false,
  selectedMfaMethod: null,
  allowSecretSharingOutsideOrganization: true,
  shouldUseNewPrivilegeSystem: true,
  privilegeUpgradeInitiatedByUsername: null,
  privilegeUpgradeInitiatedAt: null,
  bypassOrgAuthEnabled: false,
  userTokenExpiration: null,
  secretsProductEnabled: true,
  pkiProductEnabled: true,
  kmsProductEnabled: true,
  scannerProductEnabled: true,
  shareSecretsProductEnabled: true,
  maxSharedSecretLifetime: 2_592_000,
  maxSharedSecretViewLimit: null,
  blockDuplicateSecretSyncDestinations: false,
  allowCrossProjectSecretSharing: false,
  rootOrgId: null,
  parentOrgId: null,
  secretShareBrandConfig: null,
}

describe(`POST ${CREATE}`, () => {
  test('200 makes an organization whose administrator is the caller', async () => {
    const { status, body } = await server.post(CREATE, { name: ' Second One ' }, { token: withoutOrganization })
    assert.equal(status, 200)
    const { id, name, slug, createdAt, updatedAt, ...rest } = body.organization
    assert.equal(name, 'Second One')
    assert.match(slug, /^second-one-[a-z0-9]{4}$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, DEFAULTS)

    const selected = await logIn(server, { ...admin, organizationId: id })
    const role = { slug: 'r', name: 'R', permissions: [] }
    assert.equal((await server.post(`${PATH}/roles`, role, { token: selected })).status, 200)
  })

  test('200 for a name that was used before, and for one without a letter for a slug', async () => {
    for (const name of ['Acme', 'Acme', '___']) {
      assert.equal((await server.post(CREATE, { name }, { token: member.token })).status, 200)
    }
  })

  for (const [status, error, reason, body, as] of [
    [401, 'UnauthorizedError', 'no token is sent', { name: 'A' }, undefined],
    [403, 'ForbiddenError', 'an identity asks', { name: 'A' }, admin.token],
    [422, 'ValidationFailure', 'there is no name', {}, token],
    [422, 'ValidationFailure', 'the name is empty', { name: ' ' }, token],
    [422, 'ValidationFailure', 'the name has 65 characters', { name: 'a'.repeat(65) }, token],
    [422, 'ValidationFailure', 'the name has another character', { name: 'a/b' }, token],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(CREATE, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})

describe(`GET ${PATH}`, () => {
  for (const path of [PATH, `${PATH}/accessible-with-sub-orgs`, '/api/v2/users/me/organizations']) {
    test(`200 lists one's own organizations at ${path}, with and without one selected`, async () => {
      for (const as of [token, withoutOrganization]) {
        const { status, body } = await server.get(path, { token: as })
        assert.equal(status, 200)
        const acme = (body.organizations as Record<string, unknown>[]).find(({ id }) => id === admin.organizationId)
        assert.deepEqual([acme?.['name'], acme?.['maxSharedSecretLifetime']], ['Acme', 2_592_000])
      }
    })

    test(`401 without a token, 403 for an identity at ${path}`, async () => {
      assert.equal((await server.get(path)).status, 401)
      assert.equal((await server.get(path, { token: admin.token })).status, 403)
    })
  }

  test('tells the role, when one joined, and that there are no sub-organizations', async () => {
    const isAcme = ({ id }: { id: string }) => id === admin.organizationId
    const listed = (await server.get(PATH, { token: member.token })).body.organizations.find(isAcme)
    assert.deepEqual([listed.userRole, listed.orgAuthMethod], ['member', ''])
    assert.ok(Date.parse(listed.userJoinedAt) > 0)
    const { body } = await server.get(`${PATH}/accessible-with-sub-orgs`, { token: member.token })
    assert.deepEqual(body.organizations.find(isAcme).subOrganizations, [])
  })
})

describe(`GET ${PATH}/{organizationId}`, () => {
  test('200 for the one that is selected', async () => {
    const { status, body } = await server.get(`${PATH}/${admin.organizationId}`, { token: member.token })
    assert.deepEqual([status, body.organization.id, body.organization.pamProjectId], [200, admin.organizationId, null])
  })

  for (const [status, error, reason, id, as] of [
    [401, 'UnauthorizedError', 'no organization is selected', admin.organizationId, withoutOrganization],
    [403, 'ForbiddenError', 'it is another one', admin.userId, token],
    [403, 'ForbiddenError', 'the id is malformed', 'x', token],
    [403, 'ForbiddenError', 'an identity asks', admin.organizationId, admin.token],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.get(`${PATH}/${id}`, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }
})

describe(`GET ${PATH}/permissions`, () => {
  test('200 tells one role and its rules in their terse form', async () => {
    const { status, body } = await server.get(`${PATH}/permissions`, { token: member.token })
    assert.equal(status, 200)
    assert.deepEqual(
      (body.memberships as { roles: object[] }[]).map(({ roles }) => roles),
      [[{ role: 'member' }]],
    )
    assert.ok((body.permissions as unknown[][]).some((rule) => JSON.stringify(rule) === '["read","member"]'))
    assert.equal((await server.get(`${PATH}/permissions`, { token })).body.permissions.length, 33)
  })

  test('401 without a token, 403 for an identity', async () => {
    assert.equal((await server.get(`${PATH}/permissions`)).status, 401)
    assert.equal((await server.get(`${PATH}/permissions`, { token: admin.token })).status, 403)
  })
})

describe('GET /api/v1/sub-organizations', () => {
  test('200 says that there are none, to people and machines', async () => {
    for (const as of [token, admin.token]) {
      const query = { limit: '1000', offset: '0', search: 'x', isAccessible: 'true' }
      const { status, body } = await server.get('/api/v1/sub-organizations', { token: as, query })
      assert.deepEqual([status, body], [200, { organizations: [], totalCount: 0 }])
    }
  })

  for (const query of [
    { limit: '0' },
    { limit: '1001' },
    { offset: '-1' },
    { orderBy: 'slug' },
    { isAccessible: 'yes' },
  ]) {
    test(`422 for ${JSON.stringify(query)}`, async () => {
      assert.equal((await server.get('/api/v1/sub-organizations', { token, query })).status, 422)
    })
  }
})
