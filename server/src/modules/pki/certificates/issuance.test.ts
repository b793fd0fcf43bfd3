import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { CA } from '../../../../test/test-authorities.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CERTIFICATES, type IssuedBody, startCertificateServer } from '../../../../test/test-certificates.ts'
import { auditOf, createIdentity, createOtherOrganization } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const openssl = new OpenSsl()
const caId = await pki.root()
const profileId = await pki.profile({ caId })
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const DAY_MS = 86_400_000
const alt = (type: string, value: string) => ({ type, value })
const read = async (id: string) => (await server.get(`${CERTIFICATES}/${id}`, { token })).body.certificate
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
const subjectOf = (pem: string) => new X509Certificate(pem).subject

const strictPolicy = () =>
  pki.policy({
    subject: [{ type: 'common_name', allowed: ['*.example.com'] }],
    sans: [{ type: 'dns_name', allowed: ['*.example.com'] }],
    keyUsages: { allowed: ['digital_signature'] },
    algorithms: { signature: ['SHA256-ECDSA'], keyAlgorithm: ['ECDSA-P256'] },
    validity: { max: '90d' },
  })

describe('POST /api/v1/cert-manager/certificates', () => {
  test('200 issues what was asked for, with a key that fits', async () => {
    const { status, body } = await pki.order(profileId, {
      commonName: 'api.example.com',
      organization: 'Acme, Inc.',
      organizationalUnit: 'Payments',
      country: 'DE',
      state: 'Berlin',
      locality: 'Mitte',
      domainComponents: ['pay', 'example', 'com'],
      keyUsages: ['digital_signature', 'key_agreement'],
      extendedKeyUsages: ['server_auth', 'client_auth'],
      altNames: [
        alt('dns_name', '*.example.com'),
        alt('ip_address', '192.0.2.7'),
        alt('ip_address', '2001:db8::1'),
        alt('email', 'ops@example.com'),
        alt('uri', 'https://example.com/a,b'),
        alt('upn', 'ops@corp.example.com'),
      ],
      ttl: '90d',
    })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['certificate', 'certificateRequestId', 'status', 'message'])
    const issued = body.certificate as IssuedBody
    assert.deepEqual(Object.keys(issued), [
      'certificate',
      'issuingCaCertificate',
      'certificateChain',
      'privateKey',
      'serialNumber',
      'certificateId',
    ])
    assert.deepEqual(await openssl.trusts(issued), { isOk: true, output: 'leaf.pem: OK\n' })
    const certificate = new X509Certificate(issued.certificate)
    assert.ok(certificate.checkPrivateKey(createPrivateKey(issued.privateKey)))
    assert.equal(issued.certificateChain, issued.issuingCaCertificate)

    const text = await openssl.describe(issued.certificate)
    assert.match(
      text,
      /Subject: DC = com, DC = example, DC = pay, C = DE, O = "Acme, Inc.", OU = Payments, ST = Berlin, CN = api.example.com, L = Mitte/,
    )
    assert.match(
      text,
      /DNS:\*\.example\.com, IP Address:192\.0\.2\.7, IP Address:2001:DB8:0:0:0:0:0:1, email:ops@example\.com, URI:https:\/\/example\.com\/a,b, othername: UPN::ops@corp\.example\.com/,
    )
    assert.match(text, /Key Usage: critical\s+Digital Signature, Key Agreement/)
    assert.match(
      text,
      /Extended Key Usage: \s+TLS Web Client Authentication, TLS Web Server Authentication|Extended Key Usage: \s+TLS Web Server Authentication, TLS Web Client Authentication/,
    )
    assert.match(text, /URI:http:\/\/localhost:8080\/api\/v1\/cert-manager\/crl\/[0-9a-f-]{36}\/der/)
    assert.match(
      text,
      new RegExp(`CA Issuers - URI:http://localhost:8080/api/v1/cert-manager/ca/internal/${caId}/certificates/`),
    )
    assert.match(text, /CA:FALSE/)
  })

  test('200 records it exactly, in order', async () => {
    const { body } = await pki.order(profileId, {
      commonName: 'rec.example.com',
      ttl: '1h',
      keyUsages: ['digital_signature'],
    })
    const { certificateId, serialNumber, certificate } = body.certificate as IssuedBody
    const record = await read(certificateId)
    const x509 = new X509Certificate(certificate)
    const ca = (await server.get(`${CA}/${caId}`, { token })).body
    assert.deepEqual(Object.keys(record), RECORD)
    assert.deepEqual(
      { ...record, createdAt: '', updatedAt: '' },
      {
        ...Object.fromEntries(RECORD.map((name) => [name, null])),
        id: certificateId,
        createdAt: '',
        updatedAt: '',
        caId,
        status: 'active',
        serialNumber,
        friendlyName: 'rec.example.com',
        commonName: 'rec.example.com',
        notBefore: new Date(x509.validFrom).toISOString(),
        notAfter: new Date(x509.validTo).toISOString(),
        altNames: '',
        caCertId: ca.configuration.activeCaCertId,
        keyUsages: ['digitalSignature'],
        extendedKeyUsages: [],
        projectId: project.id,
        profileId,
        keyAlgorithm: 'EC_prime256v1',
        signatureAlgorithm: 'ECDSA-SHA256',
        fingerprintSha256: x509.fingerprint256,
        fingerprintSha1: x509.fingerprint,
        isCA: false,
        source: 'issued',
        keySource: 'infisical',
        subject: { commonName: 'rec.example.com' },
        fingerprints: { sha256: x509.fingerprint256, sha1: x509.fingerprint },
        basicConstraints: { isCA: false },
        caName: ca.name,
        caType: 'internal',
        profileName: record.profileName,
        hasPrivateKey: true,
        metadata: [],
      },
    )
    assert.equal(serialNumber, x509.serialNumber.toLowerCase())
    assert.match(record.profileName, /^profile-/)
    const spanMs = new Date(record.notAfter).getTime() - new Date(record.notBefore).getTime()
    assert.equal(spanMs, 3_660_000, 'an hour, and the minute by which it begins earlier')
  })

  for (const keyAlgorithm of ['RSA_2048', 'EC_secp384r1', 'EC_secp521r1', 'ED25519']) {
    test(`200 under an intermediate of ${keyAlgorithm}, for a key of the same kind`, async () => {
      const intermediate = await pki.intermediate(await pki.root({ keyAlgorithm: 'EC_prime256v1' }), { keyAlgorithm })
      const issued = await pki.issue(await pki.profile({ caId: intermediate }), { keyAlgorithm })
      assert.deepEqual(await openssl.trusts(issued), { isOk: true, output: 'leaf.pem: OK\n' })
      assert.equal((issued.certificateChain.match(/BEGIN/g) ?? []).length, 2)
      assert.equal((await read(issued.certificateId)).keyAlgorithm, keyAlgorithm)
    })
  }

  test('200 leaves the root out of the chain where that is asked for', async () => {
    const intermediate = await pki.profile({ caId: await pki.intermediate(caId) })
    for (const removeRootsFromChain of [true, 'true']) {
      const { certificateChain, issuingCaCertificate } = await pki.issue(intermediate, {}, { removeRootsFromChain })
      assert.equal(certificateChain, issuingCaCertificate)
    }
  })

  test('200 takes the defaults of the profile, which null takes away', async () => {
    const defaults = {
      ttlDays: 3,
      organization: 'Acme',
      country: 'DE',
      keyAlgorithm: 'EC_secp384r1',
      keyUsages: ['digital_signature'],
      extendedKeyUsages: ['server_auth'],
      subjectAltNames: [alt('dns_name', 'default.example.com')],
    }
    const withDefaults = await pki.profile({ caId, defaults })
    const issued = await pki.issue(withDefaults, { commonName: 'd.example.com', ttl: undefined, country: null })
    assert.equal(subjectOf(issued.certificate), 'O=Acme\nCN=d.example.com')
    const record = await read(issued.certificateId)
    assert.deepEqual(
      [record.altNames, record.keyUsages, record.extendedKeyUsages, record.keyAlgorithm, record.subjectCountry],
      ['default.example.com', ['digitalSignature'], ['serverAuth'], 'EC_secp384r1', null],
    )
    assert.ok(Math.abs(new Date(record.notAfter).getTime() - server.clock.now() - 3 * DAY_MS) < 10_000)
  })

  test('200 between dates that are given', async () => {
    const [notBefore, notAfter] = [new Date(server.clock.now() + DAY_MS), new Date(server.clock.now() + 2 * DAY_MS)]
    const { certificateId } = await pki.issue(profileId, { ttl: undefined, notBefore, notAfter })
    const record = await read(certificateId)
    const seconds = (date: Date) => `${date.toISOString().slice(0, 19)}.000Z`
    assert.deepEqual([record.notBefore, record.notAfter], [seconds(notBefore), seconds(notAfter)])
  })

  test('200 signs a request: its names and its key, and no private key', async () => {
    const extensions =
      'subjectAltName=DNS:csr.example.com,IP:192.0.2.9\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth'
    const csr = await openssl.csr('/O=From the request/CN=csr.example.com', { extensions })
    const { status, body } = await pki.post(CERTIFICATES, {
      profileId,
      csr,
      attributes: { ttl: '1d', commonName: 'ignored' },
    })
    assert.equal(status, 200)
    const issued = body.certificate as IssuedBody
    assert.deepEqual(await openssl.trusts(issued), { isOk: true, output: 'leaf.pem: OK\n' })
    assert.equal('privateKey' in issued, false)
    assert.equal(subjectOf(issued.certificate), 'O=From the request\nCN=csr.example.com')
    const record = await read(issued.certificateId)
    assert.deepEqual(
      [record.altNames, record.keyUsages, record.extendedKeyUsages, record.hasPrivateKey],
      ['csr.example.com,192.0.2.9', ['digitalSignature'], ['clientAuth'], false],
    )
  })

  test('200 withholds the key from those who may not read it', async () => {
    const issuer = await ruled({ subject: 'certificate-profiles', action: ['issue-cert'] })
    const body = { profileId, attributes: { commonName: 'x.example.com', ttl: '1d' } }
    const answer = await server.post(CERTIFICATES, body, { token: issuer.token })
    assert.equal(answer.status, 200)
    assert.equal('privateKey' in answer.body.certificate, false)
    assert.equal((await read(answer.body.certificate.certificateId)).hasPrivateKey, true)
  })

  test('200 for a certificate that vouches for itself', async () => {
    const selfSigned = await pki.profile({ issuerType: 'self-signed' })
    const issued = await pki.issue(selfSigned, { commonName: 'self.example.com' })
    assert.equal(issued.issuingCaCertificate, '')
    assert.equal(issued.certificateChain, issued.certificate)
    assert.equal((await read(issued.certificateId)).caId, null)
    const csr = await openssl.csr('/CN=x')
    assert.equal((await pki.post(CERTIFICATES, { profileId: selfSigned, csr, attributes: { ttl: '1d' } })).status, 400)
  })

  test('200 for an authority where the policy allows it, within the path length of its own', async () => {
    const certificatePolicyId = await pki.policy({ basicConstraints: { isCA: 'allowed', maxPathLength: 3 } })
    const root = await pki.root({ maxPathLength: 1 })
    const profile = await pki.profile({ caId: root, certificatePolicyId })
    const wish = (pathLength: number) => ({
      keyUsages: ['key_cert_sign', 'crl_sign'],
      basicConstraints: { isCA: true, pathLength },
    })
    const { certificateId, certificate } = await pki.issue(profile, wish(0))
    assert.deepEqual((await read(certificateId)).basicConstraints, { isCA: true, pathLength: 0 })
    assert.match(await openssl.describe(certificate), /CA:TRUE, pathlen:0/)
    assert.equal((await pki.order(profile, wish(1))).status, 400)
    assert.equal((await pki.order(profile, { basicConstraints: { isCA: true, pathLength: 0 } })).status, 400)
  })

  test('is on record', async () => {
    const answer = await pki.order(profileId, { commonName: 'audited.example.com' })
    const { certificateId } = answer.body.certificate
    const row = (await auditOf(db, project.id, 'issue-certificate-from-profile')).at(-1)
    const { profileName, ...metadata } = row?.eventMetadata ?? {}
    assert.deepEqual(metadata, { certificateProfileId: profileId, certificateId, commonName: 'audited.example.com' })
    assert.match(String(profileName), /^profile-/)
  })

  for (const [status, error, reason, wish] of [
    [400, 'BadRequest', 'nothing says how long', { ttl: undefined }],
    [400, 'BadRequest', 'it would outlive the authority', { ttl: '20y' }],
    [
      400,
      'BadRequest',
      'it would begin before the authority',
      { ttl: undefined, notBefore: '2020-01-01', notAfter: '2030-01-01' },
    ],
    [
      400,
      'BadRequest',
      'it would be over already',
      { ttl: undefined, notBefore: '2020-01-01', notAfter: '2021-01-01' },
    ],
    [
      400,
      'BadRequest',
      'the signature is of another family than the key of the authority',
      { signatureAlgorithm: 'RSA-SHA256' },
    ],
    [400, 'BadRequest', 'the key would be post-quantum', { keyAlgorithm: 'ML-DSA-65' }],
    [400, 'BadRequest', 'it would be an authority', { basicConstraints: { isCA: true } }],
    [400, 'BadRequest', 'it would sign certificates', { keyUsages: ['key_cert_sign'] }],
    [400, 'BadRequest', 'it would have no name', { commonName: '' }],
    [400, 'BadRequest', 'a host name is none', { altNames: [alt('dns_name', 'a b')] }],
    [400, 'BadRequest', 'an address is none', { altNames: [alt('ip_address', '1.2.3')] }],
    [400, 'BadRequest', 'a URI is none', { altNames: [alt('uri', 'nothing')] }],
    [400, 'BadRequest', 'an e-mail address is none', { altNames: [alt('email', 'nobody')] }],
    [422, 'ValidationFailure', 'both a ttl and dates are given', { notAfter: '2030-01-01' }],
    [
      422,
      'ValidationFailure',
      'the dates are the wrong way round',
      { ttl: undefined, notBefore: '2030-01-01', notAfter: '2029-01-01' },
    ],
    [422, 'ValidationFailure', 'a date is none', { ttl: undefined, notAfter: 'soon' }],
    [422, 'ValidationFailure', 'the ttl is none', { ttl: 'soon' }],
    [422, 'ValidationFailure', 'the ttl is nothing', { ttl: '0d' }],
    [422, 'ValidationFailure', 'the key is of an unknown kind', { keyAlgorithm: 'DSA' }],
    [422, 'ValidationFailure', 'a usage is in the older spelling', { keyUsages: ['digitalSignature'] }],
    [422, 'ValidationFailure', 'a name is too long', { commonName: 'x'.repeat(256) }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      assert.deepEqual(statusOf(await pki.order(profileId, wish)), [status, error])
    })
  }

  test('400 with everything that the policy does not admit', async () => {
    const certificatePolicyId = await strictPolicy()
    const profile = await pki.profile({ caId, certificatePolicyId })
    const { status, body } = await pki.order(profile, {
      commonName: 'www.example.org',
      altNames: [alt('ip_address', '192.0.2.1')],
      keyUsages: ['crl_sign'],
      ttl: '91d',
    })
    assert.equal(status, 400)
    assert.equal(body.message.split(', ').length, 6, body.message)
    const good = {
      commonName: 'www.example.com',
      keyUsages: ['digital_signature'],
      ttl: '90d',
      keyAlgorithm: 'EC_prime256v1',
    }
    assert.equal((await pki.order(profile, { ...good, signatureAlgorithm: 'ECDSA-SHA256' })).status, 200)
  })

  test('400 for a request that nobody signed with its key, or with a weak one', async () => {
    const csr = await openssl.csr('/CN=csr.example.com')
    const middle = Math.floor(csr.length * 0.4)
    const tampered = csr.slice(0, middle) + (csr[middle] === 'A' ? 'B' : 'A') + csr.slice(middle + 1)
    const weak = await openssl.csr('/CN=csr.example.com', { key: 'weak' })
    for (const bad of [
      tampered,
      weak,
      'nonsense',
      '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----',
    ]) {
      const answer = await pki.post(CERTIFICATES, { profileId, csr: bad, attributes: { ttl: '1d' } })
      assert.deepEqual(statusOf(answer), [400, 'BadRequest'])
    }
  })

  test('400 while the authority is disabled, or has no certificate', async () => {
    const root = await pki.root()
    const profile = await pki.profile({ caId: root })
    await server.patch(`${CA}/${root}`, { status: 'disabled' }, { token })
    assert.equal((await pki.order(profile)).status, 400)
    await server.patch(`${CA}/${root}`, { status: 'active' }, { token })
    assert.equal((await pki.order(profile)).status, 200)
    const pending = await pki.profile({ caId: await pki.root({ notAfter: undefined }) })
    assert.equal((await pki.order(pending)).status, 400)
  })

  test('400 for a profile without apiConfig, and for an application', async () => {
    assert.equal((await pki.order(await pki.profile({ caId, apiConfig: null }))).status, 400)
    assert.equal((await pki.order(profileId, {}, { applicationId: UNKNOWN })).status, 400)
  })

  for (const [status, error, reason, as, id] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined, profileId],
    [403, 'ProjectMembershipNotFound', 'the actor is not in the project', outsider.token, profileId],
    [403, 'PermissionDenied', 'the actor may not issue', viewer.token, profileId],
    [404, 'NotFound', 'there is no such profile', token, UNKNOWN],
    [404, 'NotFound', 'the profile belongs to another organization', elsewhere.token, profileId],
    [422, 'ValidationFailure', 'the profile is no id', token, 'x'],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const body = { profileId: id, attributes: { commonName: 'x', ttl: '1d' } }
      assert.deepEqual(statusOf(await server.post(CERTIFICATES, body, { token: as })), [status, error])
    })
  }

  test('nothing is left behind by what was refused', async () => {
    const { rows } = await sql`select from certificate_requests where certificate_id is null`.execute(db)
    assert.equal(rows.length, 0)
  })
})

const RECORD = [
  ...'id createdAt updatedAt caId status serialNumber friendlyName commonName notBefore notAfter revokedAt'.split(' '),
  ...'revocationReason altNames caCertId certificateTemplateId keyUsages extendedKeyUsages projectId'.split(' '),
  ...'pkiSubscriberId profileId renewBeforeDays renewedFromCertificateId renewedByCertificateId'.split(' '),
  ...'renewalError keyAlgorithm signatureAlgorithm subjectOrganization subjectOrganizationalUnit'.split(' '),
  ...'subjectCountry subjectState subjectLocality fingerprintSha256 fingerprintSha1 isCA pathLength'.split(' '),
  ...'source discoveryMetadata externalMetadata applicationId keySource hsmConnectorId hsmKeyLabel'.split(' '),
  ...'hsmPublicKeySpki subjectDomainComponents subject fingerprints basicConstraints caName caType'.split(' '),
  ...'profileName applicationName hasPrivateKey metadata'.split(' '),
]
