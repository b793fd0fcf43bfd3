import { notFound } from '../../../lib/app-error.ts'
import { isForeignKeyViolation } from '../../../platform/db/failures.ts'
import { hash, type KeyObject } from 'node:crypto'
import type { CertificateRequest } from '../x509/certificate.ts'
import { isSelfSigned } from '../x509/certificate-reader.ts'
import type { KeyAlgorithm, SignatureAlgorithm } from '../x509/key-algorithms.ts'
import { readPems, toPem } from '../x509/pem.ts'

type Issued = {
  der: Buffer
  request: CertificateRequest
  keyAlgorithm: KeyAlgorithm
  signatureAlgorithm: SignatureAlgorithm
  friendlyName?: string | undefined
}

/** What is kept of a certificate that has just been made. */
export const issuedColumns = ({ der, request, keyAlgorithm, signatureAlgorithm, friendlyName }: Issued) => {
  const { commonName = '', ...subject } = request.subject
  const altNames = request.altNames.map(({ value }) => value)
  return {
    serialNumber: request.serialNumber,
    friendlyName: friendlyName ?? (commonName === '' ? (altNames[0] ?? '') : commonName),
    commonName,
    altNames,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    keyUsages: [...request.keyUsages],
    extendedKeyUsages: [...request.extendedKeyUsages],
    keyAlgorithm,
    signatureAlgorithm,
    subject,
    fingerprintSha256: hash('sha256', der, 'buffer'),
    fingerprintSha1: hash('sha1', der, 'buffer'),
    isCa: request.basicConstraints.isCa,
    pathLength: request.basicConstraints.pathLength ?? null,
    source: 'issued' as const,
    der,
  }
}

/** PKCS#8. */
export const privateKeyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Those who are asked to trust a root have it already. */
export const withoutRoots = (chainPem: string): string =>
  readPems('CERTIFICATE', chainPem)
    .filter((der) => !isSelfSigned(der))
    .map((der) => toPem('CERTIFICATE', der))
    .join('')

/** What a certificate is issued from can be deleted while its key is made. */
export const tellDeleted = (error: unknown): never => {
  throw isForeignKeyViolation(error)
    ? notFound('What the certificate was to be issued from has just been deleted')
    : error
}
