import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto'
import { issuerOf } from './certificate-parts.ts'
import { bitString, context, hexInteger, integer, NULL, sequence, time } from './der.ts'
import * as extensions from './extensions.ts'
import {
  defaultSignatureAlgorithm,
  encodeSignatureAlgorithm,
  exportPublicKey,
  fitsKey,
  keyAlgorithmOf,
  signWith,
  type KeyAlgorithm,
  type SignatureAlgorithm,
} from './key-algorithms.ts'
import { encodeName, type AltName, type Subject } from './names.ts'
import { UnreadableError } from './unreadable-error.ts'
import type { ExtendedKeyUsage, KeyUsage } from './usages.ts'

/** Who signs: `certificate` is the DER of its own certificate, from which its name is taken byte for byte. */
export type Issuer = { key: KeyObject; keyAlgorithm: KeyAlgorithm; certificate: Buffer }

export type CertificateRequest = {
  subject: Subject
  altNames: readonly AltName[]
  publicKey: KeyObject
  notBefore: Date
  notAfter: Date
  /** Hexadecimal. */
  serialNumber: string
  keyUsages: readonly KeyUsage[]
  extendedKeyUsages: readonly ExtendedKeyUsage[]
  basicConstraints: extensions.BasicConstraints
  crlUrls: readonly string[]
  /** Where the certificate of the issuer is found. */
  issuerUrl?: string | undefined
  ocspUrl?: string | undefined
  /** For who answers about revocations: nobody need ask about this one. */
  hasNoRevocationCheck?: boolean | undefined
  /** Default: what the issuer's key usually makes. */
  signatureAlgorithm?: SignatureAlgorithm | undefined
}

const VERSION_3 = context(0, integer(2))
const EMPTY_NAME = sequence()
const SERIAL_NUMBER_BYTES = 16
const FIRST_BYTES = { from: 0x10, count: 0x70 }

/** Random, positive and without a leading zero digit, so that every tool writes it the same way. */
export const newSerialNumber = (): string => {
  const bytes = randomBytes(SERIAL_NUMBER_BYTES)
  bytes[0] = FIRST_BYTES.from + ((bytes[0] ?? 0) % FIRST_BYTES.count)
  return bytes.toString('hex')
}

/** The DER of a certificate under `issuer`. */
export const issueCertificate = (request: CertificateRequest, { key, keyAlgorithm, certificate }: Issuer): Buffer => {
  const { name, keyIdentifier } = issuerOf(certificate)
  const algorithm = request.signatureAlgorithm ?? defaultSignatureAlgorithm(keyAlgorithm)
  if (!fitsKey(algorithm, keyAlgorithm)) throw misfit(algorithm, keyAlgorithm)
  return encodeSigned(encodeBody(request, { algorithm, name, keyIdentifier }), algorithm, key)
}

/** The DER of a certificate that vouches for itself; `key` is the private half of its public key. */
export const selfSign = (request: CertificateRequest, key: KeyObject): Buffer => {
  const keyAlgorithm = keyAlgorithmOf(createPublicKey(key))
  if (!keyAlgorithm) throw new UnreadableError('The key is of a kind that cannot sign certificates')
  const algorithm = request.signatureAlgorithm ?? defaultSignatureAlgorithm(keyAlgorithm)
  if (!fitsKey(algorithm, keyAlgorithm)) throw misfit(algorithm, keyAlgorithm)
  return encodeSigned(encodeBody(request, { algorithm, name: encodeName(request.subject) }), algorithm, key)
}

/** SEQUENCE { body, algorithm, signature of the body }: certificates, requests and revocation lists alike. */
export const encodeSigned = (body: Buffer, algorithm: SignatureAlgorithm, key: KeyObject): Buffer =>
  sequence(body, encodeSignatureAlgorithm(algorithm), bitString(signWith(algorithm, key, body)))

type Signing = { algorithm: SignatureAlgorithm; name: Buffer; keyIdentifier?: Buffer }

const encodeBody = (request: CertificateRequest, { algorithm, name, keyIdentifier }: Signing): Buffer => {
  const subject = encodeName(request.subject)
  const publicKey = exportPublicKey(request.publicKey)
  return sequence(
    VERSION_3,
    hexInteger(request.serialNumber),
    encodeSignatureAlgorithm(algorithm),
    name,
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    publicKey,
    context(3, sequence(...encodeExtensions(request, { subject, publicKey, keyIdentifier }))),
  )
}

type Encoded = { subject: Buffer; publicKey: Buffer; keyIdentifier: Buffer | undefined }

const encodeExtensions = (request: CertificateRequest, { subject, publicKey, keyIdentifier }: Encoded): Buffer[] => {
  const { altNames, keyUsages, extendedKeyUsages, crlUrls, issuerUrl, ocspUrl, hasNoRevocationCheck } = request
  const hasInformation = issuerUrl !== undefined || ocspUrl !== undefined
  const unless = (isAbsent: boolean, make: () => Buffer) => (isAbsent ? [] : [make()])
  return [
    extensions.basicConstraints(request.basicConstraints),
    ...unless(crlUrls.length === 0, () =>
      extensions.distributionPoints(extensions.EXTENSION.crlDistributionPoints, crlUrls),
    ),
    ...(keyIdentifier ? [extensions.authorityKeyIdentifier(keyIdentifier)] : []),
    extensions.subjectKeyIdentifier(extensions.keyIdentifierOf(publicKey)),
    ...unless(!hasInformation, () => extensions.authorityInformation({ ocspUrl, issuerUrl })),
    ...unless(keyUsages.length === 0, () => extensions.keyUsage(keyUsages)),
    ...unless(extendedKeyUsages.length === 0, () => extensions.extendedKeyUsage(extendedKeyUsages)),
    ...unless(altNames.length === 0, () =>
      extensions.subjectAltName(altNames, { isCritical: subject.equals(EMPTY_NAME) }),
    ),
    ...unless(!hasNoRevocationCheck, () => extensions.extension(extensions.EXTENSION.ocspNoCheck, NULL)),
  ]
}

const misfit = (algorithm: SignatureAlgorithm, keyAlgorithm: KeyAlgorithm) =>
  new UnreadableError(`A key of kind ${keyAlgorithm} makes no signatures of kind ${algorithm}`)
