import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OpenSsl } from '../../../../test/openssl.ts'
import { issueCertificate } from '../x509/certificate.ts'
import { generateKeyPair, type KeyAlgorithm } from '../x509/key-algorithms.ts'
import { toPem } from '../x509/pem.ts'
import { newIntermediate, newRoot, requestOf, type TestAuthority } from '../../../../test/test-signers.ts'
import { encodeEntry } from './list-entry.ts'
import { type RevocationList, signRevocationList } from './revocation-list.ts'

const openssl = new OpenSsl()
const keys = await generateKeyPair('EC_prime256v1')
const DAY_MS = 24 * 60 * 60_000
const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000)
const common = { thisUpdate: at, nextUpdate: new Date(at.getTime() + 7 * DAY_MS) }

type Entries = { serialNumber: string; reason: number }[]
const entriesOf = (entries: Entries) => Buffer.concat(entries.map((entry) => encodeEntry({ ...entry, at })))
const full = (number: number, entries: Entries, ca: TestAuthority) =>
  sign({ kind: 'full', number, deltaUrl: 'http://pki.example/delta', ...common, entries: entriesOf(entries) }, ca)
const delta = (number: number, baseNumber: number, entries: Entries, ca: TestAuthority) =>
  sign({ kind: 'delta', number, baseNumber, ...common, entries: entriesOf(entries) }, ca)
const sign = async (list: RevocationList, ca: TestAuthority) => toPem('X509 CRL', await signRevocationList(list, ca))
const pem = (certificate: Buffer) => toPem('CERTIFICATE', certificate)

describe('a revocation list', () => {
  test('shows to openssl its number, its key and every reason', async () => {
    const ca = await newRoot('EC_prime256v1')
    const reasons = [0, 1, 2, 3, 4, 5, 6, 9, 10]
    const entries = reasons.map((reason) => ({ serialNumber: `1${reason.toString(16)}ff`, reason }))
    const files = { 'ca.pem': pem(ca.certificate), 'list.pem': await full(77, entries, ca) }
    const { isOk, output } = await openssl.run(
      ['crl', '-in', 'list.pem', '-noout', '-text', '-CAfile', 'ca.pem'],
      files,
    )
    assert.ok(isOk && output.includes('verify OK'), output)
    const text = output.replace(/\s+/g, ' ')
    for (const part of [
      'Version 2',
      'X509v3 CRL Number: 77',
      'X509v3 Authority Key Identifier:',
      'X509v3 Freshest CRL: Full Name: URI:http://pki.example/delta',
      'Key Compromise',
      'CA Compromise',
      'Affiliation Changed',
      'Superseded',
      'Cessation Of Operation',
      'Certificate Hold',
      'Privilege Withdrawn',
      'AA Compromise',
    ]) {
      assert.ok(text.includes(part), `${part} is missing in ${text}`)
    }
    assert.equal(text.match(/Serial Number/g)?.length, reasons.length)
    assert.equal(text.match(/CRL entry extensions/g)?.length, reasons.length - 1, 'none for the one without a reason')
  })

  test('has no list of entries when there are none', async () => {
    const ca = await newRoot('ED25519')
    const { output } = await openssl.run(['crl', '-in', 'empty.pem', '-noout', '-text'], {
      'empty.pem': await full(1, [], ca),
    })
    assert.match(output, /No Revoked Certificates/)
  })

  for (const algorithm of ['RSA_2048', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1', 'ED25519'] as const) {
    test(`of ${algorithm} authorities is what openssl goes by, in its strictest manner`, () => judge(algorithm))
  }
})

const judge = async (algorithm: KeyAlgorithm) => {
  const root = await newRoot(algorithm)
  const intermediate = await newIntermediate(root, 0)
  const leafOf = (serialNumber: string) => pem(issueCertificate(requestOf(keys, { serialNumber }), intermediate))
  const [good, bad] = ['7a01', '7a02']
  const files = {
    'root.pem': pem(root.certificate),
    'intermediate.pem': pem(intermediate.certificate),
    'good.pem': leafOf(good),
    'bad.pem': leafOf(bad),
    'lists.pem': (await full(1, [], root)) + (await full(2, [{ serialNumber: bad, reason: 1 }], intermediate)),
  }
  const verify = (leaf: string) =>
    openssl.run(
      [
        ...['verify', '-x509_strict', '-crl_check_all', '-CAfile', 'root.pem', '-untrusted', 'intermediate.pem'],
        ...['-CRLfile', 'lists.pem', leaf],
      ],
      files,
    )
  const verdicts = [await verify('good.pem'), await verify('bad.pem')]
  assert.ok(verdicts[0]?.isOk, verdicts[0]?.output)
  assert.match(verdicts[1]?.output ?? '', /certificate revoked/)
}

describe('a delta', () => {
  test('adds to the list before and takes back what was held', async () => {
    const ca = await newRoot('EC_prime256v1')
    const [held, later, untouched] = ['7b01', '7b02', '7b03']
    const files = {
      'ca.pem': pem(ca.certificate),
      ...Object.fromEntries(
        [held, later, untouched].map((serialNumber) => [
          `${serialNumber}.pem`,
          pem(issueCertificate(requestOf(keys, { serialNumber }), ca)),
        ]),
      ),
      'base.pem': await full(5, [{ serialNumber: held, reason: 6 }], ca),
      'delta.pem': await delta(
        6,
        5,
        [
          { serialNumber: held, reason: 8 },
          { serialNumber: later, reason: 1 },
        ],
        ca,
      ),
    }
    const verify = (serialNumber: string, ...more: string[]) =>
      openssl.run(
        ['verify', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'base.pem', ...more, `${serialNumber}.pem`],
        files,
      )
    const withDelta = ['-CRLfile', 'delta.pem', '-extended_crl', '-use_deltas']
    assert.match((await verify(held)).output, /certificate revoked/)
    assert.ok((await verify(later)).isOk)

    const released = await verify(held, ...withDelta)
    assert.ok(released.isOk, released.output)
    assert.match((await verify(later, ...withDelta)).output, /certificate revoked/)
    assert.ok((await verify(untouched, ...withDelta)).isOk)
  })
})
