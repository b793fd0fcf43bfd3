import type { CertificateRow } from './certificates.store.ts'

export const STATUSES = ['active', 'expired', 'revoked'] as const
export type CertificateStatus = (typeof STATUSES)[number]

/** Nobody writes down that time has passed. */
export const statusOf = (
  { status, notAfter }: Pick<CertificateRow, 'status' | 'notAfter'>,
  now: number,
): CertificateStatus => (status === 'active' && notAfter.getTime() <= now ? 'expired' : status)

type Ruled = Pick<
  CertificateRow,
  'commonName' | 'altNames' | 'serialNumber' | 'friendlyName' | 'status' | 'notAfter' | 'metadata'
>

/** The words that rules use for a certificate. */
export const fieldsOf = (certificate: Ruled, now: number) => ({
  commonName: certificate.commonName,
  altNames: certificate.altNames,
  serialNumber: certificate.serialNumber,
  friendlyName: certificate.friendlyName,
  status: statusOf(certificate, now),
  metadata: certificate.metadata,
})
