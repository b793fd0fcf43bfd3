import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { OpenSsl } from '../../../../test/openssl.ts'
import { readCertificate } from './certificate-reader.ts'
import { generateKeyPair } from './key-algorithms.ts'
import { toPem } from './pem.ts'
import { createSigningRequest, readSigningRequest } from './signing-request.ts'
import { newRoot } from '../../../../test/test-signers.ts'
import { UnreadableError } from './unreadable-error.ts'

const openssl = new OpenSsl()

const CONFIG = `[req]
distinguished_name = name
req_extensions = wishes
prompt = no
string_mask = nombstr
[name]
1.DC = org
2.DC = example
C = SE
O = Acme
CN = api.example.org
emailAddress = ignored@example.org
[wishes]
basicConstraints = CA:TRUE,pathlen:2
keyUsage = digitalSignature,keyAgreement
extendedKeyUsage = serverAuth,1.2.3.4
subjectAltName = DNS:api.example.org,IP:192.0.2.1,URI:spiffe://example.org/api,email:a@example.org,RID:1.2.3,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ada@corp
`
const KINDS = [
  ['RSA_2048', ['rsa:2048']],
  ['EC_secp384r1', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1']],
  ['ED25519', ['ed25519']],
] as const

const requestFrom = async (kind: readonly string[], ...more: string[]) => {
  const args = ['req', '-new', '-newkey', ...kind, '-nodes', '-keyout', 'k.pem', '-out', 'r.pem', '-config', 'r.cnf']
  const { isOk, output } = await openssl.run([...args, ...more], { 'r.cnf': CONFIG })
  assert.ok(isOk, output)
  return (await openssl.read('r.pem')).toString('utf8')
}

describe('a signing request', () => {
  test('whose curve is spelled out instead of named is refused', async () => {
    const curve = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-pkeyopt']
    assert.equal(
      readSigningRequest(await requestFrom([...curve, 'ec_param_enc:named_curve'])).keyAlgorithm,
      'EC_prime256v1',
    )
    const spelledOut = await requestFrom([...curve, 'ec_param_enc:explicit'])
    assert.throws(() => readSigningRequest(spelledOut), UnreadableError)
  })

  for (const [keyAlgorithm, kind] of KINDS) {
    test(`of openssl with a key of kind ${keyAlgorithm} is read with all it asks for`, async () => {
      const { publicKey, ...request } = readSigningRequest(await requestFrom(kind))
      assert.equal(publicKey.type, 'public')
      assert.deepEqual(request, {
        subject: {
          domainComponents: ['example', 'org'],
          country: 'SE',
          organization: 'Acme',
          commonName: 'api.example.org',
        },
        altNames: [
          { type: 'dns_name', value: 'api.example.org' },
          { type: 'ip_address', value: '192.0.2.1' },
          { type: 'uri', value: 'spiffe://example.org/api' },
          { type: 'email', value: 'a@example.org' },
          { type: 'upn', value: 'ada@corp' },
        ],
        keyAlgorithm,
        keyUsages: ['digitalSignature', 'keyAgreement'],
        extendedKeyUsages: ['serverAuth'],
        basicConstraints: { isCa: true, pathLength: 2 },
      })
    })
  }

  test('of ours is accepted by openssl', async () => {
    const { publicKey, privateKey } = await generateKeyPair('EC_prime256v1')
    const subject = { commonName: 'Intermediate', organization: 'Acme' }
    const der = createSigningRequest(subject, privateKey, publicKey)
    const { isOk, output } = await openssl.run(['req', '-verify', '-in', 'own.pem', '-noout', '-subject'], {
      'own.pem': toPem('CERTIFICATE REQUEST', der),
    })
    assert.ok(isOk, output)
    assert.match(output, /O = Acme, CN = Intermediate/)
    assert.deepEqual(readSigningRequest(der).subject, subject)
  })

  test('is refused when whoever sends it does not hold the key', async () => {
    const { publicKey } = await generateKeyPair('EC_prime256v1')
    const { privateKey: another } = await generateKeyPair('EC_prime256v1')
    const forged = createSigningRequest({ commonName: 'victim' }, another, publicKey)
    assert.throws(() => readSigningRequest(forged), { name: 'UnreadableError', message: /signature/ })
  })

  for (const [what, kind, more] of [
    ['a key of 1024 bits', ['rsa:1024'], []],
    ['a curve that is not dealt in', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'], []],
    ['a signature by SHA-1', ['rsa:2048'], ['-sha1']],
  ] as const) {
    test(`is refused with ${what}`, async () => {
      const request = await requestFrom(kind, ...more)
      assert.throws(() => readSigningRequest(request), UnreadableError)
    })
  }

  test('is refused when it is none, several or far too large', async () => {
    const request = await requestFrom(['ed25519'])
    for (const text of ['', 'hello', request + request, toPem('CERTIFICATE REQUEST', Buffer.alloc(70_000, 1))]) {
      assert.throws(() => readSigningRequest(text), UnreadableError)
    }
    assert.throws(() => readSigningRequest(Buffer.alloc(70_000, 0x30)), UnreadableError)
  })
})

describe('readers of what others send', () => {
  test('refuse every mutilation without any other error, and quickly', async () => {
    const root = await newRoot('EC_prime256v1')
    const { publicKey, privateKey } = await generateKeyPair('EC_prime256v1')
    const request = createSigningRequest({ commonName: 'x' }, privateKey, publicKey)
    const edits = fc.array(fc.tuple(fc.nat(1_000), fc.nat(255)), { minLength: 1, maxLength: 4 })
    for (const [read, sound] of [
      [readSigningRequest, request],
      [readCertificate, root.certificate],
    ] as const) {
      fc.assert(
        fc.property(edits, fc.nat(1_000), (changes, cut) => {
          const bytes = Buffer.from(sound)
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          onlyUnreadable(() => read(cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes))
        }),
        { numRuns: 300 },
      )
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => onlyUnreadable(() => read(Buffer.from(bytes)))),
      )
    }
  })
})

const onlyUnreadable = (read: () => unknown): void => {
  try {
    read()
  } catch (error) {
    assert.ok(error instanceof UnreadableError, String(error))
  }
}
