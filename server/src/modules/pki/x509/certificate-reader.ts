import { hash, type KeyObject } from 'node:crypto'
import { partsOfCertificate } from './certificate-parts.ts'
import {
  importPublicKey,
  isSignedBy,
  keyAlgorithmOf,
  type KeyAlgorithm,
  type SignatureAlgorithm,
} from './key-algorithms.ts'
import { describeName, readName, type AltName, type Subject } from './names.ts'
import type { ExtendedKeyUsage, KeyUsage } from './usages.ts'

export type ReadCertificate = {
  subject: Subject
  /** The subject as text. */
  dn: string
  altNames: AltName[]
  /** Lower-case hexadecimal without leading zeros. */
  serialNumber: string
  notBefore: Date
  notAfter: Date
  publicKey: KeyObject
  /** Undefined for a key that is weak or of a kind that is not dealt in. */
  keyAlgorithm: KeyAlgorithm | undefined
  signatureAlgorithm: SignatureAlgorithm | undefined
  /** Undefined: not restricted. */
  keyUsages: KeyUsage[] | undefined
  extendedKeyUsages: ExtendedKeyUsage[] | undefined
  isCa: boolean
  /** Undefined: not limited. */
  pathLength: number | undefined
  subjectKeyIdentifier: Buffer | undefined
  /** Names byte for byte. */
  subjectDer: Buffer
  issuerDer: Buffer
  fingerprintSha256: Buffer
  fingerprintSha1: Buffer
}

/** Throws UnreadableError for what is no certificate. */
export const readCertificate = (der: Buffer): ReadCertificate => {
  const { issuer, subject: name, publicKey: spki, extensions, signed, ...parts } = partsOfCertificate(der)
  const publicKey = importPublicKey(spki)
  const subject = readName(name)
  const { basicConstraints, altNames, keyUsages, extendedKeyUsages, subjectKeyIdentifier } = extensions
  return {
    ...parts,
    subject,
    dn: describeName(subject),
    altNames,
    publicKey,
    keyAlgorithm: keyAlgorithmOf(publicKey),
    signatureAlgorithm: signed.algorithm,
    keyUsages,
    extendedKeyUsages,
    isCa: basicConstraints?.isCa ?? false,
    pathLength: basicConstraints?.pathLength,
    subjectKeyIdentifier,
    subjectDer: name.raw,
    issuerDer: issuer.raw,
    fingerprintSha256: hash('sha256', der, 'buffer'),
    fingerprintSha1: hash('sha1', der, 'buffer'),
  }
}

/**
 * Whether each certificate is signed by the next, nearest first: signatures, names, who may sign and how deep. Neither
 * dates nor revocations are looked at, and the last one is taken on trust.
 */
export const verifyChain = (leaf: Buffer, chain: readonly Buffer[]): boolean => {
  const certificates = [leaf, ...chain].map(partsOfCertificate)
  let intermediates = 0
  for (const [index, issuer] of certificates.entries()) {
    const certificate = certificates[index - 1]
    if (!certificate) continue
    const { basicConstraints, keyUsages } = issuer.extensions
    const maySign = basicConstraints?.isCa === true && (keyUsages?.includes('keyCertSign') ?? true)
    if (!maySign || intermediates > (basicConstraints.pathLength ?? Infinity)) return false
    if (!certificate.issuer.raw.equals(issuer.subject.raw)) return false
    if (!isSignedBy(certificate.signed, importPublicKey(issuer.publicKey))) return false
    // RFC 5280 6.1.4 (l): what is issued to oneself does not count.
    if (!issuer.subject.raw.equals(issuer.issuer.raw)) intermediates++
  }
  return true
}

/** Whether a certificate vouches for itself, as that of a root does. */
export const isSelfSigned = (der: Buffer): boolean => {
  const { issuer, subject, signed, publicKey } = partsOfCertificate(der)
  return issuer.raw.equals(subject.raw) && isSignedBy(signed, importPublicKey(publicKey))
}
