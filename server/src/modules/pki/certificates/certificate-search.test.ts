import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { startCertificateServer } from '../../../../test/test-certificates.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const caId = await pki.root()
const profileId = await pki.profile({ caId })
const otherProfileId = await pki.profile({ issuerType: 'self-signed' })
const outsider = await createIdentity(server, admin)
const elsewhere = await createOtherOrganization(server, admin)

const PATH = `/api/v1/projects/${project.id}/certificates`
const REQUESTS = '/api/v1/cert-manager/certificates/certificate-requests/search'
const search = (body: object = {}, as = token) => server.post(`${PATH}/search`, body, { token: as })
const names = async (body: object, as = token) => {
  const answer = await search(body, as)
  assert.equal(answer.status, 200, answer.text)
  return (answer.body.certificates as { commonName: string }[]).map(({ commonName }) => commonName)
}
const sorted = async (body: object, as = token) => (await names(body, as)).sort()

const dns = (value: string) => ({ type: 'dns_name', value })
const a = await pki.issue(profileId, { commonName: 'a.example.com', ttl: '1d', altNames: [dns('alt-of-a.test')] })
const b = await pki.issue(
  profileId,
  { commonName: 'b.example.com', ttl: '2d', keyAlgorithm: 'EC_secp384r1', extendedKeyUsages: ['server_auth'] },
  { metadata: [{ key: 'team', value: 'blue' }] },
)
const c = await pki.issue(otherProfileId, { commonName: 'c_100%.example.org', ttl: '3d', keyAlgorithm: 'ED25519' })
const revoked = await pki.issue(profileId, { commonName: 'revoked.example.com', ttl: '4d' })
await server.post(`/api/v1/cert-manager/certificates/${revoked.certificateId}/revoke`, {}, { token })
const expired = await pki.issue(profileId, { commonName: 'expired.example.com', ttl: '5d' })
await sql`update certificates set not_before = now() - interval '2 days', not_after = now() - interval '1 day'
  where id = ${expired.certificateId}`.execute(db)

const ALL = ['revoked.example.com', 'c_100%.example.org', 'b.example.com', 'a.example.com', 'expired.example.com']
const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

describe('POST /api/v1/projects/:projectId/certificates/search', () => {
  test('200 with all of them, those that end last first', async () => {
    const { status, body } = await search()
    assert.equal(status, 200)
    assert.deepEqual(await names({}), ALL)
    assert.equal(body.totalCount, 5)
    const [first] = body.certificates
    assert.deepEqual(
      [
        first.status,
        first.hasPrivateKey,
        first.enrollmentType,
        first.applicationName,
        typeof first.caName,
        typeof first.profileName,
      ],
      ['revoked', true, 'api', null, 'string', 'string'],
    )
  })

  for (const [name, body, expected] of [
    ['common name, part', { commonName: 'example.com' }, 4],
    ['common name, in its case', { commonName: 'EXAMPLE' }, 0],
    ['common name, literally', { commonName: '_100%' }, 1],
    ['friendly name', { friendlyName: 'b.ex' }, 1],
    ['search by common name', { search: 'A.EXAMPLE' }, 1],
    ['search by alternative name', { search: 'alt-of-a' }, 1],
    ['search by serial number', { search: a.serialNumber }, 1],
    ['search by id', { search: b.certificateId }, 1],
    ['active', { status: 'active' }, 3],
    ['expired', { status: 'expired' }, 1],
    ['revoked or expired', { status: 'revoked, expired' }, 2],
    ['profiles', { profileIds: [otherProfileId] }, 1],
    ['no profiles in particular', { profileIds: [] }, 5],
    ['authorities', { caIds: [caId] }, 4],
    ['an unknown authority', { caIds: [profileId] }, 0],
    ['metadata', { metadata: [{ key: 'team', value: 'blue' }] }, 1],
    ['a key of metadata', { metadata: [{ key: 'team' }] }, 1],
    ['other metadata', { metadata: [{ key: 'team', value: 'red' }] }, 0],
    ['an extended key usage', { extendedKeyUsage: 'serverAuth' }, 1],
    ['an extended key usage in the other spelling', { extendedKeyUsage: 'server_auth' }, 1],
    ['a key algorithm', { keyAlgorithm: 'EC_secp384r1' }, 1],
    ['key algorithms', { keyAlgorithm: ['EC_secp384r1', 'ED25519'] }, 2],
    ['key sizes', { keySizes: [384, 4096] }, 1],
    ['a signature algorithm', { signatureAlgorithm: 'ED25519' }, 1],
    ['a source', { source: 'imported' }, 0],
    ['sources', { source: ['issued', 'imported'] }, 5],
    ['a way of enrolment', { enrollmentTypes: ['api', 'acme'] }, 5],
    ['another way of enrolment', { enrollmentTypes: ['acme'] }, 0],
    ['an application', { applicationId: profileId }, 0],
    ['the end', { notAfterFrom: inDays(1.5), notAfterTo: inDays(3.5) }, 2],
    ['the beginning', { notBeforeTo: inDays(-1) }, 1],
    ['the time of issue', { fromDate: inDays(-1), toDate: inDays(1) }, 5],
    ['a later time of issue', { fromDate: inDays(1) }, 0],
  ] as const) {
    test(`200 by ${name}: ${expected}`, async () => {
      const { body: found } = await search(body)
      assert.deepEqual([found.certificates?.length, found.totalCount], [expected, expected], JSON.stringify(found))
    })
  }

  test('200 page by page, in any order', async () => {
    assert.deepEqual(await names({ limit: 2 }), ALL.slice(0, 2))
    assert.deepEqual(await names({ limit: 2, offset: 2 }), ALL.slice(2, 4))
    assert.equal((await search({ limit: 2, offset: 4 })).body.totalCount, 5)
    assert.deepEqual(await names({ sortOrder: 'asc' }), ALL.toReversed())
    assert.deepEqual(await names({ sortBy: 'commonName', sortOrder: 'asc' }), ALL.toSorted())
    for (const sortBy of ['notBefore', 'createdAt', 'keyAlgorithm', 'status']) {
      assert.equal((await names({ sortBy })).length, 5)
    }
  })

  test('200 with those only that rules let one see', async () => {
    const read = (conditions: object, inverted = false) => ({
      subject: 'certificates',
      action: ['read'],
      inverted,
      conditions,
    })
    const some = await ruled(
      read({ commonName: { $glob: '*.example.com' } }),
      read({ status: { $eq: 'revoked' } }, true),
    )
    assert.deepEqual(await sorted({}, some.token), ['a.example.com', 'b.example.com', 'expired.example.com'])
    const page = await search({ limit: 1, offset: 1 }, some.token)
    assert.deepEqual([page.body.totalCount, page.body.certificates[0].commonName], [3, 'a.example.com'])
    const all = await member('viewer')
    assert.equal((await names({}, all.token)).length, 5)
  })

  test('200 with those requests only whose certificates rules let one see', async () => {
    const conditions = { commonName: { $glob: '*.example.com' }, status: { $ne: 'revoked' } }
    const some = await ruled({ subject: 'certificates', action: ['read'], conditions })
    const requests = async (body: object, as = some.token) =>
      (await server.post(REQUESTS, { projectId: project.id, ...body }, { token: as })).body
    const { certificateRequests, totalCount } = await requests({ sortOrder: 'asc' })
    assert.deepEqual(
      certificateRequests.map(({ commonName }: { commonName: string }) => commonName),
      ['a.example.com', 'b.example.com', 'expired.example.com'],
    )
    assert.equal(totalCount, 3)
    const page = await requests({ sortOrder: 'asc', offset: 1, limit: 1 })
    assert.deepEqual([page.totalCount, page.certificateRequests[0].commonName], [3, 'b.example.com'])
    assert.equal((await requests({ search: 'revoked' })).totalCount, 0)
    assert.equal((await requests({}, token)).totalCount, 5)
  })

  test('refusals', async () => {
    const member = await ruled({ subject: 'certificate-profiles', action: ['read'] })
    const secrets = await createProject(server, token, { projectName: 'Secrets' })
    for (const [status, answer] of [
      [401, await server.post(`${PATH}/search`, {})],
      [403, await search({}, outsider.token)],
      [403, await search({}, member.token)],
      [400, await search({}, elsewhere.token)],
      [400, await server.post(`/api/v1/projects/${secrets.id}/certificates/search`, {}, { token })],
      [422, await search({ limit: 101 })],
      [422, await search({ offset: -1 })],
      [422, await search({ status: 'lost' })],
      [422, await search({ sortBy: 'size' })],
      [422, await search({ notAfterTo: 'soon' })],
    ] as const) {
      assert.equal(answer.status, status, answer.text)
    }
  })
})

describe('the older lists', () => {
  test('200 by id and by slug of the project', async () => {
    for (const path of [PATH, `/api/v2/workspace/${project.slug}/certificates`]) {
      const { status, body } = await server.get(path, { token, query: { limit: '2', commonName: 'example.com' } })
      assert.deepEqual([status, body.certificates.length, body.totalCount], [200, 2, 4])
    }
    assert.equal(c.issuingCaCertificate, '')
  })
})
