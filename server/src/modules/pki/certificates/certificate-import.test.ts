import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CERTIFICATES, startCertificateServer } from '../../../../test/test-certificates.ts'
import { createIdentity, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'

const { server, admin, token, project, pki, member, ruled } = await startCertificateServer()
const openssl = new OpenSsl()
const outsider = await createIdentity(server, admin)
const viewer = await member('viewer')
const elsewhere = await createOtherOrganization(server, admin)

const PATH = `${CERTIFICATES}/import-certificate`
const importOf = (body: object, as = token) => server.post(PATH, body, { token: as })
const statusOf = ({ status, body }: { status: number; body: { error: string } }) => [status, body.error]

/** A certificate of an authority that lives elsewhere. */
const foreign = async (name: string) => {
  const keyOf = (file: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    file,
  ]
  await openssl.run(['req', '-x509', ...keyOf('ca.key'), '-subj', '/CN=Elsewhere', '-days', '90', '-out', 'ca.pem'])
  await openssl.run(['req', '-new', ...keyOf('leaf.key'), '-subj', `/O=Other/CN=${name}`, '-out', 'leaf.csr'])
  const made = await openssl.run(
    [
      'x509',
      '-req',
      '-in',
      'leaf.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-days',
      '9',
      '-extfile',
      'ext',
      '-out',
      'l.pem',
    ],
    { ext: `subjectAltName=DNS:${name}\nkeyUsage=digitalSignature\nextendedKeyUsage=serverAuth\n` },
  )
  assert.ok(made.isOk, made.output)
  const [certificatePem = '', chainPem = '', privateKeyPem = ''] = await Promise.all(
    ['l.pem', 'ca.pem', 'leaf.key'].map(async (file) => (await openssl.read(file)).toString()),
  )
  return { certificatePem, chainPem, privateKeyPem }
}

describe('POST /api/v1/cert-manager/certificates/import-certificate', () => {
  test('200 keeps the certificate, its chain and its key', async () => {
    const wish = await foreign('kept.example.com')
    const { status, body, text } = await importOf({ ...wish, friendlyName: 'Kept' })
    assert.equal(status, 200, text)
    assert.equal(body.certificate, wish.certificatePem)
    assert.deepEqual([body.certificateChain, body.privateKey], [wish.chainPem, wish.privateKeyPem.trim()])

    const { certificate } = (await server.get(`${CERTIFICATES}/${body.certificateId}`, { token })).body
    const { caId, source, friendlyName, commonName, altNames, serialNumber, subjectOrganization, keyUsages } =
      certificate
    assert.deepEqual(
      { caId, source, friendlyName, commonName, altNames, serialNumber, subjectOrganization, keyUsages },
      {
        caId: null,
        source: 'imported',
        friendlyName: 'Kept',
        commonName: 'kept.example.com',
        altNames: 'kept.example.com',
        serialNumber: body.serialNumber,
        subjectOrganization: 'Other',
        keyUsages: ['digitalSignature'],
      },
    )
    const bundle = await server.get(`${CERTIFICATES}/${body.certificateId}/bundle`, { token })
    assert.equal(bundle.body.certificateChain, wish.chainPem)
    assert.match(bundle.body.privateKey, /BEGIN PRIVATE KEY/)
    assert.equal((await server.post(`${CERTIFICATES}/${body.certificateId}/revoke`, {}, { token })).status, 400)
  })

  test('200 without a key and a chain, and with the chain behind the certificate', async () => {
    const { certificatePem } = await foreign('bare.example.com')
    const bare = await importOf({ certificatePem })
    assert.deepEqual(Object.keys(bare.body), ['certificate', 'serialNumber', 'certificateId'])
    const path = `${CERTIFICATES}/${bare.body.certificateId}`
    assert.deepEqual(statusOf(await server.get(`${path}/private-key`, { token })), [404, 'NotFound'])
    assert.equal((await server.get(`${path}/bundle`, { token })).body.privateKey, null)
    const joined = await foreign('joined.example.com')
    const answer = await importOf({ certificatePem: joined.certificatePem + joined.chainPem })
    assert.equal(answer.body.certificateChain, joined.chainPem)
  })

  test('200 into the project that is named, also by its slug', async () => {
    const other = await createProject(server, token, { projectName: 'Other', type: 'cert-manager', slug: 'other-pki' })
    const wish = await foreign('twice.example.com')
    for (const projectId of [project.id, other.id]) assert.equal((await importOf({ ...wish, projectId })).status, 200)
    const bySerial = await server.post(
      `/api/v1/pki/certificates/${(await importedSerial(wish)) ?? ''}/revoke`,
      {},
      { token },
    )
    assert.deepEqual(statusOf(bySerial), [400, 'BadRequest'], 'several have the serial number')
    const legacy = { ...(await foreign('slug.example.com')), projectSlug: 'other-pki' }
    assert.equal((await server.post('/api/v1/pki/certificates/import-certificate', legacy, { token })).status, 200)
    assert.equal((await importOf(await foreign('which.example.com'))).status, 400)
    await server.delete(`/api/v1/projects/${other.id}`, { token })
  })

  test('400 the second time, also at the same time', async () => {
    const wish = await foreign('race.example.com')
    const answers = await Promise.all(Array.from({ length: 5 }, () => importOf(wish)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  test('400 for what does not belong together or cannot be read', async () => {
    const [one, another] = [await foreign('one.example.com'), await foreign('another.example.com')]
    for (const wish of [
      { ...one, privateKeyPem: another.privateKeyPem },
      { ...one, chainPem: another.chainPem },
      { ...one, certificatePem: 'nonsense' },
      { ...one, certificatePem: one.privateKeyPem },
      { ...one, certificatePem: one.certificatePem.replace(/[A-Za-z]{9}/, 'AAAAAAAAA') },
      { ...one, privateKeyPem: 'nonsense' },
    ]) {
      assert.deepEqual(statusOf(await importOf(wish)), [400, 'BadRequest'])
    }
  })

  test('refusals', async () => {
    const wish = await foreign('refused.example.com')
    const conditions = { commonName: { $eq: 'other.example.com' } }
    const narrow = await ruled({ subject: 'certificates', action: ['import'], conditions })
    assert.deepEqual(statusOf(await server.post(PATH, wish)), [401, 'UnauthorizedError'])
    assert.deepEqual(statusOf(await importOf(wish, outsider.token)), [403, 'ProjectMembershipNotFound'])
    assert.deepEqual(statusOf(await importOf(wish, viewer.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await importOf(wish, narrow.token)), [403, 'PermissionDenied'])
    assert.deepEqual(statusOf(await importOf(wish, elsewhere.token)), [400, 'BadRequest'])
    assert.deepEqual(statusOf(await importOf({})), [422, 'ValidationFailure'])
  })
})

const importedSerial = async ({ certificatePem }: { certificatePem: string }) => {
  const path = `/api/v1/projects/${project.id}/certificates/search`
  const { body } = await pki.post(path, { search: 'twice.example.com' })
  assert.ok(certificatePem)
  return body.certificates[0]?.serialNumber as string | undefined
}

test('a copy that is imported elsewhere does not stand in the way of revoking the certificate itself', async () => {
  const { certificate, certificateId, serialNumber } = await pki.issue(await pki.profile({ caId: await pki.root() }))
  const { id: projectId } = await createProject(server, token, { type: 'cert-manager' })
  assert.equal((await importOf({ projectId, certificatePem: certificate })).status, 200)
  const thumbprint = new X509Certificate(certificate).fingerprint256
  for (const id of [thumbprint, serialNumber]) {
    const answer = await server.post(`${CERTIFICATES}/${encodeURIComponent(id)}/revoke`, {}, { token })
    assert.equal(answer.status, 200, answer.text)
  }
  const { body } = await server.get(`${CERTIFICATES}/${certificateId}`, { token })
  assert.equal(body.certificate.status, 'revoked')
})
