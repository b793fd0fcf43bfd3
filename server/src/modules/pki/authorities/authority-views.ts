import { toPem } from '../x509/pem.ts'
import type { NewAuthorityBody } from './authorities.schemas.ts'
import type { AuthorityRow, NewAuthority } from './authorities.service.ts'
import type { AuthorityCertificate } from './authority-certificates.service.ts'

const configurationOf = (ca: AuthorityRow) => ({
  type: ca.type,
  friendlyName: ca.friendlyName,
  commonName: ca.commonName,
  organization: ca.organization,
  ou: ca.ou,
  country: ca.country,
  province: ca.province,
  locality: ca.locality,
  notBefore: ca.notBefore ?? undefined,
  notAfter: ca.notAfter ?? undefined,
  maxPathLength: ca.maxPathLength ?? -1,
  keyAlgorithm: ca.keyAlgorithm,
  dn: ca.dn,
  parentCaId: ca.parentCaId,
  serialNumber: ca.serialNumber,
  activeCaCertId: ca.activeCertificateId,
  crlDistributionPointUrls: ca.crlDistributionPointUrls,
  disableManagedCrlDistributionPointUrl: ca.disableManagedCrlDistributionPointUrl,
})

const sharedOf = ({ id, projectId, name, status }: AuthorityRow) => ({
  id,
  projectId,
  name,
  status,
  // wire: false for every authority, whatever may be issued without a template.
  enableDirectIssuance: false,
})

export const toAuthority = (ca: AuthorityRow) => ({
  ...sharedOf(ca),
  type: 'internal' as const,
  configuration: configurationOf(ca),
})

export const toAuthorityDetails = (ca: AuthorityRow) => ({
  ...toAuthority(ca),
  configuration: { ...configurationOf(ca), keySource: 'infisical', hsmConnectorId: null, hsmKeyLabel: null },
})

/** As older clients know it. */
export const toFlatAuthority = (ca: AuthorityRow) => ({
  ...sharedOf(ca),
  ...configurationOf(ca),
  createdAt: ca.createdAt,
  updatedAt: ca.updatedAt,
  requireTemplateForIssuance: ca.requireTemplateForIssuance,
})

export const toNewAuthority = ({ name, configuration }: NewAuthorityBody): NewAuthority => ({
  ...configuration,
  name,
  notBefore: configuration.notBefore ?? null,
  notAfter: configuration.notAfter ?? null,
  maxPathLength: configuration.maxPathLength ?? null,
  requireTemplateForIssuance: false,
})

export const certificatePem = (der: Buffer): string => toPem('CERTIFICATE', der).trimEnd()

export const toCertificate = ({ id, der, chain, serialNumber }: AuthorityCertificate) => ({
  certificate: certificatePem(der),
  certificateChain: chain.trimEnd(),
  serialNumber,
  certId: id,
})

export const toCertificateVersion = (certificate: AuthorityCertificate) => ({
  ...toCertificate(certificate),
  version: certificate.version,
})

export const toCertificateDetails = (certificate: AuthorityCertificate) => ({
  ...toCertificate(certificate),
  notBefore: withoutMilliseconds(certificate.notBefore),
  notAfter: withoutMilliseconds(certificate.notAfter),
  maxPathLength: certificate.maxPathLength ?? -1,
  ...(certificate.parentCaId !== null && { parentCaId: certificate.parentCaId }),
})

export const toIntermediate = (signed: { der: Buffer; chain: string; issuer: Buffer; serialNumber: string }) => ({
  certificate: certificatePem(signed.der),
  certificateChain: signed.chain.trimEnd(),
  issuingCaCertificate: certificatePem(signed.issuer),
  serialNumber: signed.serialNumber,
})

/** RFC 3339, as the clients of this one answer expect it. */
const withoutMilliseconds = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z')
