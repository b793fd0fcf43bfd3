import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { POLICIES, PROFILES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { fresh } from '../../../../test/test-members.ts'
import { auditOf, createIdentity, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const caId = await pki.root()
const certificatePolicyId = await pki.policy({
  validity: { max: '90d' },
  subject: [{ type: 'organization', required: ['Acme'] }],
})
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const reader = await member('member')
const elsewhere = await createOtherOrganization(server, admin)
const other = await createProject(server, token, { projectName: 'Other', type: 'cert-manager' })

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const PROJECT = { projectId: project.id }
const wish = { certificatePolicyId, caId, ...PROJECT }
const create = (body: object = {}, as = token) =>
  server.post(PROFILES, { slug: fresh('pr'), ...wish, ...body }, { token: as })
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]

describe('POST /api/v1/cert-manager/certificate-profiles', () => {
  test('200 with the whole record', async () => {
    const defaults = { ttlDays: 30, organization: 'Acme', keyAlgorithm: 'RSA_2048', keyUsages: ['digital_signature'] }
    const { status, body } = await create({
      slug: 'web-1',
      description: 'Web',
      apiConfig: { autoRenew: true, renewBeforeDays: 9 },
      defaults,
    })
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, apiConfigId, ...profile } = body.certificateProfile
    assert.deepEqual(profile, {
      projectId: project.id,
      caId,
      certificatePolicyId,
      slug: 'web-1',
      description: 'Web',
      enrollmentType: 'api',
      issuerType: 'ca',
      estConfigId: null,
      acmeConfigId: null,
      scepConfigId: null,
      externalConfigs: null,
      defaults,
    })
    assert.equal(createdAt, updatedAt)
    const read = (await server.get(`${PROFILES}/${id}`, { token })).body.certificateProfile
    assert.deepEqual(read.apiConfig, { id: apiConfigId, autoRenew: true, renewBeforeDays: 9 })
    assert.equal(read.certificateAuthority.id, caId)
    assert.equal(read.certificatePolicy.id, certificatePolicyId)
    assert.deepEqual(read.certificatePolicy.validity, { max: '90d' })
    const bySlug = await server.get(`${PROFILES}/slug/web-1`, { token, query: PROJECT })
    assert.deepEqual(bySlug.body.certificateProfile, read)
    assert.equal(
      (await auditOf(db, project.id, 'create-certificate-profile')).at(-1)?.eventMetadata['certificateProfileId'],
      id,
    )
    const older = await server.get(`/api/v1/pki/certificate-profiles/${id}`, { token })
    assert.deepEqual(older.body.certificateProfile, read)
  })

  test('403 for a slug that is taken, once of many at once', async () => {
    const slug = fresh('taken')
    const answers = await Promise.all(Array.from({ length: 4 }, () => create({ slug })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403])
    assert.equal(answers.find(({ status }) => status === 403)?.body.error, 'ForbiddenError')
  })

  test('what belongs to another project is refused, to another organization not found', async () => {
    const policy = await server.post(POLICIES, { name: 'theirs', projectId: other.id }, { token })
    const theirs = policy.body.certificatePolicy.id as string
    assert.deepEqual(statusOf(await create({ certificatePolicyId: theirs })), [403, 'ForbiddenError'])
    const profile = { projectId: other.id, certificatePolicyId: theirs, caId }
    assert.deepEqual(statusOf(await create(profile)), [403, 'ForbiddenError'])
    assert.deepEqual(statusOf(await create({ certificatePolicyId: UNKNOWN })), [404, 'NotFound'])
    assert.deepEqual(statusOf(await create({ caId: UNKNOWN })), [404, 'NotFound'])
  })

  for (const [status, reason, changes] of [
    [400, 'the authority is missing', { caId: undefined }],
    [400, 'a self-signed one has an authority', { issuerType: 'self-signed' }],
    [400, 'the way of enrolment is not built', { enrollmentType: 'acme', acmeConfig: {} }],
    [400, 'the defaults are longer than the policy allows', { defaults: { ttlDays: 91 } }],
    [400, 'the defaults have a name that the policy does not allow', { defaults: { commonName: 'x' } }],
    [400, 'the project is none', { projectId: UNKNOWN }],
    [422, 'the slug has capitals', { slug: 'Web' }],
    [422, 'the policy is no id', { certificatePolicyId: 'x' }],
    [422, 'the way of enrolment is unknown', { enrollmentType: 'post' }],
    [422, 'it would be renewed too early', { apiConfig: { renewBeforeDays: 31 } }],
    [422, 'the default time is nothing', { defaults: { ttlDays: 0 } }],
  ] as const) {
    test(`${status} when ${reason}`, async () => assert.equal((await create(changes)).status, status))
  }

  test('refusals', async () => {
    const narrow = await ruled({
      subject: 'certificate-profiles',
      action: ['create'],
      conditions: { slug: { $glob: 'mine-*' } },
    })
    assert.deepEqual(statusOf(await server.post(PROFILES, { slug: 'x', ...wish })), [401, 'UnauthorizedError'])
    assert.deepEqual(statusOf(await create({}, outsider.token)), [403, 'ProjectMembershipNotFound'])
    assert.deepEqual(statusOf(await create({}, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await create({}, elsewhere.token)), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await create({}, narrow.token)), [403, 'PermissionDenied'])
    assert.equal((await create({ slug: fresh('mine') }, narrow.token)).status, 200)
  })
})

describe('GET /api/v1/cert-manager/certificate-profiles', () => {
  test('200 by slug, issuer, authority and way of enrolment', async () => {
    await create({ slug: 'list-a', description: 'Alpha' })
    await create({ slug: 'list-b', caId: undefined, issuerType: 'self-signed' })
    const list = async (query: Record<string, string>, as = token) => {
      const { body } = await server.get(PROFILES, { token: as, query: { ...PROJECT, search: 'list-', ...query } })
      return [body.certificateProfiles.map(({ slug }: { slug: string }) => slug), body.totalCount]
    }
    assert.deepEqual(await list({}), [['list-a', 'list-b'], 2])
    assert.deepEqual(await list({}, reader.token), [['list-a', 'list-b'], 2])
    assert.deepEqual(await list({ search: 'alpha' }), [['list-a'], 1])
    assert.deepEqual(await list({ issuerType: 'self-signed' }), [['list-b'], 1])
    assert.deepEqual(await list({ caId }), [['list-a'], 1])
    assert.deepEqual(await list({ enrollmentType: 'acme' }), [[], 0])
    assert.deepEqual(await list({ limit: '1', offset: '1' }), [['list-b'], 2])
    assert.equal((await server.get(PROFILES, { token: outsider.token, query: PROJECT })).status, 403)
    assert.equal((await server.get(PROFILES, { token })).status, 400, 'two projects, and none is named')
  })

  test('200 pages and counts what one may read, and nothing else', async () => {
    for (const slug of ['seen-a', 'hidden-b', 'seen-c']) await create({ slug })
    const conditions = { slug: { $glob: 'seen-*' } }
    const narrow = await ruled({ subject: 'certificate-profiles', action: ['read'], conditions })
    const query = { ...PROJECT, limit: '1', offset: '1' }
    const { body } = await server.get(PROFILES, { token: narrow.token, query })
    assert.deepEqual([body.certificateProfiles[0].slug, body.totalCount], ['seen-c', 2])
  })
})

describe('PATCH and DELETE', () => {
  test('200 changes what is named, and nothing else', async () => {
    const made = (await create({ apiConfig: { autoRenew: false }, defaults: { ttlDays: 3 } })).body.certificateProfile
    const path = `${PROFILES}/${made.id}`
    const changed = await server.patch(path, { description: 'New', apiConfig: null }, { token })
    assert.equal(changed.status, 200)
    const { updatedAt, ...rest } = changed.body.certificateProfile
    const { updatedAt: before, ...expected } = { ...made, description: 'New', apiConfigId: null }
    assert.deepEqual(rest, expected)
    assert.notEqual(updatedAt, before)
    assert.equal(
      (await server.patch(path, { issuerType: 'self-signed' }, { token })).body.certificateProfile.caId,
      null,
    )
    assert.equal((await server.patch(path, { issuerType: 'ca' }, { token })).status, 400)
    assert.equal((await server.patch(path, { defaults: { ttlDays: 100 } }, { token })).status, 400)
    assert.equal((await server.patch(path, { enrollmentType: 'est' }, { token })).status, 400)
    assert.equal((await server.patch(path, { slug: 'web-1' }, { token })).status, 403)
  })

  test('200 deletes, then 404; certificates stay', async () => {
    const made = await pki.profile({ caId })
    const { certificateId } = await pki.issue(made)
    assert.equal((await server.delete(`${PROFILES}/${made}`, { token: viewer.token })).status, 403)
    assert.equal((await server.delete(`${PROFILES}/${made}`, { token })).status, 200)
    for (const answer of [
      await server.delete(`${PROFILES}/${made}`, { token }),
      await server.get(`${PROFILES}/${made}`, { token }),
      await server.patch(`${PROFILES}/${made}`, {}, { token }),
      await server.get(`${PROFILES}/slug/nothing`, { token, query: PROJECT }),
      await pki.order(made),
    ]) {
      assert.deepEqual(statusOf(answer), [404, 'NotFound'])
    }
    const { body } = await server.get(`/api/v1/cert-manager/certificates/${certificateId}`, { token })
    assert.deepEqual([body.certificate.profileId, body.certificate.profileName], [null, null])
  })
})
