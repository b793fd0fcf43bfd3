import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CA, inDays, startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember, fresh, UNKNOWN_ID } from '../../../../test/test-members.ts'
import { createMemberWithRules } from '../../../../test/test-privileges.ts'
import { auditOf, createOtherOrganization, createProject } from '../../../../test/test-projects.ts'
import { generateKeyPair } from '../x509/key-algorithms.ts'
import { toPem } from '../x509/pem.ts'
import { createSigningRequest } from '../x509/signing-request.ts'

const { server, admin, project, db, authorities } = await startPkiServer()
const { token } = admin
const openssl = new OpenSsl()
const reader = await createProjectMember(server, admin, project.id, 'member')
const other = await createOtherOrganization(server, admin)

describe(`POST ${CA}/:caId/certificate`, () => {
  for (const keyAlgorithm of ['RSA_2048', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1', 'ED25519']) {
    test(`200 makes a chain of ${keyAlgorithm} that openssl finds in order`, async () => {
      const root = await authorities.create({ keyAlgorithm })
      const upper = await authorities.createUnder(root.id, { keyAlgorithm }, { maxPathLength: 1 })
      const lower = await authorities.createUnder(
        upper.id,
        { keyAlgorithm },
        { maxPathLength: 0, notAfter: inDays(20) },
      )
      const [rootPem, lowerPem] = [await authorities.certificate(root.id), await authorities.certificate(lower.id)]
      assert.equal(rootPem.certificateChain, '')
      assert.deepEqual(await openssl.trusts(lowerPem), { isOk: true, output: 'leaf.pem: OK\n' })
      assert.ok(lowerPem.certificateChain.includes(rootPem.certificate))
    })
  }

  test('200 says in an intermediate what it may do and where to ask about it', async () => {
    const root = await authorities.create({ crlDistributionPointUrls: ['http://crl.example.com/root.crl'] })
    const { id } = await authorities.create({ type: 'intermediate', commonName: 'Below' })
    const answer = await authorities.generate(id, { parentCaId: root.id, maxPathLength: 0 })
    const [list] = (await server.get(`${CA}/${root.id}/crls`, { token })).body
    const text = await openssl.describe(answer.body.certificate)
    const site = 'http://localhost:8080/api'
    for (const part of [
      'CA:TRUE, pathlen:0',
      'Digital Signature, Key Encipherment, Certificate Sign, CRL Sign',
      `URI:${site}/v1/cert-manager/crl/${list.id}/der`,
      'URI:http://crl.example.com/root.crl',
      `CA Issuers - URI:${site}/v1/cert-manager/ca/internal/${root.id}/certificates/${root.configuration.activeCaCertId}/der`,
      `OCSP - URI:${site}/x/ocsp/${root.id}`,
      'X509v3 Authority Key Identifier',
    ]) {
      assert.ok(text.includes(part), part)
    }
  })

  test('200 leaves the own list out when the authority says so', async () => {
    const root = await authorities.create({ disableManagedCrlDistributionPointUrl: true })
    const { certificate } = await authorities.certificate((await authorities.createUnder(root.id)).id)
    assert.ok(!(await openssl.describe(certificate)).includes('CRL Distribution Points'))
  })

  test('200 puts the intermediate on record, so that it can be revoked', async () => {
    const root = await authorities.create()
    const { id } = await authorities.createUnder(root.id)
    const { serialNumber } = await authorities.certificate(id)
    const row = await db
      .selectFrom('certificates')
      .select(['isCa', 'caId', 'status', 'projectId'])
      .where('serialNumber', '=', serialNumber)
      .executeTakeFirst()
    assert.deepEqual(row, { isCa: true, caId: root.id, status: 'active', projectId: project.id })
    const events = await auditOf(db, project.id, 'generate-ca-certificate')
    assert.deepEqual(events.at(-1)?.eventMetadata['parentCaId'], root.id)
  })

  test('200 gives each of two at once a version of its own', async () => {
    const { id } = await authorities.create({ notAfter: undefined })
    const answers = await Promise.all([1, 2, 3].map(() => authorities.generate(id)))
    assert.deepEqual(
      [200, 200, 200],
      answers.map(({ status }) => status),
    )
    const versions = await server.get(`${CA}/${id}/ca-certificates`)
    assert.deepEqual(
      [1, 2, 3],
      versions.body.map(({ version }: { version: number }) => version),
    )
    const { body } = await server.get(`${CA}/${id}`, { token })
    assert.deepEqual([body.status, body.configuration.activeCaCertId], ['active', versions.body[2].certId])
  })

  test('400 for what the parent does not allow', async () => {
    const root = await authorities.create({ notAfter: inDays(100), maxPathLength: 1 })
    const last = await authorities.createUnder(root.id, {}, { maxPathLength: 0 })
    const pending = await authorities.create({ type: 'intermediate' })
    const { id } = await authorities.create({ type: 'intermediate' })
    for (const [reason, body] of [
      ['no parent', {}],
      ['an unlimited path', { parentCaId: root.id }],
      ['a path as long as its own', { parentCaId: root.id, maxPathLength: 1 }],
      ['a parent that may have none below it', { parentCaId: last.id, maxPathLength: 0 }],
      ['a parent without a certificate', { parentCaId: pending.id }],
      ['itself', { parentCaId: id }],
      ['a later end', { parentCaId: root.id, maxPathLength: 0, notAfter: inDays(101) }],
      ['an earlier beginning', { parentCaId: root.id, maxPathLength: 0, notBefore: inDays(-1) }],
      [
        'an end before the beginning',
        { parentCaId: root.id, maxPathLength: 0, notBefore: inDays(9), notAfter: inDays(8) },
      ],
    ] as const) {
      assert.equal((await authorities.generate(id, body)).status, 400, reason)
    }
  })

  test('400 for a root under a parent, for one below itself, and for one that is disabled', async () => {
    const [root, second] = [await authorities.create(), await authorities.create()]
    assert.equal((await authorities.generate(second.id, { parentCaId: root.id })).status, 400)
    const upper = await authorities.createUnder(root.id)
    const lower = await authorities.createUnder(upper.id, {}, { notAfter: inDays(20) })
    assert.equal((await authorities.generate(upper.id, { parentCaId: lower.id, notAfter: inDays(10) })).status, 400)
    await server.patch(`${CA}/${root.id}`, { status: 'disabled' }, { token })
    assert.equal((await authorities.generate(root.id)).status, 400)
    assert.equal((await authorities.generate(upper.id, { parentCaId: root.id })).status, 400)
  })

  test('403 when the parent is in another project, 404 when it is unknown', async () => {
    const { id } = await authorities.create({ type: 'intermediate' })
    const second = await createProject(server, token, { type: 'cert-manager' })
    const body = { ...authorities.body(), projectId: second.id }
    const elsewhere = await server.post(CA, body, { token })
    const refused = await authorities.generate(id, { parentCaId: elsewhere.body.id })
    assert.deepEqual([refused.status, refused.body.error], [403, 'ForbiddenError'])
    assert.equal((await authorities.generate(id, { parentCaId: UNKNOWN_ID })).status, 404)
  })

  test('403 without the right to it, and without the right to sign by the parent', async () => {
    const root = await authorities.create()
    const { id, name } = await authorities.create({ type: 'intermediate' })
    const rule = { subject: 'certificate-authorities', action: ['issue-ca-certificate'], conditions: { name } }
    const member = await createMemberWithRules(server, { admin, db, projectId: project.id }, [rule])
    const body = { notBefore: inDays(0), notAfter: inDays(9), parentCaId: root.id }
    for (const as of [member.token, reader.token]) {
      const answer = await server.post(`${CA}/${id}/certificate`, body, { token: as })
      assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
    }
    assert.equal((await server.post(`${CA}/${id}/certificate`, body, { token: other.token })).status, 404)
    assert.equal((await server.post(`${CA}/${id}/certificate`, { notAfter: inDays(9) }, { token })).status, 422)
  })

  test('400 under a parent whose own certificate was revoked', async () => {
    const root = await authorities.create()
    const upper = await authorities.createUnder(root.id)
    const { serialNumber } = await authorities.certificate(upper.id)
    const revocation = { caId: root.id, serialNumber, revokedAt: new Date(), reason: 0, notAfter: new Date(inDays(30)) }
    await server.app.services.db.transaction((tx) => server.app.services.revocations.revoke(tx, revocation))
    const { id } = await authorities.create({ type: 'intermediate' })
    const answer = await authorities.generate(id, { parentCaId: upper.id, notAfter: inDays(9) })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })

  test('400 under a parent that stands below one whose certificate was revoked, until that is released', async () => {
    const root = await authorities.create()
    const upper = await authorities.createUnder(root.id)
    const middle = await authorities.createUnder(upper.id, {}, { notAfter: inDays(20) })
    const { serialNumber } = await authorities.certificate(upper.id)
    const { db: database, revocations } = server.app.services
    const revocation = { caId: root.id, serialNumber, revokedAt: new Date(), reason: 6, notAfter: new Date(inDays(30)) }
    await database.transaction((tx) => revocations.revoke(tx, revocation))
    const { id } = await authorities.create({ type: 'intermediate' })
    const generate = async () => (await authorities.generate(id, { parentCaId: middle.id, notAfter: inDays(9) })).status
    assert.equal(await generate(), 400)
    await database.transaction((tx) => revocations.release(tx, { caId: root.id, serialNumber, releasedAt: new Date() }))
    assert.equal(await generate(), 200)
  })
})

describe(`POST ${CA}/:caId/sign-intermediate`, () => {
  const outside = (name: string, key: 'ec' | 'ed25519' | 'weak') => openssl.csr(`/O=Outside/CN=${name}`, { key })
  const sign = (caId: string, body: object, as = token) =>
    server.post(`${CA}/${caId}/sign-intermediate`, { notAfter: inDays(30), ...body }, { token: as })

  test('400 for a request without a subject', async () => {
    const { id } = await authorities.create()
    const { publicKey, privateKey } = await generateKeyPair('ED25519')
    const csr = toPem('CERTIFICATE REQUEST', createSigningRequest({}, privateKey, publicKey))
    const answer = await sign(id, { csr, maxPathLength: 0 })
    assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
  })

  test('200 signs an authority that lives elsewhere', async () => {
    const root = await authorities.create()
    const csr = await outside('elsewhere', 'ec')
    const { status, body } = await sign(root.id, { csr, maxPathLength: 0 })
    assert.equal(status, 200)
    const own = await authorities.certificate(root.id)
    assert.deepEqual([body.issuingCaCertificate, body.certificateChain], [own.certificate, own.certificate])
    assert.deepEqual(await openssl.trusts(body), { isOk: true, output: 'leaf.pem: OK\n' })
    const text = await openssl.describe(body.certificate)
    assert.ok(text.includes('O = Outside, CN = elsewhere') && text.includes('pathlen:0'))
    const row = await db
      .selectFrom('certificates')
      .select(['isCa', 'caId', 'commonName'])
      .where('serialNumber', '=', body.serialNumber)
      .executeTakeFirst()
    assert.deepEqual(row, { isCa: true, caId: root.id, commonName: 'elsewhere' })
  })

  test('400 for a request that is none, was tampered with, or whose key is weak', async () => {
    const root = await authorities.create()
    const good = await outside('good', 'ed25519')
    const der = Buffer.from(good.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1
    const tampered = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----`
    for (const csr of ['nonsense', tampered, await outside('weak', 'weak')]) {
      const answer = await sign(root.id, { csr })
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'])
    }
  })

  test('400 by one that is disabled, that has no certificate or has ended; 403 without the right', async () => {
    const csr = await outside('another', 'ed25519')
    const [disabled, pending, root] = [
      await authorities.create(),
      await authorities.create({ type: 'intermediate' }),
      await authorities.create({ notAfter: inDays(10) }),
    ]
    await server.patch(`${CA}/${disabled.id}`, { status: 'disabled' }, { token })
    for (const { id } of [disabled, pending]) assert.equal((await sign(id, { csr })).status, 400)
    assert.equal((await sign(root.id, { csr })).status, 400)
    assert.equal((await sign(root.id, { csr, notAfter: inDays(9) })).status, 200)
    assert.equal((await sign(root.id, { csr }, reader.token)).status, 403)
    assert.equal((await sign(root.id, { csr: '' })).status, 422)
  })

  test('none is signed once disabling has been answered', async () => {
    const root = await authorities.create()
    const csr = await outside('racing', 'ed25519')
    const signing = [1, 2, 3, 4, 5].map(() => sign(root.id, { csr }))
    const disabled = await server.patch(`${CA}/${root.id}`, { status: 'disabled' }, { token })
    assert.equal(disabled.status, 200)
    assert.equal((await sign(root.id, { csr })).status, 400)
    for (const { status } of await Promise.all(signing)) assert.ok([200, 400].includes(status))
  })
})

describe(`POST ${CA}/:caId/renew`, () => {
  const renew = (caId: string, body: object, as = token) =>
    server.post(`${CA}/${caId}/renew`, { type: 'existing', ...body }, { token: as })

  test('200 keeps key, name, path length 0 and where to ask, and lasts longer', async () => {
    const root = await authorities.create({ maxPathLength: 1 })
    const { id } = await authorities.createUnder(root.id, {}, { maxPathLength: 0 })
    const before = await authorities.certificate(id)
    const { status, body } = await renew(id, { notAfter: inDays(60) })
    assert.equal(status, 200)
    const [old, renewed] = [new X509Certificate(before.certificate), new X509Certificate(body.certificate)]
    assert.deepEqual(
      renewed.publicKey.export({ type: 'spki', format: 'pem' }),
      old.publicKey.export({ type: 'spki', format: 'pem' }),
    )
    assert.deepEqual([renewed.subject, renewed.infoAccess], [old.subject, old.infoAccess])
    assert.notEqual(body.serialNumber, before.serialNumber)
    const text = await openssl.describe(body.certificate)
    assert.ok(text.includes('CA:TRUE, pathlen:0') && text.includes('CRL Distribution Points'))
    assert.deepEqual((await authorities.certificate(id)).certId, body.certId)
    assert.equal((await server.get(`${CA}/${id}/certificate/${before.certId}`)).status, 200)
  })

  test('200 renews a root by itself', async () => {
    const root = await authorities.create({ notAfter: inDays(10), maxPathLength: 3 })
    const { body } = await renew(root.id, { notAfter: inDays(4_000) })
    assert.equal(body.certificateChain, '')
    const { body: details } = await server.get(`${CA}/${root.id}/certificate/${body.certId}`)
    assert.deepEqual([details.maxPathLength, Date.parse(details.notAfter)], [3, Date.parse(inDays(4_000))])
  })

  test('400 for an end that is no later, or later than the parent, or with nothing to renew', async () => {
    const root = await authorities.create({ notAfter: inDays(100) })
    const { id } = await authorities.createUnder(root.id)
    const pending = await authorities.create({ type: 'intermediate' })
    for (const [caId, notAfter] of [
      [id, inDays(30)],
      [id, inDays(101)],
      [pending.id, inDays(30)],
    ] as const) {
      assert.equal((await renew(caId, { notAfter })).status, 400)
    }
    assert.equal((await renew(id, { type: 'new', notAfter: inDays(40) })).status, 422)
    assert.equal((await renew(id, { notAfter: inDays(40) }, reader.token)).status, 403)
  })
})

describe('what everybody may read', () => {
  test('200 is the certificate as PEM, as DER and with its details', async () => {
    const root = await authorities.create({ maxPathLength: 2 })
    const { id } = await authorities.createUnder(root.id, {}, { maxPathLength: 0 })
    const current = await authorities.certificate(id)
    const details = await server.get(`${CA}/${id}/certificate/${current.certId}`)
    assert.deepEqual(
      [details.body.certificate, details.body.maxPathLength, details.body.parentCaId],
      [current.certificate, 0, root.id],
    )
    assert.match(details.body.notAfter, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const response = await server.app.http.inject({ url: `${CA}/${id}/certificates/${current.certId}/der` })
    assert.equal(response.headers['content-type'], 'application/pkix-cert')
    assert.deepEqual(response.rawPayload, new X509Certificate(current.certificate).raw)
  })

  test('400 without a certificate, 404 for what is not there, 422 for an id that is none', async () => {
    const { id } = await authorities.create({ type: 'intermediate' })
    const root = await authorities.create()
    const { certId } = await authorities.certificate(root.id)
    for (const [path, status] of [
      [`${id}/certificate`, 400],
      [`${UNKNOWN_ID}/certificate`, 404],
      ['nonsense/certificate', 422],
      [`${id}/certificate/${certId}`, 404],
      [`${UNKNOWN_ID}/ca-certificates`, 404],
      [`${id}/certificates/${fresh('no')}/der`, 404],
    ] as const) {
      assert.equal((await server.get(`${CA}/${path}`)).status, status, path)
    }
  })
})
