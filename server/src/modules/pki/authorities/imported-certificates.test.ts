import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CA, inDays, startPkiServer } from '../../../../test/test-authorities.ts'
import { createProjectMember } from '../../../../test/test-members.ts'
import { auditOf } from '../../../../test/test-projects.ts'

const { server, admin, project, db, authorities } = await startPkiServer()
const { token } = admin
const openssl = new OpenSsl()
const reader = await createProjectMember(server, admin, project.id, 'member')

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
let outsideRoot = ''

before(async () => {
  const files = ['-keyout', 'outside.key', '-out', 'outside.pem']
  await openssl.do(['req', '-x509', '-nodes', ...P256, ...files, '-days', '60', '-subj', '/CN=Outside root'])
  outsideRoot = (await openssl.read('outside.pem')).toString()
})

let signed = 0
/** What the authority outside makes of a request. */
const signOutside = async (csr: string, extensions: string, ...options: string[]): Promise<string> => {
  const name = `outside-${++signed}`
  const subject = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`]
  const issuer = ['-CA', 'outside.pem', '-CAkey', 'outside.key', '-CAcreateserial']
  const files = { [`${name}.csr`]: csr, [`${name}.ext`]: extensions }
  await openssl.do(['x509', '-req', ...subject, ...issuer, '-days', '30', ...options], files)
  return (await openssl.read(`${name}.pem`)).toString()
}

const AUTHORITY =
  'basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n'
const csrOf = async (caId: string) => (await server.get(`${CA}/${caId}/csr`, { token })).body.csr as string
const importInto = (caId: string, body: object, as = token) =>
  server.post(`${CA}/${caId}/import-certificate`, body, { token: as })

describe(`GET ${CA}/:caId/csr`, () => {
  for (const keyAlgorithm of ['RSA_2048', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1', 'ED25519']) {
    test(`200 is a request for a key of kind ${keyAlgorithm} that openssl finds in order`, async () => {
      const { id } = await authorities.create({ type: 'intermediate', keyAlgorithm, country: 'CH' })
      const verify = ['req', '-verify', '-noout', '-subject', '-in', 'request.csr']
      const verdict = await openssl.do(verify, { 'request.csr': await csrOf(id) })
      assert.match(verdict, /verify OK/)
      assert.match(verdict, /C = CH, O = Acme, CN = ca-/)
    })
  }

  test('400 of a root, 403 for who may only read', async () => {
    const root = await authorities.create()
    const { id } = await authorities.create({ type: 'intermediate' })
    assert.equal((await server.get(`${CA}/${root.id}/csr`, { token })).status, 400)
    assert.equal((await server.get(`${CA}/${id}/csr`, { token: reader.token })).status, 403)
  })
})

describe(`POST ${CA}/:caId/import-certificate`, () => {
  test('200 makes an authority active that one outside has signed, and what it signs verifies up to there', async () => {
    const { id } = await authorities.create({ type: 'intermediate', maxPathLength: 0 })
    const certificate = await signOutside(await csrOf(id), AUTHORITY)
    const answer = await importInto(id, { certificate, certificateChain: outsideRoot })
    assert.deepEqual([answer.status, answer.body.caId], [200, id])
    const { body } = await server.get(`${CA}/${id}`, { token })
    assert.deepEqual([body.status, body.configuration.parentCaId], ['active', null])
    const current = await authorities.certificate(id)
    assert.equal(current.certificate, certificate.trim())

    const [list] = (await server.get(`${CA}/${id}/crls`, { token })).body
    const files = { 'imported.pem': `${certificate}\n${outsideRoot}`, 'imported.crl': list.crl }
    const verify = ['crl', '-noout', '-verify', '-CAfile', 'imported.pem', '-in', 'imported.crl']
    assert.match(await openssl.do(verify, files), /verify OK/)
    assert.equal((await auditOf(db, project.id, 'import-certificate-authority-cert')).length, 1)
  })

  test('200 replaces one that was imported before', async () => {
    const { id } = await authorities.create({ type: 'intermediate', maxPathLength: 0 })
    for (let count = 0; count < 2; count++) {
      const certificate = await signOutside(await csrOf(id), AUTHORITY)
      assert.equal((await importInto(id, { certificate, certificateChain: outsideRoot })).status, 200)
    }
    assert.equal((await server.get(`${CA}/${id}/ca-certificates`)).body.length, 2)
    const renewal = await server.post(`${CA}/${id}/renew`, { type: 'existing', notAfter: inDays(50) }, { token })
    assert.deepEqual([renewal.status, renewal.body.error], [400, 'BadRequest'])
  })

  test('400 for what does not fit', async () => {
    const { id } = await authorities.create({ type: 'intermediate', maxPathLength: 0 })
    const { id: otherId } = await authorities.create({ type: 'intermediate', maxPathLength: 0 })
    const csr = await csrOf(id)
    const good = await signOutside(csr, AUTHORITY)
    const chained = { certificateChain: outsideRoot }
    const stranger = (await authorities.certificate((await authorities.create()).id)).certificate
    for (const [reason, body] of [
      ['no certificate', { ...chained, certificate: 'nonsense' }],
      ['two certificates', { ...chained, certificate: `${good}\n${good}` }],
      ['the key of another', { ...chained, certificate: await signOutside(await csrOf(otherId), AUTHORITY) }],
      [
        'another path length',
        { ...chained, certificate: await signOutside(csr, AUTHORITY.replace('pathlen:0', 'pathlen:1')) },
      ],
      ['no authority', { ...chained, certificate: await signOutside(csr, 'basicConstraints=CA:FALSE\n') }],
      ['another name', { ...chained, certificate: await signOutside(csr, AUTHORITY, '-subj', '/CN=Another') }],
      ['a chain of strangers', { certificate: good, certificateChain: stranger }],
      ['a chain that is none', { certificate: good, certificateChain: 'nonsense' }],
      ['a chain that does not reach a root', { certificate: good, certificateChain: good }],
    ] as const) {
      const answer = await importInto(id, body)
      assert.deepEqual([answer.status, answer.body.error], [400, 'BadRequest'], reason)
    }
    assert.equal((await importInto(id, { certificate: good, certificateChain: '' })).status, 422)
    assert.equal((await importInto(id, { certificate: good, ...chained }, reader.token)).status, 403)
    assert.equal((await server.get(`${CA}/${id}`, { token })).body.status, 'pending-certificate')
  })

  test('400 for a root, and for one that has a parent here', async () => {
    const root = await authorities.create()
    const below = await authorities.createUnder(root.id)
    const { certificate } = await authorities.certificate(below.id)
    for (const { id } of [root, below]) {
      assert.equal((await importInto(id, { certificate, certificateChain: outsideRoot })).status, 400)
    }
  })
})
