import { z } from 'zod'
import { NullableTimestamp, Timestamp, Uuid } from '../../../platform/http/wire-types.ts'
import { STATUSES } from './certificate-status.ts'
import { REVOCATION_REASONS } from './revocation-reasons.ts'

const ID_LENGTH_MAX = 1_000
const METADATA_MAX = 100
const METADATA_KEY_LENGTH_MAX = 255
const METADATA_VALUE_LENGTH_MAX = 1_020
const PEM_LENGTH_MAX = 64 * 1_024
const CHAIN_LENGTH_MAX = 256 * 1_024
const NAME_LENGTH_MAX = 255
const RENEW_BEFORE_DAYS_MAX = 30

export const ById = z.object({ id: Uuid })
export const ByAnyId = z.object({
  id: z.string().trim().max(ID_LENGTH_MAX).describe('Id, SHA-1 or SHA-256 thumbprint, or serial number'),
})
export const BySerialNumber = z.object({ serialNumber: z.string().trim().max(ID_LENGTH_MAX) })

export const Revocation = z.object({
  revocationReason: z.enum(REVOCATION_REASONS).default('UNSPECIFIED'),
})
export const RevocationAnswer = z.object({ message: z.string(), serialNumber: z.string(), revokedAt: Timestamp })

export const Metadata = z
  .array(
    z.object({
      key: z.string().trim().min(1).max(METADATA_KEY_LENGTH_MAX),
      value: z.string().trim().max(METADATA_VALUE_LENGTH_MAX).default(''),
    }),
  )
  .max(METADATA_MAX)
export const MetadataChanges = z.object({ metadata: Metadata.optional() })
const MetadataList = z.array(z.object({ key: z.string(), value: z.string() }))
export const MetadataAnswer = z.object({ metadata: MetadataList })

export const Certificate = z.object({
  id: z.uuid(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  caId: z.uuid().nullable(),
  status: z.enum(STATUSES),
  serialNumber: z.string(),
  friendlyName: z.string(),
  commonName: z.string(),
  notBefore: Timestamp,
  notAfter: Timestamp,
  revokedAt: NullableTimestamp,
  revocationReason: z.number().int().nullable().describe('As in RFC 5280 5.3.1'),
  altNames: z.string().nullable().describe('Separated by commas'),
  caCertId: z.uuid().nullable(),
  certificateTemplateId: z.uuid().nullable(),
  keyUsages: z.array(z.string()).nullable(),
  extendedKeyUsages: z.array(z.string()).nullable(),
  projectId: z.string(),
  pkiSubscriberId: z.null(),
  profileId: z.uuid().nullable(),
  renewBeforeDays: z.number().int().nullable(),
  renewedFromCertificateId: z.uuid().nullable(),
  renewedByCertificateId: z.uuid().nullable(),
  renewalError: z.string().nullable(),
  keyAlgorithm: z.string().nullable(),
  signatureAlgorithm: z.string().nullable(),
  subjectOrganization: z.string().nullable(),
  subjectOrganizationalUnit: z.string().nullable(),
  subjectCountry: z.string().nullable(),
  subjectState: z.string().nullable(),
  subjectLocality: z.string().nullable(),
  fingerprintSha256: z.string().nullable(),
  fingerprintSha1: z.string().nullable(),
  isCA: z.boolean().nullable(),
  pathLength: z.number().int().nullable(),
  source: z.string().nullable(),
  discoveryMetadata: z.null(),
  externalMetadata: z.null(),
  applicationId: z.uuid().nullable(),
  keySource: z.string(),
  hsmConnectorId: z.null(),
  hsmKeyLabel: z.null(),
  hsmPublicKeySpki: z.null(),
  subjectDomainComponents: z.string().nullable(),
})

export const Subject = z.object({
  commonName: z.string().optional(),
  organization: z.string().optional(),
  organizationalUnit: z.string().optional(),
  country: z.string().optional(),
  state: z.string().optional(),
  locality: z.string().optional(),
  domainComponents: z.array(z.string()).optional(),
})

const DetailedCertificate = Certificate.extend({
  subject: Subject,
  fingerprints: z.object({ sha256: z.string(), sha1: z.string() }),
  basicConstraints: z.object({ isCA: z.boolean(), pathLength: z.number().int().optional() }),
  caName: z.string().optional(),
  caType: z.enum(['internal', 'external']).optional(),
  profileName: z.string().nullable(),
  applicationName: z.string().nullable(),
  hasPrivateKey: z.boolean(),
  metadata: MetadataList,
})

const ListedCertificate = Certificate.extend({
  hasPrivateKey: z.boolean(),
  caName: z.string().nullable(),
  profileName: z.string().nullable(),
  enrollmentType: z.string().nullable(),
  applicationName: z.string().nullable(),
})

export const CertificateAnswer = z.object({ certificate: Certificate })
export const DetailedCertificateAnswer = z.object({ certificate: DetailedCertificate })
export const CertificateList = z.object({ certificates: z.array(ListedCertificate), totalCount: z.number() })

export const CertificateBody = z.object({
  certificate: z.string(),
  certificateChain: z.string().nullable(),
  serialNumber: z.string(),
})
export const CertificateBundle = z.object({
  certificate: z.string(),
  certificateChain: z.string().nullable(),
  privateKey: z.string().nullable(),
  serialNumber: z.string(),
})

export const Import = z.object({
  projectId: z.string().trim().max(100).optional(),
  certificatePem: z
    .string()
    .trim()
    .min(1)
    .max(CHAIN_LENGTH_MAX)
    .describe('The certificate, also at the head of its chain'),
  privateKeyPem: z.string().trim().min(1).max(PEM_LENGTH_MAX).optional(),
  chainPem: z.string().trim().min(1).max(CHAIN_LENGTH_MAX).optional().describe('Those above it, nearest first'),
  friendlyName: z.string().trim().max(NAME_LENGTH_MAX).optional(),
})
export const ImportIntoProject = Import.omit({ projectId: true }).extend({
  projectSlug: z.string().trim().min(1).max(64),
})
export const Imported = z.object({
  certificate: z.string(),
  certificateChain: z.string().optional(),
  privateKey: z.string().optional(),
  serialNumber: z.string(),
  certificateId: z.uuid(),
})

export const RenewalConfig = z
  .object({
    renewBeforeDays: z.number().int().min(1).max(RENEW_BEFORE_DAYS_MAX).optional(),
    enableAutoRenewal: z.boolean().optional(),
  })
  .refine(
    ({ renewBeforeDays, enableAutoRenewal }) => renewBeforeDays === undefined || enableAutoRenewal !== false,
    'Days before which to renew make no sense where nothing is renewed',
  )
export const RenewalConfigAnswer = z.object({ message: z.string(), renewBeforeDays: z.number().optional() })
