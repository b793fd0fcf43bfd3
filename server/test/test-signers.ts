import {
  type CertificateRequest,
  type Issuer,
  issueCertificate,
  newSerialNumber,
  selfSign,
} from '../src/modules/pki/x509/certificate.ts'
import { generateKeyPair, type KeyAlgorithm, type KeyPair } from '../src/modules/pki/x509/key-algorithms.ts'

const DAY_MS = 24 * 60 * 60_000

export type TestAuthority = Issuer & { keys: KeyPair }

/** What tests ask for unless they say otherwise. */
export const requestOf = (
  keys: Pick<KeyPair, 'publicKey'>,
  wishes: Partial<CertificateRequest> = {},
): CertificateRequest => ({
  subject: { commonName: 'api.example.com' },
  altNames: [],
  publicKey: keys.publicKey,
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + 30 * DAY_MS),
  serialNumber: newSerialNumber(),
  keyUsages: ['digitalSignature'],
  extendedKeyUsages: ['serverAuth'],
  basicConstraints: { isCa: false },
  crlUrls: [],
  ...wishes,
})

const asAuthority = (commonName: string, pathLength?: number): Partial<CertificateRequest> => ({
  subject: { country: 'SE', organization: 'Acme, Inc.', commonName },
  keyUsages: ['keyCertSign', 'cRLSign'],
  extendedKeyUsages: [],
  basicConstraints: { isCa: true, pathLength },
})

export const newRoot = async (algorithm: KeyAlgorithm, pathLength?: number): Promise<TestAuthority> => {
  const keys = await generateKeyPair(algorithm)
  const certificate = selfSign(requestOf(keys, asAuthority('Root', pathLength)), keys.privateKey)
  return { keys, key: keys.privateKey, keyAlgorithm: algorithm, certificate }
}

export const newIntermediate = async (parent: TestAuthority, pathLength?: number): Promise<TestAuthority> => {
  const keys = await generateKeyPair(parent.keyAlgorithm)
  const certificate = issueCertificate(
    requestOf(keys, asAuthority(`Intermediate ${newSerialNumber()}`, pathLength)),
    parent,
  )
  return { keys, key: keys.privateKey, keyAlgorithm: parent.keyAlgorithm, certificate }
}
