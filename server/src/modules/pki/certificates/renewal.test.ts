import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { lockWaits } from '../../../../test/lock-waits.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CERTIFICATES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { auditOf, createOtherOrganization } from '../../../../test/test-projects.ts'

const { server, admin, token, db, project, pki, member, ruled } = await startCertificateServer()
const openssl = new OpenSsl()
const caId = await pki.root()
const certificatePolicyId = await pki.policy({ validity: { max: '10d' }, subject: [{ type: 'common_name' }] })
const profileId = await pki.profile({ caId, certificatePolicyId })
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const renew = (id: string, body?: object, as = token) => server.post(`${CERTIFICATES}/${id}/renew`, body, { token: as })
const read = async (id: string) => (await server.get(`${CERTIFICATES}/${id}`, { token })).body.certificate
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]
const keyOf = (pem: string) =>
  new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }).toString('hex')

const wish = {
  keyUsages: ['digital_signature'],
  extendedKeyUsages: ['client_auth'],
  altNames: [{ type: 'uri', value: 'https://example.com/a,b' }],
  ttl: '10d',
}

describe('POST /api/v1/cert-manager/certificates/:id/renew', () => {
  test('200 issues the same for as long, with a new key', async () => {
    const old = await pki.issue(profileId, wish, { metadata: [{ key: 'team', value: 'a' }] })
    const { status, body, text } = await renew(old.certificateId)
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(body), [
      ...['certificate', 'issuingCaCertificate', 'certificateChain', 'privateKey', 'serialNumber', 'certificateId'],
      'certificateRequestId',
    ])
    assert.deepEqual(await openssl.trusts(body), { isOk: true, output: 'leaf.pem: OK\n' })
    const [before, after] = [await read(old.certificateId), await read(body.certificateId)]
    for (const field of [
      'commonName',
      'altNames',
      'keyUsages',
      'extendedKeyUsages',
      'metadata',
      'friendlyName',
      'keyAlgorithm',
    ]) {
      assert.deepEqual(after[field], before[field], field)
    }
    assert.deepEqual(
      [before.status, before.renewedByCertificateId, after.renewedFromCertificateId],
      ['active', body.certificateId, old.certificateId],
    )
    const span = ({ notBefore, notAfter }: Record<string, string>) =>
      Date.parse(notAfter ?? '') - Date.parse(notBefore ?? '')
    assert.equal(span(after), span(before))
    assert.notEqual(keyOf(body.certificate), keyOf(old.certificate))
    const request = await server.get(`${CERTIFICATES}/certificate-requests/${body.certificateRequestId}`, { token })
    assert.deepEqual([request.body.status, request.body.certificateId], ['issued', body.certificateId])
    assert.equal(
      (await auditOf(db, project.id, 'renew-certificate')).at(-1)?.eventMetadata['certificateId'],
      body.certificateId,
    )

    const again = await renew(body.certificateId)
    assert.equal(again.status, 200, 'and so on')
  })

  test('200 keeps the key where that is asked for', async () => {
    const old = await pki.issue(profileId, wish)
    const { status, body } = await renew(old.certificateId, { renewalKeySource: 'reuse', attributes: { ttl: '1d' } })
    assert.deepEqual([status, keyOf(body.certificate), body.privateKey], [200, keyOf(old.certificate), old.privateKey])
  })

  test('200 for the key of a signing request', async () => {
    const old = await pki.issue(profileId, wish)
    const csr = await openssl.csr('/CN=from-csr.example.com')
    const { status, body } = await renew(old.certificateId, { renewalKeySource: 'csr', csr })
    assert.deepEqual([status, 'privateKey' in body], [200, false])
    assert.equal((await read(body.certificateId)).commonName, 'from-csr.example.com')
    const kept = await renew(body.certificateId, { renewalKeySource: 'reuse' })
    assert.deepEqual(statusOf(kept), [400, 'BadRequest'])
  })

  test('200 on the older path', async () => {
    const old = await pki.issue(profileId, wish)
    const path = `/api/v3/pki/certificates/${old.certificateId}`
    assert.equal((await server.patch(`${path}/config`, { renewBeforeDays: 2 }, { token })).status, 200)
    const { status, body } = await server.post(`${path}/renew`, {}, { token })
    assert.equal(status, 200)
    assert.equal((await read(body.certificateId)).renewBeforeDays, 2)
  })

  test('one of many at once is renewed once', async () => {
    const old = await pki.issue(profileId, wish)
    const answers = await Promise.all(Array.from({ length: 8 }, () => renew(old.certificateId)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 400)])
    const { rows } =
      await sql`select from certificates where renewed_from_certificate_id = ${old.certificateId}`.execute(db)
    assert.equal(rows.length, 1)
  })

  test('404 for what is deleted while it is renewed', async () => {
    const old = await pki.issue(profileId, wish)
    const renewed = await db.transaction().execute(async (tx) => {
      await sql`delete from certificates where id = ${old.certificateId}`.execute(tx)
      const answer = renew(old.certificateId)
      await lockWaits(db)
      return { answer }
    })
    assert.deepEqual(statusOf(await renewed.answer), [404, 'NotFound'])
  })

  test('400 for what is revoked, expired or renewed already', async () => {
    const [revoked, expired, renewed] = await Promise.all([1, 2, 3].map(() => pki.issue(profileId, wish)))
    await server.post(`${CERTIFICATES}/${revoked?.certificateId}/revoke`, {}, { token })
    await sql`update certificates set not_after = now() where id = ${expired?.certificateId}`.execute(db)
    assert.equal((await renew(renewed?.certificateId ?? '')).status, 200)
    for (const old of [revoked, expired, renewed]) {
      assert.deepEqual(statusOf(await renew(old?.certificateId ?? '')), [400, 'BadRequest'])
    }
  })

  test('400 for what the policy does not admit, 403 for what comes from no profile', async () => {
    const old = await pki.issue(profileId, wish)
    assert.equal((await renew(old.certificateId, { attributes: { ttl: '11d' } })).status, 400)
    assert.equal((await renew(old.certificateId, { attributes: { organization: 'Acme' } })).status, 400)
    const direct = { caId, commonName: 'direct.example.com', ttl: '1d' }
    const { body } = await pki.post('/api/v1/pki/certificates/issue-certificate', direct)
    assert.deepEqual(statusOf(await renew(body.serialNumber)), [403, 'ForbiddenError'])
    assert.deepEqual(statusOf(await renew(body.serialNumber, {}, viewer.token)), [403, 'ForbiddenError'])
  })

  test('403 for whoever may issue from the profile, and not read the certificate', async () => {
    const { certificateId } = await pki.issue(profileId, { ...wish, commonName: 'theirs.example.com' })
    const conditions = { commonName: { $eq: 'mine.example.com' } }
    const issuer = await ruled(
      { subject: 'certificate-profiles', action: ['issue-cert'] },
      { subject: 'certificates', action: ['read'], conditions },
    )
    assert.deepEqual(statusOf(await renew(certificateId, {}, issuer.token)), [403, 'PermissionDenied'])
    const own = await pki.issue(profileId, { ...wish, commonName: 'mine.example.com' })
    assert.equal((await renew(own.certificateId, {}, issuer.token)).status, 200)
  })

  test('refusals', async () => {
    const { certificateId } = await pki.issue(profileId, wish)
    assert.deepEqual(statusOf(await renew('00000000-0000-4000-8000-000000000000')), [404, 'NotFound'])
    assert.deepEqual(statusOf(await renew(certificateId, {}, elsewhere.token)), [404, 'NotFound'])
    assert.deepEqual(statusOf(await renew(certificateId, {}, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await renew(certificateId, { renewalKeySource: 'csr' })), [422, 'ValidationFailure'])
    assert.deepEqual(statusOf(await renew(certificateId, { renewalKeySource: 'old' })), [422, 'ValidationFailure'])
  })
})
