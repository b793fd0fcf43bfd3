import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../lib/uuid.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CERTIFICATES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { auditOf, createIdentity, createOtherOrganization } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const openssl = new OpenSsl()
const caId = await pki.root()
const profileId = await pki.profile({ caId })
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const PATH = '/api/v1/pki/certificates'
const issue = (body: object, as = token) => server.post(`${PATH}/issue-certificate`, body, { token: as })
const sign = (body: object, as = token) => server.post(`${PATH}/sign-certificate`, body, { token: as })
const read = async (serialNumber: string) => (await server.get(`${PATH}/${serialNumber}`, { token })).body.certificate
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
const wish = { caId, commonName: 'direct.example.com', ttl: '5d' }

describe('a certificate that would answer for its authority whether others are revoked', () => {
  const asked = { ...wish, extendedKeyUsages: ['ocspSigning'] }

  test('403 for whoever may issue, and not change the authority', async () => {
    const issuer = await ruled(
      { subject: 'certificates', action: ['create', 'read'] },
      { subject: 'certificate-profiles', action: ['issue-cert'] },
    )
    assert.equal((await issue(wish, issuer.token)).status, 200)
    const csr = await openssl.csr('/CN=ocsp.example.com', { extensions: 'extendedKeyUsage=OCSPSigning' })
    const attributes = { commonName: 'ocsp.example.com', ttl: '5d', extendedKeyUsages: ['ocsp_signing'] }
    const order = (body: object) => server.post(CERTIFICATES, body, { token: issuer.token })
    for (const answer of [
      await issue(asked, issuer.token),
      await sign({ caId, csr, ttl: '5d' }, issuer.token),
      await order({ profileId, attributes }),
      await order({ profileId, csr, attributes: { ttl: '5d' } }),
    ]) {
      assert.deepEqual(statusOf(answer), [403, 'ForbiddenError'])
      assert.match(answer.body.message, /ocspSigning/)
    }
  })

  test('200 for whoever may change it, and for a certificate that no authority signs', async () => {
    assert.equal((await issue(asked)).status, 200)
    const selfSigned = await pki.profile({ issuerType: 'self-signed' })
    assert.equal((await pki.order(selfSigned, { extendedKeyUsages: ['ocsp_signing'] })).status, 200)
  })
})

describe('POST /api/v1/pki/certificates/issue-certificate', () => {
  test('200 straight from an authority', async () => {
    const altNames = 'direct.example.com, 192.0.2.1,ops@example.com, https://example.com/x'
    const { status, body, text } = await issue({ ...wish, altNames, friendlyName: 'Direct' })
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(body), [
      ...['certificate', 'issuingCaCertificate', 'certificateChain', 'serialNumber', 'privateKey'],
    ])
    assert.deepEqual(await openssl.trusts(body), { isOk: true, output: 'leaf.pem: OK\n' })
    assert.match(
      await openssl.describe(body.certificate),
      /DNS:direct\.example\.com, IP Address:192\.0\.2\.1, email:ops@example\.com, URI:https:\/\/example\.com\/x/,
    )
    const { keyUsages, extendedKeyUsages, friendlyName, profileId: none } = await read(body.serialNumber)
    assert.deepEqual(
      { keyUsages, extendedKeyUsages, friendlyName, none },
      { keyUsages: ['digitalSignature', 'keyEncipherment'], extendedKeyUsages: [], friendlyName: 'Direct', none: null },
    )
    const { caId: recorded, serialNumber } = (await auditOf(db, project.id, 'issue-cert')).at(-1)?.eventMetadata ?? {}
    assert.deepEqual([recorded, serialNumber], [caId, body.serialNumber])
  })

  for (const [status, error, reason, changes] of [
    [400, 'BadRequest', 'neither authority nor template is named', { caId: undefined }],
    [400, 'BadRequest', 'both are named', { certificateTemplateId: caId }],
    [400, 'BadRequest', 'it would outlive the authority', { ttl: '30y' }],
    [400, 'BadRequest', 'an alternative name is none', { altNames: 'not a name' }],
    [400, 'BadRequest', 'it would sign certificates', { keyUsages: ['keyCertSign'] }],
    [404, 'NotFound', 'there is no such authority', { caId: '00000000-0000-4000-8000-000000000000' }],
    [404, 'NotFound', 'the authority is no id', { caId: 'x' }],
    [404, 'NotFound', 'there is no such template', { caId: undefined, certificateTemplateId: 'x' }],
    [422, 'ValidationFailure', 'there is no ttl', { ttl: undefined }],
    [422, 'ValidationFailure', 'an end is given', { notAfter: '2030-01-01' }],
    [422, 'ValidationFailure', 'there is no common name', { commonName: '' }],
    [422, 'ValidationFailure', 'a usage is in the newer spelling', { keyUsages: ['digital_signature'] }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      assert.deepEqual(statusOf(await issue({ ...wish, ...changes })), [status, error])
    })
  }

  test('refusals', async () => {
    const narrow = await ruled({
      subject: 'certificates',
      action: ['create'],
      conditions: { commonName: { $eq: 'a.test' } },
    })
    assert.deepEqual(statusOf(await server.post(`${PATH}/issue-certificate`, wish)), [401, 'UnauthorizedError'])
    assert.deepEqual(statusOf(await issue(wish, outsider.token)), [403, 'ProjectMembershipNotFound'])
    assert.deepEqual(statusOf(await issue(wish, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await issue(wish, narrow.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await issue(wish, elsewhere.token)), [404, 'NotFound'])
    const allowed = await issue({ ...wish, commonName: 'a.test' }, narrow.token)
    assert.deepEqual([allowed.status, 'privateKey' in allowed.body], [200, false])
  })

  test('400 for an authority that issues through templates only', async () => {
    const strict = await pki.root()
    await sql`update certificate_authorities set require_template_for_issuance = true where id = ${strict}`.execute(db)
    assert.deepEqual(statusOf(await issue({ ...wish, caId: strict })), [400, 'BadRequest'])
  })
})

describe('a certificate template', () => {
  const template = async (changes: object = {}) => {
    const row = {
      commonName: '.*\\.example\\.com',
      subjectAlternativeName: '[a-z]+\\.example\\.com',
      ttl: '10d',
      ...changes,
    }
    const id = newId()
    await sql`insert into certificate_templates
      (id, ca_id, name, common_name, subject_alternative_name, ttl, key_usages, extended_key_usages)
      values (${id}, ${caId}, ${id}, ${row.commonName}, ${row.subjectAlternativeName}, ${row.ttl},
        ${['digitalSignature']}, ${['serverAuth']})`.execute(db)
    return id
  }
  const fromTemplate = async (changes: object, ofTemplate?: object) =>
    issue({ ...wish, caId: undefined, certificateTemplateId: await template(ofTemplate), ...changes })

  test('200 for what it allows, with its usages', async () => {
    const { status, body } = await fromTemplate({ altNames: 'a.example.com' })
    assert.equal(status, 200)
    const { keyUsages, extendedKeyUsages, certificateTemplateId } = await read(body.serialNumber)
    assert.deepEqual([keyUsages, extendedKeyUsages], [['digitalSignature'], ['serverAuth']])
    assert.match(certificateTemplateId, /^[0-9a-f-]{36}$/)
  })

  for (const [reason, changes, ofTemplate] of [
    ['another common name', { commonName: 'a.example.org' }, {}],
    ['a common name that only ends so', { commonName: 'a.example.com.evil.test' }, {}],
    ['another alternative name', { altNames: 'a.example.com,b.example.org' }, {}],
    ['a longer time', { ttl: '11d' }, {}],
    ['another key usage', { keyUsages: ['digitalSignature', 'keyEncipherment'] }, {}],
    ['another extended key usage', { extendedKeyUsages: ['codeSigning'] }, {}],
    ['a pattern that would take for ever', {}, { commonName: '(a+)+\\1' }],
  ] as const) {
    test(`400 for ${reason}`, async () => {
      assert.deepEqual(statusOf(await fromTemplate(changes, ofTemplate)), [400, 'BadRequest'])
    })
  }
})

describe('POST /api/v1/pki/certificates/sign-certificate', () => {
  test('200 with the names and the key of the request', async () => {
    const csr = await openssl.csr('/CN=signed.example.com', {
      extensions: 'subjectAltName=DNS:signed.example.com',
      key: 'rsa',
    })
    const { status, body, text } = await sign({ caId, csr, ttl: '90s' })
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(body), ['certificate', 'issuingCaCertificate', 'certificateChain', 'serialNumber'])
    assert.deepEqual(await openssl.trusts(body), { isOk: true, output: 'leaf.pem: OK\n' })
    const { commonName, altNames, keyAlgorithm, hasPrivateKey } = await read(body.serialNumber)
    assert.deepEqual([commonName, altNames, keyAlgorithm], ['signed.example.com', 'signed.example.com', 'RSA_2048'])
    assert.equal(hasPrivateKey, undefined)
    assert.equal((await auditOf(db, project.id, 'sign-cert')).at(-1)?.eventMetadata['serialNumber'], body.serialNumber)
  })

  test('400 for a request that cannot be read, 422 without one', async () => {
    assert.deepEqual(statusOf(await sign({ caId, csr: 'x', ttl: '1d' })), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await sign({ caId, ttl: '1d' })), [422, 'ValidationFailure'])
  })
})

describe('the older, flat forms', () => {
  const flat = {
    profileId,
    commonName: 'flat.example.com',
    ttl: '1d',
    signatureAlgorithm: 'ECDSA-SHA256',
    keyAlgorithm: 'EC_prime256v1',
  }
  const FIELDS = [
    'certificate',
    'issuingCaCertificate',
    'certificateChain',
    'serialNumber',
    'certificateId',
    'certificateRequestId',
  ]

  for (const base of [CERTIFICATES, '/api/v3/pki/certificates']) {
    test(`200 for issue, order and sign under ${base}`, async () => {
      const names = [{ type: 'dns_name', value: 'flat.example.com' }]
      const issued = await pki.post(`${base}/issue-certificate`, { ...flat, altNames: names })
      const ordered = await pki.post(`${base}/order-certificate`, { ...flat, subjectAlternativeNames: names })
      const csr = await openssl.csr('/CN=flat.example.com', { extensions: 'subjectAltName=DNS:flat.example.com' })
      const signed = await pki.post(`${base}/sign-certificate`, { profileId, csr, ttl: '1d' })
      for (const { status, body, text } of [issued, ordered, signed]) {
        assert.equal(status, 200, text)
        assert.deepEqual(
          FIELDS.filter((field) => !(field in body)),
          [],
        )
        assert.equal((await read(body.serialNumber)).altNames, 'flat.example.com')
      }
      assert.deepEqual(
        [issued, ordered, signed].map(({ body }) => 'privateKey' in body),
        [true, true, false],
      )
      assert.equal((await auditOf(db, project.id, 'order-certificate-from-profile')).length > 0, true)
    })

    test(`422 without a ttl or the algorithms under ${base}`, async () => {
      for (const missing of ['ttl', 'signatureAlgorithm', 'keyAlgorithm']) {
        assert.equal((await pki.post(`${base}/issue-certificate`, { ...flat, [missing]: undefined })).status, 422)
      }
    })
  }
})

describe('certificate requests', () => {
  const REQUESTS = `${CERTIFICATES}/certificate-requests`
  const search = (body: object, as = token) => server.post(`${REQUESTS}/search`, body, { token: as })

  test('200 with what came of one, and its key for those who may read it', async () => {
    const { body } = await pki.order(profileId, { commonName: 'asked.example.com' })
    const path = `${REQUESTS}/${body.certificateRequestId}`
    const { certificate, privateKey, serialNumber, certificateId } = body.certificate
    const mine = (await server.get(path, { token })).body
    assert.deepEqual(
      [
        mine.status,
        mine.certificate,
        mine.certificateId,
        mine.privateKey,
        mine.serialNumber,
        mine.commonName,
        mine.errorMessage,
      ],
      ['issued', certificate, certificateId, privateKey, serialNumber, 'asked.example.com', null],
    )
    assert.equal((await server.get(path, { token: viewer.token })).body.privateKey, null)
    await server.delete(`${CERTIFICATES}/${certificateId}`, { token })
    assert.equal((await server.get(path, { token })).body.certificate, null)
    assert.deepEqual(statusOf(await server.get(path, { token: elsewhere.token })), [404, 'NotFound'])
    assert.deepEqual(statusOf(await server.get(path, { token: outsider.token })), [403, 'ProjectMembershipNotFound'])
    assert.deepEqual(statusOf(await server.get(`${REQUESTS}/x`, { token })), [422, 'ValidationFailure'])
  })

  test('200 finds them, newest first', async () => {
    const profile = await pki.profile({ caId })
    for (const name of ['first', 'second', 'third']) await pki.issue(profile, { commonName: `${name}.example.com` })
    const names = ({ body }: { body: { certificateRequests: { commonName: string }[] } }) =>
      body.certificateRequests.map(({ commonName }) => commonName.split('.')[0])
    const filter = { profileIds: [profile] }
    assert.deepEqual(names(await search(filter)), ['third', 'second', 'first'])
    assert.deepEqual(names(await search({ ...filter, sortOrder: 'asc', limit: 2 })), ['first', 'second'])
    assert.deepEqual(names(await search({ ...filter, search: 'SECOND' })), ['second'])
    assert.equal((await search({ ...filter, status: 'issued', offset: 1 })).body.totalCount, 3)
    for (const none of [
      { status: 'failed' },
      { applicationId: profile },
      { fromDate: '2100-01-01' },
      { metadata: [{ key: 'x' }] },
    ]) {
      assert.deepEqual(names(await search({ ...filter, ...none })), [])
    }
    assert.equal((await search({}, outsider.token)).status, 403)
    assert.equal((await search({ limit: 0 })).status, 422)
  })
})
