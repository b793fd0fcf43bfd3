import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { exchange, httpApp, listen, recordingLogger } from '../../../../test/http-app.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { openDatabase, openTestDatabase } from '../../../../test/test-database.ts'
import { type KeptAuthority, RevocationBench, withNonce } from '../../../../test/test-revocations.ts'
import { newId } from '../../../lib/uuid.ts'
import { issueCertificate } from '../x509/certificate.ts'
import { readCertificate } from '../x509/certificate-reader.ts'
import { generateKeyPair } from '../x509/key-algorithms.ts'
import { toPem } from '../x509/pem.ts'
import { requestOf } from '../../../../test/test-signers.ts'
import { ocspRoutes } from './ocsp.routes.ts'
import { OcspService } from './ocsp.service.ts'
import { Responders } from './responders.ts'

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)
const openssl = new OpenSsl()
const ocsp = new OcspService({ ...bench.deps, responders: new Responders(bench.deps) })
const app = await httpApp(ocspRoutes(ocsp))
after(() => app.close())
const port = await listen(app)

const ca = await bench.authority()
const pem = (certificate: Buffer) => toPem('CERTIFICATE', certificate)
const [MALFORMED, TRY_LATER, UNAUTHORIZED] = ['30030a0101', '30030a0103', '30030a0106']

const ask = (authority: KeptAuthority, leaf: Buffer, ...more: string[]) =>
  openssl.run(
    [
      ...['ocsp', '-issuer', 'ca.pem', ...more, '-cert', 'leaf.pem', '-CAfile', 'ca.pem'],
      ...['-url', `http://127.0.0.1:${port}/api/x/ocsp/${authority.caId}`],
    ],
    { 'ca.pem': pem(authority.certificate), 'leaf.pem': pem(leaf) },
  )

/** What openssl would send about a certificate. */
const requestFor = async (authority: KeptAuthority, leaf: Buffer, ...more: string[]) => {
  const args = ['ocsp', '-issuer', 'ca.pem', '-cert', 'leaf.pem', '-reqout', 'request.der', ...more]
  await openssl.run(args, { 'ca.pem': pem(authority.certificate), 'leaf.pem': pem(leaf) })
  return openssl.read('request.der')
}
const post = (payload: Buffer | string, caId = ca.caId, type = 'application/ocsp-request') =>
  app.inject({ method: 'POST', url: `/api/x/ocsp/${caId}`, headers: { 'content-type': type }, payload })

describe('a responder', () => {
  for (const hash of ['-sha1', '-sha256']) {
    test(`tells openssl good from revoked, held, released and unknown, by ${hash.slice(1)}`, async () => {
      const [good, bad, held] = [await bench.issue(ca), await bench.issue(ca), await bench.issue(ca)]
      const { publicKey } = await generateKeyPair('ED25519')
      const forged = issueCertificate(requestOf({ publicKey }), ca)
      await bench.revoke(ca, bad, 1)
      await bench.revoke(ca, held, 6)

      for (const [leaf, ...expected] of [
        [good.der, /: good/],
        [bad.der, /: revoked/, /Reason: keyCompromise/, /Revocation Time/],
        [held.der, /: revoked/, /Reason: certificateHold/],
        [forged, /: unknown/],
      ] as const) {
        const { isOk, output } = await ask(ca, leaf, hash)
        assert.ok(isOk && output.includes('Response verify OK'), output)
        assert.doesNotMatch(output, /WARNING|nonce/i)
        for (const part of expected) assert.match(output, part)
      }
      await bench.release(ca, held)
      assert.match((await ask(ca, held.der, hash)).output, /: good/)
    })
  }

  for (const algorithm of ['RSA_2048', 'EC_secp521r1', 'ED25519'] as const) {
    test(`is certified by authorities of kind ${algorithm}`, async () => {
      const authority = await bench.authority(algorithm)
      const { der } = await bench.issue(authority)
      const { output } = await ask(authority, der)
      assert.ok(output.includes('Response verify OK') && output.includes(': good'), output)
    })
  }

  test('goes on answering when its certificate has grown old', async () => {
    const authority = await bench.authority()
    const { der } = await bench.issue(authority)
    const request = await requestFor(authority, der)
    const first = (await post(request, authority.caId)).rawPayload
    bench.clock.advance(30 * 60 * 60_000)
    const second = (await post(request, authority.caId)).rawPayload
    bench.clock.advance(-30 * 60 * 60_000)
    assert.ok(second.length > 100 && !second.subarray(-200).equals(first.subarray(-200)))
  })

  test('answers several questions at once', async () => {
    const [one, two] = [await bench.issue(ca), await bench.issue(ca)]
    await bench.revoke(ca, two, 4)
    const { output } = await openssl.run(
      [
        ...['ocsp', '-issuer', 'ca.pem', '-cert', 'one.pem', '-cert', 'two.pem', '-CAfile', 'ca.pem'],
        ...['-url', `http://127.0.0.1:${port}/api/x/ocsp/${ca.caId}`],
      ],
      { 'ca.pem': pem(ca.certificate), 'one.pem': pem(one.der), 'two.pem': pem(two.der) },
    )
    assert.match(output, /one\.pem: good[^]*two\.pem: revoked/)
  })

  test('still knows a revoked certificate whose record was deleted', async () => {
    const gone = await bench.issue(ca)
    await bench.revoke(ca, gone, 1)
    await bench.forget(gone)
    assert.match((await ask(ca, gone.der)).output, /: revoked/)
  })
})

describe('GET /api/x/ocsp/:caId/:request', () => {
  test('200 with an answer that may be kept for a minute, only without a nonce', async () => {
    const { der } = await bench.issue(ca)
    for (const [more, caching] of [
      ['-no_nonce', 'public, max-age=60, must-revalidate'],
      ['-nonce', 'no-store'],
    ] as const) {
      const request = (await requestFor(ca, der, more)).toString('base64')
      for (const text of [request, encodeURIComponent(request)]) {
        const { statusCode, headers, rawPayload } = await app.inject({ url: `/api/x/ocsp/${ca.caId}/${text}` })
        assert.deepEqual([statusCode, headers['cache-control']], [200, caching])
        assert.equal(headers['content-type'], 'application/ocsp-response')
        const files = { 'answer.der': rawPayload, 'ca.pem': pem(ca.certificate) }
        const { output } = await openssl.run(['ocsp', '-respin', 'answer.der', '-CAfile', 'ca.pem', '-text'], files)
        assert.match(output, /Cert Status: good/)
      }
    }
  })

  test('200 when the last digit of the base64 is a slash', async () => {
    const plain = await requestFor(ca, (await bench.issue(ca)).der, '-no_nonce')
    const request = [16, 17, 18].map((bytes) => withNonce(plain, bytes)).find(({ length }) => length % 3 === 0)
    request?.writeUInt8(0xff, request.length - 1)
    const text = request?.toString('base64') ?? ''
    assert.match(text, /\/$/)
    for (const path of [text, encodeURIComponent(text), `${text}?a=b`, `${plain.toString('base64url')}?a=b/`]) {
      const { rawPayload } = await app.inject({ url: `/api/x/ocsp/${ca.caId}/${path}` })
      assert.notEqual(rawPayload.toString('hex'), MALFORMED, path)
    }
  })

  test('malformedRequest for what is no base64 or no request', async () => {
    for (const text of ['***', 'AAAA', '%20', 'x'.repeat(8_000)]) {
      const { statusCode, rawPayload } = await app.inject({ url: `/api/x/ocsp/${ca.caId}/${text}` })
      assert.deepEqual([statusCode, rawPayload.toString('hex')], [200, MALFORMED])
    }
  })
})

describe('POST /api/x/ocsp/:caId', () => {
  test('is not to be kept by anyone', async () => {
    const { der } = await bench.issue(ca)
    assert.equal((await post(await requestFor(ca, der))).headers['cache-control'], 'no-store')
  })

  test('unauthorized for certificates of another issuer, an authority that is unknown, and a hash that is', async () => {
    const other = await bench.authority()
    const { der } = await bench.issue(other)
    const request = await requestFor(other, der)
    assert.equal((await post(request)).rawPayload.toString('hex'), UNAUTHORIZED)
    for (const caId of [newId(), 'nonsense']) {
      assert.equal((await post(request, caId)).rawPayload.toString('hex'), UNAUTHORIZED)
    }
    const bySha512 = await requestFor(other, der, '-sha512', '-cert', 'leaf.pem')
    assert.equal((await post(bySha512, other.caId)).rawPayload.toString('hex'), UNAUTHORIZED)
  })

  test('malformedRequest for garbage of every kind', async () => {
    const { der } = await bench.issue(ca)
    const sound = await requestFor(ca, der, '-no_nonce')
    const cut = sound.subarray(0, -1)
    const trailing = Buffer.concat([sound, Buffer.from([0])])
    const deep = Buffer.alloc(8_000, Buffer.from('3080', 'hex'))
    const longNonce = withNonce(sound, 4_096)
    for (const body of [Buffer.alloc(0), Buffer.from('hello'), cut, trailing, deep, longNonce, der]) {
      const { statusCode, rawPayload } = await post(body)
      assert.deepEqual([statusCode, rawPayload.toString('hex')], [200, MALFORMED])
    }
    assert.equal((await post('{"a":1}', ca.caId, 'application/json')).rawPayload.toString('hex'), MALFORMED)
  })

  test('malformedRequest for a megabyte, without waiting for the end of it', async () => {
    const head = `POST /api/x/ocsp/${ca.caId} HTTP/1.1\r\nhost: a\r\ncontent-type: application/ocsp-request\r\n`
    const answer = await exchange(port, `${head}content-length: 1048576\r\n\r\n`, Buffer.alloc(20_000, 0x30))
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.ok(answer.endsWith(Buffer.from(MALFORMED, 'hex').toString('latin1')))
  })

  test('is no failure when whoever asked went away', async () => {
    const { lines, logger } = recordingLogger()
    const left = await httpApp(ocspRoutes(ocsp), { logger })
    after(() => left.close())
    const socket = connect(await listen(left), '127.0.0.1')
    socket.write(
      `POST /api/x/ocsp/${ca.caId} HTTP/1.1\r\nhost: a\r\ncontent-type: a/b\r\ncontent-length: 100\r\n\r\nabc`,
    )
    const [request] = (await once(left.server, 'request')) as [IncomingMessage]
    for (let round = 0; round < 500 && request.listenerCount('data') === 0; round++) await setImmediate()
    socket.resetAndDestroy()
    for (let round = 0; round < 500 && !request.closed; round++) await setImmediate()
    // What a failure would write comes a few turns later.
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    assert.equal((await left.inject({ method: 'POST', url: `/api/x/ocsp/${ca.caId}`, payload: 'x' })).statusCode, 200)
    assert.deepEqual(
      lines.filter((line) => line.includes('aborted')),
      [],
    )
  })

  test('tryLater while the database is away', async () => {
    const { der } = await bench.issue(ca)
    const request = await requestFor(ca, der)
    const away = openDatabase('postgresql://127.0.0.1:1/none')
    after(() => away.close())
    const service = new OcspService({ ...bench.deps, db: away, responders: new Responders(bench.deps) })
    assert.equal((await service.answer(ca.caId, request)).body.toString('hex'), TRY_LATER)
  })

  test('is signed by a certificate of the authority that may do nothing else', async () => {
    const responder = await new Responders(bench.deps).of(ca.caId)
    const { isCa, keyUsages, extendedKeyUsages, issuerDer } = readCertificate(responder?.certificate ?? Buffer.alloc(0))
    assert.deepEqual([isCa, keyUsages, extendedKeyUsages], [false, ['digitalSignature'], ['ocspSigning']])
    assert.ok(issuerDer.equals(readCertificate(ca.certificate).subjectDer))
  })
})
