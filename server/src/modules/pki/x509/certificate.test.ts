import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { OpenSsl } from '../../../../test/openssl.ts'
import { issueCertificate, newSerialNumber, selfSign, type CertificateRequest } from './certificate.ts'
import { isSelfSigned, readCertificate, verifyChain } from './certificate-reader.ts'
import { fitsKey, generateKeyPair, keyAlgorithmOf, KEY_ALGORITHMS, SIGNATURE_ALGORITHMS } from './key-algorithms.ts'
import { readPems, toPem } from './pem.ts'
import { newIntermediate, newRoot, requestOf } from '../../../../test/test-signers.ts'
import { UnreadableError } from './unreadable-error.ts'

const openssl = new OpenSsl()
const keys = await generateKeyPair('EC_prime256v1')
const root = await newRoot('EC_prime256v1')
const issue = (wishes?: Partial<CertificateRequest>) => issueCertificate(requestOf(keys, wishes), root)
const textOf = async (certificate: Buffer) => {
  const { output } = await openssl.run(['x509', '-in', 'c.pem', '-noout', '-text'], {
    'c.pem': toPem('CERTIFICATE', certificate),
  })
  return output.replace(/\s+/g, ' ')
}

describe('a certificate', () => {
  test('is read by node as it was asked for', () => {
    const wish = requestOf(keys, {
      subject: { commonName: 'api', organization: 'Acme' },
      altNames: [
        { type: 'dns_name', value: 'api.example.com' },
        { type: 'ip_address', value: '192.0.2.1' },
      ],
      notBefore: new Date('2026-01-02T03:04:05Z'),
      notAfter: new Date('2051-01-02T03:04:05Z'),
    })
    const read = new X509Certificate(issueCertificate(wish, root))
    assert.equal(read.serialNumber.toLowerCase(), wish.serialNumber)
    assert.equal(read.subject, 'O=Acme\nCN=api')
    assert.equal(read.subjectAltName, 'DNS:api.example.com, IP Address:192.0.2.1')
    assert.equal(new Date(read.validFrom).toISOString(), '2026-01-02T03:04:05.000Z')
    assert.equal(new Date(read.validTo).toISOString(), '2051-01-02T03:04:05.000Z')
    assert.equal(read.ca, false)
    assert.ok(read.publicKey.equals(keys.publicKey))
    assert.ok(read.checkIssued(new X509Certificate(root.certificate)))
    assert.ok(read.verify(root.keys.publicKey))
  })

  test('says to openssl where its lists, its issuer and its responder are', async () => {
    const text = await textOf(
      issue({
        crlUrls: ['http://a.example/crl', 'http://b.example/crl'],
        issuerUrl: 'http://a.example/ca',
        ocspUrl: 'http://a.example/ocsp',
        keyUsages: ['digitalSignature', 'decipherOnly'],
        extendedKeyUsages: ['clientAuth', 'anyExtendedKeyUsage'],
        hasNoRevocationCheck: true,
      }),
    )
    for (const part of [
      'X509v3 Basic Constraints: CA:FALSE',
      'Full Name: URI:http://a.example/crl Full Name: URI:http://b.example/crl',
      'OCSP - URI:http://a.example/ocsp CA Issuers - URI:http://a.example/ca',
      'X509v3 Key Usage: critical Digital Signature, Decipher Only',
      'X509v3 Extended Key Usage: TLS Web Client Authentication, Any Extended Key Usage',
      'OCSP No Check:',
    ]) {
      assert.ok(text.includes(part), `${part} is missing in ${text}`)
    }
  })

  test('has critical alternative names only when it has no subject', async () => {
    const altNames = [{ type: 'dns_name', value: 'a.example' }] as const
    assert.match(await textOf(issue({ altNames })), /Alternative Name: DNS:a\.example/)
    assert.match(await textOf(issue({ altNames, subject: {} })), /Alternative Name: critical DNS:a\.example/)
  })

  test('leaves out what is not asked for', async () => {
    const text = await textOf(issue({ keyUsages: [], extendedKeyUsages: [] }))
    for (const part of ['Key Usage', 'Policies', 'CRL', 'Authority Information', 'Alternative']) {
      assert.ok(!text.includes(part), part)
    }
  })

  test('keeps a path length of zero', () => {
    const certificate = issue({ basicConstraints: { isCa: true, pathLength: 0 }, keyUsages: ['keyCertSign'] })
    assert.equal(readCertificate(certificate).pathLength, 0)
  })

  test('takes the name of its issuer byte for byte, whatever it is', () => {
    const { subjectDer } = readCertificate(root.certificate)
    assert.ok(readCertificate(issue()).issuerDer.equals(subjectDer))
  })

  test('is signed as asked, and never in a way that the key cannot', () => {
    assert.equal(readCertificate(issue({ signatureAlgorithm: 'ECDSA-SHA512' })).signatureAlgorithm, 'ECDSA-SHA512')
    assert.throws(() => issue({ signatureAlgorithm: 'RSA-SHA256' }), UnreadableError)
    assert.throws(() => selfSign(requestOf(keys, { signatureAlgorithm: 'ED25519' }), keys.privateKey), UnreadableError)
  })

  test('has a number that every tool writes in the same 32 digits', () => {
    for (let round = 0; round < 500; round++) assert.match(newSerialNumber(), /^[1-7][0-9a-f]{31}$/)
  })
})

describe('keys', () => {
  for (const algorithm of KEY_ALGORITHMS) {
    test(`of kind ${algorithm} are known again, and sign what openssl accepts`, async () => {
      const ca = await newRoot(algorithm)
      assert.equal(keyAlgorithmOf(ca.keys.publicKey), algorithm)
      for (const signatureAlgorithm of SIGNATURE_ALGORITHMS.filter((name) => fitsKey(name, algorithm))) {
        const leaf = issueCertificate(requestOf(keys, { signatureAlgorithm }), ca)
        const { isOk, output } = await openssl.run(['verify', '-x509_strict', '-CAfile', 'ca.pem', 'leaf.pem'], {
          'ca.pem': toPem('CERTIFICATE', ca.certificate),
          'leaf.pem': toPem('CERTIFICATE', leaf),
        })
        assert.ok(isOk, output)
      }
    })
  }

  test('that are weak or of another kind are not known', async () => {
    for (const args of [
      ['genrsa', '-out', 'k.pem', '1024'],
      ['genrsa', '-3', '-out', 'k.pem', '2048'],
      ['ecparam', '-genkey', '-noout', '-name', 'secp256k1', '-out', 'k.pem'],
      ['genpkey', '-algorithm', 'X25519', '-out', 'k.pem'],
    ]) {
      await openssl.run(args)
      const { createPublicKey } = await import('node:crypto')
      assert.equal(keyAlgorithmOf(createPublicKey(await openssl.read('k.pem'))), undefined, args.join(' '))
    }
  })
})

describe('a chain', () => {
  test('holds when each is signed by the next, as deep as that allows', async () => {
    const intermediate = await newIntermediate(root, 0)
    const leaf = issueCertificate(requestOf(keys), intermediate)
    assert.ok(verifyChain(leaf, [intermediate.certificate, root.certificate]))
    assert.ok(verifyChain(leaf, []))
    assert.ok(!verifyChain(leaf, [root.certificate]))
    assert.ok(!verifyChain(leaf, [root.certificate, intermediate.certificate]))

    const deeper = await newIntermediate(intermediate)
    const beyond = issueCertificate(requestOf(keys), deeper)
    const chain = [deeper.certificate, intermediate.certificate, root.certificate]
    assert.ok(!verifyChain(beyond, chain), 'the intermediate allows none below it')
    assert.ok(isSelfSigned(root.certificate) && !isSelfSigned(intermediate.certificate))
  })

  test('does not hold under a certificate that may not sign', () => {
    const leafKeys = { ...root, key: keys.privateKey, keyAlgorithm: 'EC_prime256v1' as const }
    const end = issue({ subject: { commonName: 'end' } })
    const forged = issueCertificate(requestOf(keys), { ...leafKeys, certificate: end })
    assert.ok(!verifyChain(forged, [end, root.certificate]))
    const noSigner = issue({ basicConstraints: { isCa: true }, keyUsages: ['cRLSign'] })
    assert.ok(!verifyChain(issueCertificate(requestOf(keys), { ...leafKeys, certificate: noSigner }), [noSigner]))
  })

  test('does not hold when a byte of a signature or of what is signed differs', async () => {
    const leaf = issue()
    for (const at of [leaf.length - 1, 40]) {
      const forged = Buffer.from(leaf)
      forged[at] = (forged[at] ?? 0) ^ 1
      assert.ok(!holds(forged), `byte ${at}`)
    }
    const other = await newRoot('EC_prime256v1')
    assert.ok(!verifyChain(leaf, [other.certificate]), 'same name, another key')
  })
})

const holds = (leaf: Buffer): boolean => {
  try {
    return verifyChain(leaf, [root.certificate])
  } catch (error) {
    assert.ok(error instanceof UnreadableError)
    return false
  }
}

describe('PEM', () => {
  test('is read back, with text around it and line ends of any kind', () => {
    const [one, two] = [issue(), issue()]
    const text = `subject=x\r\n${toPem('CERTIFICATE', one).replaceAll('\n', '\r\n')}noise\n${toPem('CERTIFICATE', two)}`
    assert.deepEqual(readPems('CERTIFICATE', text), [one, two])
    assert.deepEqual(readPems('X509 CRL', text), [])
  })

  for (const [what, text] of [
    ['has no end', '-----BEGIN CERTIFICATE-----\nAAAA'],
    ['is empty', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'],
    ['is no base64', '-----BEGIN CERTIFICATE-----\n§§§\n-----END CERTIFICATE-----'],
  ] as const) {
    test(`is refused when it ${what}`, () => assert.throws(() => readPems('CERTIFICATE', text), UnreadableError))
  }
})
