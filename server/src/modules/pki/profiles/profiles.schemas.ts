import { z } from 'zod'
import { emptyAsAbsent, Id, NullableTimestamp, Timestamp, Uuid } from '../../../platform/http/wire-types.ts'
import { page, Policy } from '../policies/policies.schemas.ts'
import { EXTENDED_KEY_USAGES_ASKED, KEY_USAGES_ASKED } from '../policies/usage-names.ts'
import { KEY_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../x509/key-algorithms.ts'
import { ALT_NAME_TYPES } from '../x509/names.ts'

const TEXT_LENGTH_MAX = 255
const TTL_DAYS_MAX = 36_500
const RENEW_BEFORE_DAYS_MAX = 30
const DOMAIN_COMPONENTS_MAX = 50
const ALT_NAMES_MAX = 100
const PATH_LENGTH_MAX = 255
const USAGES_MAX = 20

export const ENROLLMENT_TYPES = ['api', 'est', 'acme', 'scep'] as const
const ISSUER_TYPES = ['ca', 'self-signed'] as const

const Text = z.string().trim().max(TEXT_LENGTH_MAX)
const Slug = z
  .string()
  .trim()
  .min(1)
  .max(TEXT_LENGTH_MAX)
  .regex(/^[a-z0-9-]+$/, 'Only lower-case letters, digits and hyphens are allowed')

export const AltName = z.object({ type: z.enum(ALT_NAME_TYPES), value: z.string().trim().min(1).max(TEXT_LENGTH_MAX) })
export const KeyUsages = z.array(z.enum(KEY_USAGES_ASKED)).max(USAGES_MAX)
export const ExtendedKeyUsages = z.array(z.enum(EXTENDED_KEY_USAGES_ASKED)).max(USAGES_MAX)
export const BasicConstraints = z.object({
  isCA: z.boolean(),
  pathLength: z.number().int().min(0).max(PATH_LENGTH_MAX).optional(),
})

const Defaults = z.object({
  ttlDays: z.number().int().min(1).max(TTL_DAYS_MAX).optional(),
  commonName: Text.optional(),
  keyAlgorithm: z.enum(KEY_ALGORITHMS).optional(),
  signatureAlgorithm: z.enum(SIGNATURE_ALGORITHMS).optional(),
  keyUsages: KeyUsages.optional(),
  extendedKeyUsages: ExtendedKeyUsages.optional(),
  basicConstraints: BasicConstraints.optional(),
  organization: Text.optional(),
  organizationalUnit: Text.optional(),
  country: Text.optional(),
  state: Text.optional(),
  locality: Text.optional(),
  subjectAltNames: z.array(AltName).max(ALT_NAMES_MAX).optional(),
  domainComponents: z.array(z.string().trim().min(1).max(TEXT_LENGTH_MAX)).max(DOMAIN_COMPONENTS_MAX).optional(),
})

const ApiConfig = z.object({
  autoRenew: z.boolean().default(false),
  renewBeforeDays: z.number().int().min(1).max(RENEW_BEFORE_DAYS_MAX).optional(),
})

/** Other ways of enrolment are refused by the service, so their settings need no shape. */
const Unused = z.unknown()

export type NewProfile = z.infer<typeof NewProfile>
export const NewProfile = z.object({
  projectId: Id.optional(),
  slug: Slug,
  description: Text.nullish(),
  certificatePolicyId: Uuid,
  issuerType: z.enum(ISSUER_TYPES).default('ca'),
  caId: Uuid.nullish().describe('Needed for issuer type `ca`, and for no other'),
  enrollmentType: z.enum(ENROLLMENT_TYPES).default('api').describe('`api` is the only one that is built'),
  apiConfig: ApiConfig.nullish().describe('Without it the profile issues nothing on its own'),
  estConfig: Unused.optional(),
  acmeConfig: Unused.optional(),
  scepConfig: Unused.optional(),
  externalConfigs: Unused.optional(),
  defaults: Defaults.nullish(),
})

export type ProfileChanges = z.infer<typeof ProfileChanges>
export const ProfileChanges = z.object({
  slug: Slug.optional(),
  description: Text.nullish(),
  certificatePolicyId: Uuid.optional(),
  issuerType: z.enum(ISSUER_TYPES).optional(),
  caId: Uuid.nullish(),
  enrollmentType: z.enum(ENROLLMENT_TYPES).optional(),
  apiConfig: ApiConfig.nullish(),
  defaults: Defaults.nullish(),
})

export const InProject = z.object({ projectId: emptyAsAbsent(Id) })
export const ById = z.object({ id: Uuid })
export const BySlug = z.object({ slug: z.string().trim().min(1).max(TEXT_LENGTH_MAX) })
export const ProfileQuery = InProject.extend({
  ...page,
  enrollmentType: emptyAsAbsent(z.enum(ENROLLMENT_TYPES)),
  issuerType: emptyAsAbsent(z.enum(ISSUER_TYPES)),
  caId: emptyAsAbsent(Uuid),
  includeConfigs: emptyAsAbsent(z.string().max(10)),
})

const Profile = z.object({
  id: z.uuid(),
  projectId: z.string(),
  caId: z.uuid().nullable(),
  certificatePolicyId: z.uuid(),
  slug: z.string(),
  description: z.string().nullable(),
  enrollmentType: z.enum(ENROLLMENT_TYPES),
  issuerType: z.enum(ISSUER_TYPES),
  estConfigId: z.null(),
  apiConfigId: z.uuid().nullable(),
  acmeConfigId: z.null(),
  scepConfigId: z.null(),
  externalConfigs: z.null(),
  defaults: Defaults.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const ApiConfigAnswer = z.object({ id: z.uuid(), autoRenew: z.boolean(), renewBeforeDays: z.number().nullable() })
const ProfileWithConfigs = Profile.extend({
  certificateAuthority: z
    .object({ id: z.uuid(), projectId: z.string(), status: z.string(), name: z.string(), isExternal: z.literal(false) })
    .nullable(),
  certificatePolicy: Policy,
  apiConfig: ApiConfigAnswer.nullable(),
})
const ListedProfile = Profile.extend({
  certificateAuthority: ProfileWithConfigs.shape.certificateAuthority,
  apiConfig: ApiConfigAnswer.nullable(),
})

export const ProfileAnswer = z.object({ certificateProfile: Profile })
export const DetailedProfileAnswer = z.object({ certificateProfile: ProfileWithConfigs })
export const ProfileList = z.object({ certificateProfiles: z.array(ListedProfile), totalCount: z.number() })

export const IssuedQuery = z.object({
  ...page,
  status: emptyAsAbsent(z.enum(['active', 'expired', 'revoked'])),
})
export const IssuedList = z.object({
  certificates: z.array(
    z.object({
      id: z.uuid(),
      serialNumber: z.string(),
      cn: z.string(),
      status: z.string(),
      notBefore: Timestamp,
      notAfter: Timestamp,
      revokedAt: NullableTimestamp,
      createdAt: Timestamp,
    }),
  ),
})
export const LatestBundle = z.object({
  certificate: z.string().nullable(),
  certificateChain: z.string().nullable(),
  privateKey: z.string().nullable(),
  serialNumber: z.string().nullable(),
})
