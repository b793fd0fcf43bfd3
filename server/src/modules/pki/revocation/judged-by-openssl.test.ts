import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listen } from '../../../../test/http-app.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { CERTIFICATES, type IssuedBody, startCertificateServer } from '../../../../test/test-certificates.ts'
import { toPem } from '../x509/pem.ts'

const { server, token, pki } = await startCertificateServer()
const openssl = new OpenSsl()
const port = await listen(server.app.http)

const rootId = await pki.root({ keyAlgorithm: 'EC_prime256v1' })
const caId = await pki.intermediate(rootId, { keyAlgorithm: 'RSA_2048' })
const profileId = await pki.profile({ caId })

/** What a client finds at the addresses that certificates carry: the list, as PEM. */
const listOf = async (certificate: string): Promise<string> => {
  const url = /URI:(\S+\/crl\/\S+)/.exec(await openssl.describe(certificate))?.[1]
  assert.ok(url, 'the certificate says where its list is')
  const answer = await fetch(`http://127.0.0.1:${port}${new URL(url).pathname}`)
  assert.equal(answer.status, 200)
  return toPem('X509 CRL', Buffer.from(await answer.arrayBuffer()))
}

const chainOf = ({ certificateChain }: IssuedBody) => {
  const [intermediate = '', root = ''] = certificateChain.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n?/g) ?? []
  return { intermediate, root }
}

/** With the lists of the leaf's and of the intermediate's issuer as they are now. */
const verify = async (issued: IssuedBody) => {
  const { intermediate, root } = chainOf(issued)
  const lists = (await listOf(issued.certificate)) + (await listOf(intermediate))
  const how = ['-x509_strict', '-crl_check_all', '-CAfile', 'root.pem', '-untrusted', 'ca.pem', '-CRLfile', 'lists.pem']
  const files = { 'root.pem': root, 'ca.pem': intermediate, 'lists.pem': lists, 'leaf.pem': issued.certificate }
  return (await openssl.run(['verify', ...how, 'leaf.pem'], files)).output
}

const askResponder = async (issued: IssuedBody) => {
  const { intermediate, root } = chainOf(issued)
  const url = /OCSP - URI:(\S+)/.exec(await openssl.describe(issued.certificate))?.[1]
  assert.ok(url, 'the certificate says where its responder is')
  const how = ['-issuer', 'ca.pem', '-cert', 'leaf.pem', '-CAfile', 'root.pem', '-verify_other', 'ca.pem']
  const files = { 'root.pem': root, 'ca.pem': intermediate, 'leaf.pem': issued.certificate }
  const { output } = await openssl.run(
    ['ocsp', ...how, '-url', `http://127.0.0.1:${port}${new URL(url).pathname}`],
    files,
  )
  assert.match(output, /Response verify OK/)
  return output
}

const revoke = async (id: string, revocationReason: string) => {
  const answer = await server.post(`${CERTIFICATES}/${id}/revoke`, { revocationReason }, { token })
  assert.equal(answer.status, 200, answer.text)
}

describe('a certificate, from its issue to its end', () => {
  test('is good until it is revoked, and then neither list nor responder says otherwise', async () => {
    const [kept, lost] = [await pki.issue(profileId), await pki.issue(profileId)]
    for (const issued of [kept, lost]) {
      assert.match(await verify(issued), /leaf\.pem: OK/)
      assert.match(await askResponder(issued), /: good/)
    }
    await revoke(lost.certificateId, 'KEY_COMPROMISE')
    assert.match(await verify(lost), /certificate revoked/)
    assert.match(await askResponder(lost), /: revoked[^]*keyCompromise/)
    assert.match(await verify(kept), /leaf\.pem: OK/)
    assert.match(await askResponder(kept), /: good/)
  })

  test('is revoked though its authority is disabled', async () => {
    const issued = await pki.issue(profileId)
    const path = `/api/v1/cert-manager/ca/internal/${caId}`
    assert.equal((await server.patch(path, { status: 'disabled' }, { token })).status, 200)
    await revoke(issued.certificateId, 'SUPERSEDED')
    assert.match(await verify(issued), /certificate revoked/)
    assert.match(await askResponder(issued), /: revoked/)
    assert.equal((await server.patch(path, { status: 'active' }, { token })).status, 200)
  })
})
