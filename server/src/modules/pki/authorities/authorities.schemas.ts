import { z } from 'zod'
import { Timestamp } from '../../../platform/http/wire-types.ts'
import { slugOf } from '../../projects/projects.schemas.ts'
import { KEY_ALGORITHMS } from '../x509/key-algorithms.ts'

const TEXT_LENGTH_MAX = 255
const DATE_LENGTH_MAX = 100
const URL_LENGTH_MAX = 2_048
const URLS_MAX = 4
const PATH_LENGTH_MAX = 255
const PAGE_MAX = 100
/** What a certificate can say of time. */
const [YEAR_MIN, YEAR_MAX] = [1950, 9999]

/** Known to clients, and refused with a sentence that says so. */
const UNBUILT_ALGORITHMS = [
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
  ...['SHA2', 'SHAKE'].flatMap((hash) =>
    ['128', '192', '256'].flatMap((bits) => ['f', 's'].map((speed) => `SLH-DSA-${hash}-${bits}${speed}`)),
  ),
]

export const KeyAlgorithm = z.enum([...KEY_ALGORITHMS, ...UNBUILT_ALGORITHMS])
export const AuthorityName = slugOf({ min: 1, max: 64 })
export const AuthorityStatus = z.enum(['active', 'disabled', 'pending-certificate'])
const AuthorityType = z.enum(['root', 'intermediate'])
export const Text = z.string().trim().max(TEXT_LENGTH_MAX)

/** Whatever JavaScript takes for a date, in whole seconds, which is all that certificates know. */
export const DateText = z
  .string()
  .max(DATE_LENGTH_MAX)
  .transform((text) => new Date(Math.floor(Date.parse(text) / 1_000) * 1_000))
  .refine((date) => date.getUTCFullYear() >= YEAR_MIN && date.getUTCFullYear() <= YEAR_MAX, 'Invalid date')

/** -1 and null: any number of authorities may stand below. */
export const PathLength = z
  .number()
  .int()
  .min(-1)
  .max(PATH_LENGTH_MAX)
  .nullable()
  .transform((length) => (length === -1 ? null : length))

const CrlUrl = z
  .string()
  .trim()
  .max(URL_LENGTH_MAX)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'Must be an http or https URL')

const CrlUrls = z
  .array(CrlUrl)
  .max(URLS_MAX)
  .refine(
    (urls) => new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).href : url))).size === urls.length,
    'The URLs must differ',
  )

/** The parts of a distinguished name. */
const NAME_PARTS = ['commonName', 'organization', 'ou', 'country', 'province', 'locality'] as const
export const isNamed = (parts: Partial<Record<(typeof NAME_PARTS)[number], string>>): boolean =>
  NAME_PARTS.some((part) => (parts[part] ?? '') !== '')
export const UNNAMED = 'At least one part of the distinguished name must be given'

const Configuration = z
  .object({
    type: AuthorityType,
    keyAlgorithm: KeyAlgorithm,
    friendlyName: Text.default(''),
    commonName: Text.default(''),
    organization: Text.default(''),
    ou: Text.default(''),
    country: Text.default(''),
    province: Text.default(''),
    locality: Text.default(''),
    notBefore: DateText.optional(),
    notAfter: DateText.optional(),
    maxPathLength: PathLength.optional(),
    crlDistributionPointUrls: CrlUrls.default([]),
    disableManagedCrlDistributionPointUrl: z.boolean().default(false),
    keySource: z.enum(['infisical', 'hsm']).default('infisical').describe('Keys are kept here, sealed'),
  })
  .refine(isNamed, UNNAMED)

export type NewAuthorityBody = z.output<typeof NewAuthorityBody>
export const NewAuthorityBody = z.object({
  name: AuthorityName,
  status: AuthorityStatus.describe('What it will be is decided by whether it has a certificate'),
  projectId: z.string().max(100).optional().describe('Default: the project for certificates of the organization'),
  configuration: Configuration,
})

export type AuthorityChangesBody = z.output<typeof AuthorityChangesBody>
export const AuthorityChangesBody = z.object({
  name: AuthorityName.optional(),
  status: AuthorityStatus.optional(),
  configuration: z
    .object({
      crlDistributionPointUrls: CrlUrls.optional(),
      disableManagedCrlDistributionPointUrl: z.boolean().optional(),
    })
    .optional(),
})

export const ById = z.object({ id: z.string().max(100) })
export const ByCaId = z.object({ caId: z.string().max(100) })
export const InProject = z.object({ projectId: z.string().max(100).optional() })

export const AuthoritySearch = z.object({
  status: z.enum(['active', 'pending-certificate']).optional(),
  friendlyName: z.string().max(TEXT_LENGTH_MAX).optional(),
  commonName: z.string().max(TEXT_LENGTH_MAX).optional(),
  offset: z.coerce.number().int().min(0).max(PAGE_MAX).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(25),
})

const AuthorityConfiguration = z.object({
  type: AuthorityType,
  friendlyName: z.string(),
  commonName: z.string(),
  organization: z.string(),
  ou: z.string(),
  country: z.string(),
  province: z.string(),
  locality: z.string(),
  notBefore: Timestamp.optional(),
  notAfter: Timestamp.optional(),
  maxPathLength: z.number().describe('-1: no limit'),
  keyAlgorithm: z.string(),
  dn: z.string(),
  parentCaId: z.string().nullable(),
  serialNumber: z.string().nullable(),
  activeCaCertId: z.string().nullable(),
  crlDistributionPointUrls: z.array(z.string()),
  disableManagedCrlDistributionPointUrl: z.boolean(),
})

const common = {
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  status: AuthorityStatus,
  enableDirectIssuance: z.boolean(),
}

export const Authority = z.object({
  ...common,
  type: z.literal('internal'),
  configuration: AuthorityConfiguration,
})
export const AuthorityDetails = Authority.extend({
  configuration: AuthorityConfiguration.extend({
    keySource: z.string(),
    hsmConnectorId: z.string().nullable(),
    hsmKeyLabel: z.string().nullable(),
  }),
})
export const AuthorityArray = z.array(Authority)
export const AuthorityList = z.object({ certificateAuthorities: AuthorityArray })

export const FlatAuthority = AuthorityConfiguration.extend({
  ...common,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  requireTemplateForIssuance: z.boolean(),
})

export const AutoRenewalChanges = z.object({
  autoRenewalEnabled: z.boolean().optional(),
  autoRenewalDaysBeforeExpiry: z.number().int().min(1).max(365).optional(),
})
export const AutoRenewal = z.object({
  autoRenewalEnabled: z.boolean(),
  autoRenewalDaysBeforeExpiry: z.number().nullable(),
  lastRenewalStatus: z.string().nullable(),
  lastRenewalMessage: z.string().nullable(),
  lastRenewalAt: Timestamp.nullable(),
})

export const RevocationLists = z.array(z.object({ id: z.string(), crl: z.string().describe('PEM') }))
