import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { POLICIES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { without } from '../../../../test/test-machines.ts'
import { fresh } from '../../../../test/test-members.ts'
import { auditOf, createIdentity, createOtherOrganization } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const RULES = {
  subject: [{ type: 'common_name', allowed: ['*.example.com'], denied: ['admin.*'] }],
  sans: [{ type: 'dns_name', required: ['*.example.com'] }],
  keyUsages: { allowed: ['digital_signature'], denied: ['crl_sign'] },
  extendedKeyUsages: { required: ['server_auth'] },
  algorithms: { signature: ['SHA256-ECDSA', 'RSA-SHA256'], keyAlgorithm: ['ECDSA-P256'] },
  validity: { max: '12m' },
  basicConstraints: { isCA: 'allowed', maxPathLength: -1 },
}
const create = (body: object, as = token) => server.post(POLICIES, { name: fresh('p'), ...body }, { token: as })
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]

describe('POST /api/v1/cert-manager/certificate-policies', () => {
  test('200 and it reads back as it was sent', async () => {
    const { status, body } = await create({ description: 'For services', ...RULES })
    assert.equal(status, 200)
    const { id, projectId, name, description, createdAt, updatedAt, ...rules } = body.certificatePolicy
    assert.deepEqual(rules, RULES)
    assert.deepEqual(
      [projectId, description, typeof name, createdAt],
      [project.id, 'For services', 'string', updatedAt],
    )
    assert.deepEqual((await server.get(`${POLICIES}/${id}`, { token })).body, body)
    assert.equal(
      (await auditOf(db, project.id, 'create-certificate-policy')).at(-1)?.eventMetadata['certificatePolicyId'],
      id,
    )
  })

  test('200 for sections that are null or absent', async () => {
    const { body } = await create({ subject: null, basicConstraints: null })
    assert.deepEqual(Object.keys(body.certificatePolicy), [
      'id',
      'projectId',
      'name',
      'description',
      'createdAt',
      'updatedAt',
    ])
  })

  for (const [reason, changes] of [
    ['the name has capitals', { name: 'Name' }],
    ['the name is empty', { name: '' }],
    ['a subject attribute is unknown', { subject: [{ type: 'cn' }] }],
    ['a value is empty', { subject: [{ type: 'common_name', allowed: [''] }] }],
    ['there are too many values', { sans: [{ type: 'dns_name', allowed: Array.from({ length: 26 }, String) }] }],
    ['usages say nothing', { keyUsages: {} }],
    ['a usage is allowed and denied', { keyUsages: { allowed: ['crl_sign'], denied: ['crl_sign'] } }],
    ['a usage is in the older spelling', { keyUsages: { allowed: ['digitalSignature'] } }],
    ['algorithms are none', { algorithms: { signature: [] } }],
    ['an algorithm is unknown', { algorithms: { keyAlgorithm: ['ROT13'] } }],
    ['the validity is in seconds', { validity: { max: '90s' } }],
    ['the validity is nothing', { validity: { max: '0d' } }],
    ['the path length is below -1', { basicConstraints: { maxPathLength: -2 } }],
    ['there are too many domain components', { subject: [{ type: 'domain_component', allowed: ['a,'.repeat(60)] }] }],
  ] as const) {
    test(`422 when ${reason}`, async () => {
      assert.deepEqual(statusOf(await create(changes)), [422, 'ValidationFailure'])
    })
  }

  test('400 for a name that is taken, once of many at once', async () => {
    const name = fresh('taken')
    const answers = await Promise.all(Array.from({ length: 4 }, () => create({ name })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
  })

  test('refusals', async () => {
    const conditions = { name: { $glob: 'mine-*' } }
    const narrow = await ruled({ subject: 'certificate-policies', action: ['create', 'read', 'edit'], conditions })
    assert.deepEqual(statusOf(await server.post(POLICIES, { name: 'x' })), [401, 'UnauthorizedError'])
    assert.deepEqual(statusOf(await create({}, outsider.token)), [403, 'ProjectMembershipNotFound'])
    assert.deepEqual(statusOf(await create({}, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await create({}, elsewhere.token)), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await create({}, narrow.token)), [403, 'PermissionDenied'])
    const mine = await create({ name: fresh('mine') }, narrow.token)
    assert.equal(mine.status, 200)
    const path = `${POLICIES}/${mine.body.certificatePolicy.id}`
    const renamed = await server.patch(path, { name: fresh('yours') }, { token: narrow.token })
    assert.deepEqual(statusOf(renamed), [403, 'PermissionDenied'])
    const listed = await server.get(POLICIES, { token: narrow.token, query: { limit: '100' } })
    assert.deepEqual(
      listed.body.certificatePolicies.map(({ name }: { name: string }) => name.split('-')[0]),
      ['mine'],
    )
  })
})

describe('GET /api/v1/cert-manager/certificate-policies', () => {
  test('200 page by page and by a part of the name', async () => {
    for (const name of ['list-a', 'list-b', 'list-c']) await create({ name })
    const list = async (query: Record<string, string>) => {
      const { body } = await server.get(POLICIES, { token, query })
      return [body.certificatePolicies.map(({ name }: { name: string }) => name), body.totalCount]
    }
    assert.deepEqual(await list({ search: 'LIST-' }), [['list-a', 'list-b', 'list-c'], 3])
    assert.deepEqual(await list({ search: 'list-', limit: '1', offset: '1' }), [['list-b'], 3])
    assert.equal((await server.get(POLICIES, { token, query: { limit: '101' } })).status, 422)
    assert.equal((await server.get(POLICIES, { token: outsider.token })).status, 403)
  })

  test('200 pages and counts what one may read, and nothing else', async () => {
    for (const name of ['seen-a', 'hidden-b', 'seen-c']) await create({ name })
    const conditions = { name: { $glob: 'seen-*' } }
    const narrow = await ruled({ subject: 'certificate-policies', action: ['read'], conditions })
    const query = { limit: '1', offset: '1' }
    const { body } = await server.get(POLICIES, { token: narrow.token, query })
    assert.deepEqual([body.certificatePolicies[0].name, body.totalCount], ['seen-c', 2])
  })
})

describe('PATCH and DELETE', () => {
  test('200 changes what is named, and takes out what is null', async () => {
    const { body } = await create(RULES)
    const path = `${POLICIES}/${body.certificatePolicy.id}`
    const changed = await server.patch(path, { validity: { max: '1d' }, sans: null, description: 'New' }, { token })
    const { id, projectId, name, createdAt, updatedAt, ...rules } = changed.body.certificatePolicy
    const expected = { ...RULES, validity: { max: '1d' }, description: 'New' }
    assert.deepEqual(rules, without(expected, 'sans'))
    assert.ok(id && projectId && name && createdAt !== updatedAt)
    const unchanged = (await server.patch(path, {}, { token })).body.certificatePolicy
    assert.deepEqual({ ...unchanged, updatedAt: '' }, { ...changed.body.certificatePolicy, updatedAt: '' })
  })

  test('400 for a name that is taken, and for deleting what a profile uses', async () => {
    const name = fresh('held')
    const held = (await create({ name })).body.certificatePolicy.id as string
    const other = (await create({})).body.certificatePolicy.id as string
    assert.deepEqual(statusOf(await server.patch(`${POLICIES}/${other}`, { name }, { token })), [400, 'BadRequest'])
    await pki.profile({ issuerType: 'self-signed', certificatePolicyId: held })
    assert.deepEqual(statusOf(await server.delete(`${POLICIES}/${held}`, { token })), [400, 'BadRequest'])
    assert.equal((await server.delete(`${POLICIES}/${other}`, { token })).status, 200)
    for (const id of [other, '00000000-0000-4000-8000-000000000000']) {
      assert.deepEqual(statusOf(await server.delete(`${POLICIES}/${id}`, { token })), [404, 'NotFound'])
      assert.deepEqual(statusOf(await server.get(`${POLICIES}/${id}`, { token })), [404, 'NotFound'])
      assert.deepEqual(statusOf(await server.patch(`${POLICIES}/${id}`, {}, { token })), [404, 'NotFound'])
    }
    assert.deepEqual(statusOf(await server.get(`${POLICIES}/x`, { token })), [422, 'ValidationFailure'])
    assert.deepEqual(statusOf(await server.get(`${POLICIES}/${held}`, { token: elsewhere.token })), [404, 'NotFound'])
    assert.deepEqual(statusOf(await server.delete(`${POLICIES}/${held}`, { token: viewer.token })), [
      403,
      'PermissionDenied',
    ])
  })
})
