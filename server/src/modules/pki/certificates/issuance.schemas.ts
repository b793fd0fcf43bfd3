import { z } from 'zod'
import { parseDurationMs } from '../../../lib/duration.ts'
import { Timestamp, Uuid } from '../../../platform/http/wire-types.ts'
import { DateText, KeyAlgorithm } from '../authorities/authorities.schemas.ts'
import { AltName, BasicConstraints, ExtendedKeyUsages, KeyUsages } from '../profiles/profiles.schemas.ts'
import { SIGNATURE_ALGORITHMS } from '../x509/key-algorithms.ts'
import { Metadata, Subject } from './certificates.schemas.ts'

const TEXT_LENGTH_MAX = 255
const TTL_LENGTH_MAX = 32
const CSR_LENGTH_MAX = 32 * 1_024
const ALT_NAMES_MAX = 100
const ALT_NAMES_LENGTH_MAX = 4_096
const DOMAIN_COMPONENTS_MAX = 50

const NamePart = z.string().trim().max(TEXT_LENGTH_MAX).nullish().describe('Null takes the default of the profile away')
const AltNames = z
  .array(AltName)
  .max(ALT_NAMES_MAX)
  .refine((names) => names.map(({ value }) => value).join().length <= ALT_NAMES_LENGTH_MAX, 'The names are too long')
export const Ttl = z
  .string()
  .trim()
  .max(TTL_LENGTH_MAX)
  .refine(
    (text) => parseDurationMs(text) !== undefined,
    'Must be a duration such as 90d, 12h or 30m, at most 100 years',
  )
export const Csr = z.string().trim().min(1).max(CSR_LENGTH_MAX)

const attributes = {
  commonName: NamePart,
  organization: NamePart,
  organizationalUnit: NamePart,
  country: NamePart,
  state: NamePart,
  locality: NamePart,
  domainComponents: z
    .array(z.string().trim().min(1).max(TEXT_LENGTH_MAX))
    .max(DOMAIN_COMPONENTS_MAX)
    .refine((parts) => parts.join().length <= TEXT_LENGTH_MAX, 'The domain components are too long')
    .nullish(),
  keyUsages: KeyUsages.optional(),
  extendedKeyUsages: ExtendedKeyUsages.optional(),
  altNames: AltNames.optional(),
  signatureAlgorithm: z.enum(SIGNATURE_ALGORITHMS).optional(),
  keyAlgorithm: KeyAlgorithm.optional(),
  basicConstraints: BasicConstraints.optional(),
  notBefore: DateText.optional(),
  notAfter: DateText.optional(),
}

const Attributes = z
  .object({ ...attributes, ttl: Ttl.optional() })
  .refine(
    ({ ttl, notBefore, notAfter }) => ttl === undefined || (notBefore === undefined && notAfter === undefined),
    'Say either a ttl or dates',
  )
  .refine(
    ({ notBefore, notAfter }) => !notBefore || !notAfter || notBefore < notAfter,
    'notBefore must be earlier than notAfter',
  )

/** wire: some clients send it as text. */
const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).default(false)

export const Order = z.object({
  profileId: Uuid,
  applicationId: Uuid.optional(),
  csr: Csr.optional().describe('Then the key, the names and the usages are those that it asks for'),
  attributes: Attributes.optional(),
  removeRootsFromChain: Flag,
  metadata: Metadata.optional(),
})

/** wire: the older forms carry the attributes beside the rest. */
const Flat = z.object({
  ...attributes,
  profileId: Uuid,
  ttl: Ttl,
  subjectAlternativeNames: AltNames.optional(),
  removeRootsFromChain: Flag,
  metadata: Metadata.optional(),
})
export const FlatOrder = Flat.extend({
  signatureAlgorithm: z.enum(SIGNATURE_ALGORITHMS),
  keyAlgorithm: KeyAlgorithm,
})
export const FlatSigningOrder = Flat.extend({ csr: Csr })

export const Renewal = z
  .object({
    removeRootsFromChain: Flag,
    renewalKeySource: z.enum(['new', 'reuse', 'csr']).default('new'),
    csr: Csr.optional(),
    attributes: Attributes.optional(),
  })
  .refine(
    ({ renewalKeySource, csr }) => (renewalKeySource === 'csr') === (csr !== undefined),
    'A csr is needed for the key source csr, and for no other',
  )
export const OptionalRenewal = z.preprocess((value) => value ?? {}, Renewal)

const issued = {
  certificate: z.string(),
  issuingCaCertificate: z.string(),
  certificateChain: z.string(),
  privateKey: z.string().optional(),
  serialNumber: z.string(),
  certificateId: z.uuid(),
}
export const OrderAnswer = z.object({
  certificate: z.object(issued).nullable(),
  certificateRequestId: z.uuid(),
  status: z.string().optional(),
  message: z.string().optional(),
})
export const FlatAnswer = z.object({ ...issued, certificateRequestId: z.uuid() })

export const ByRequestId = z.object({ requestId: Uuid })
export const CertificateRequest = z.object({
  status: z.string(),
  certificate: z.string().nullable(),
  certificateId: z.uuid().nullable(),
  privateKey: z.string().nullable(),
  serialNumber: z.string().nullable(),
  errorMessage: z.string().nullable(),
  ...Subject.shape,
  basicConstraints: z.object({ isCA: z.boolean(), pathLength: z.number().optional() }).optional(),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
