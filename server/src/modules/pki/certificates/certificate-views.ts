import type { Names } from './certificate-bodies.store.ts'
import { type CertificateStatus, statusOf } from './certificate-status.ts'
import type { CertificateRow } from './certificates.store.ts'

/** A certificate as it is shown at some moment. */
export type ShownCertificate = Omit<CertificateRow, 'status'> & { status: CertificateStatus }

export const shownAt = (certificate: CertificateRow, now: number): ShownCertificate => ({
  ...certificate,
  status: statusOf(certificate, now),
})

export const toCertificate = ({ subject, altNames, isCa, ...certificate }: ShownCertificate) => ({
  ...certificate,
  altNames: altNames.join(','),
  isCA: isCa,
  subjectOrganization: subject.organization ?? null,
  subjectOrganizationalUnit: subject.organizationalUnit ?? null,
  subjectCountry: subject.country ?? null,
  subjectState: subject.state ?? null,
  subjectLocality: subject.locality ?? null,
  subjectDomainComponents: subject.domainComponents?.join(',') ?? null,
  fingerprintSha256: withColons(certificate.fingerprintSha256),
  fingerprintSha1: withColons(certificate.fingerprintSha1),
  keySource: 'infisical',
  applicationId: null,
  ...ABSENT,
})

/** What other products of this interface have, and this one has not. */
const ABSENT = {
  pkiSubscriberId: null,
  discoveryMetadata: null,
  externalMetadata: null,
  hsmConnectorId: null,
  hsmKeyLabel: null,
  hsmPublicKeySpki: null,
} as const

export const toDetailedCertificate = (certificate: ShownCertificate, { caName, profileName }: Names) => {
  const { commonName, subject, isCa, pathLength } = certificate
  const record = toCertificate(certificate)
  return {
    ...record,
    subject: { ...(commonName !== '' && { commonName }), ...subject },
    fingerprints: { sha256: record.fingerprintSha256, sha1: record.fingerprintSha1 },
    basicConstraints: { isCA: isCa, ...(pathLength !== null && { pathLength }) },
    ...(caName !== null && { caName, caType: 'internal' as const }),
    profileName,
    applicationName: null,
  }
}

export const toListedCertificate = (certificate: ShownCertificate & Names) => ({
  ...toCertificate(certificate),
  caName: certificate.caName,
  profileName: certificate.profileName,
  enrollmentType: certificate.profileId === null ? null : 'api',
  applicationName: null,
})

const withColons = (bytes: Buffer): string => (bytes.toString('hex').toUpperCase().match(/../g) ?? []).join(':')
