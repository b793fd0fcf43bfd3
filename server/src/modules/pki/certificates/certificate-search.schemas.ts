import { z } from 'zod'
import { emptyAsAbsent, Uuid } from '../../../platform/http/wire-types.ts'
import { EXTENDED_KEY_USAGES } from '../x509/usages.ts'
import { EXTENDED_KEY_USAGE_NAMES, EXTENDED_KEY_USAGES_ASKED } from '../policies/usage-names.ts'
import { ENROLLMENT_TYPES } from '../profiles/profiles.schemas.ts'
import { SORT_KEYS } from './certificate-search.ts'

const TEXT_LENGTH_MAX = 255
const IDS_MAX = 100
const METADATA_MAX = 20
const PAGE_MAX = 100
const PAGE_DEFAULT = 25

const Text = z.string().trim().max(TEXT_LENGTH_MAX)
const Ids = z.array(Uuid).max(IDS_MAX)
const oneOrMore = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.array(schema).max(IDS_MAX)]).transform((value) => [value].flat() as z.output<Schema>[])

/** Anything that JavaScript reads as a date. */
const LooseDate = z
  .string()
  .max(100)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'Not a date')
  .transform((text) => new Date(text))

/** wire: one or several, separated by commas. */
const Statuses = z
  .string()
  .max(TEXT_LENGTH_MAX)
  .transform((text) =>
    text
      .split(',')
      .map((status) => status.trim())
      .filter((status) => status !== ''),
  )
  .refine((statuses) => statuses.every((status) => ['active', 'expired', 'revoked'].includes(status)), 'No such status')

const page = {
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
}

export const InProject = z.object({ projectId: z.string().describe('Id of the project') })
export const InWorkspace = z.object({ slug: z.string().describe('Slug of the project') })

export type CertificateSearch = z.infer<typeof CertificateSearch>
export const CertificateSearch = z.object({
  ...page,
  friendlyName: Text.optional(),
  commonName: Text.optional(),
  search: Text.optional().describe('Part of a name or serial number, or an id'),
  status: Statuses.optional().describe('active, expired, revoked; several separated by commas'),
  profileIds: Ids.optional(),
  caIds: Ids.optional(),
  fromDate: LooseDate.optional().describe('Created since'),
  toDate: LooseDate.optional(),
  metadata: z
    .array(z.object({ key: z.string().trim().min(1).max(TEXT_LENGTH_MAX), value: z.string().max(1_020).optional() }))
    .max(METADATA_MAX)
    .optional(),
  extendedKeyUsage: z
    .enum([...EXTENDED_KEY_USAGES, ...EXTENDED_KEY_USAGES_ASKED])
    .transform((name) => (name in EXTENDED_KEY_USAGE_NAMES ? EXTENDED_KEY_USAGE_NAMES[name as 'client_auth'] : name))
    .optional(),
  keyAlgorithm: oneOrMore(z.string().max(TEXT_LENGTH_MAX)).optional(),
  signatureAlgorithm: Text.optional(),
  keySizes: z.array(z.number().int()).max(IDS_MAX).optional(),
  enrollmentTypes: z.array(z.enum(ENROLLMENT_TYPES)).max(IDS_MAX).optional(),
  source: oneOrMore(z.string().max(TEXT_LENGTH_MAX)).optional(),
  notAfterFrom: LooseDate.optional(),
  notAfterTo: LooseDate.optional(),
  notBeforeFrom: LooseDate.optional(),
  notBeforeTo: LooseDate.optional(),
  applicationId: Uuid.optional(),
  applicationIds: Ids.optional(),
  sortBy: z.enum(SORT_KEYS).default('notAfter'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
})

export const CertificateQuery = z.object({
  ...page,
  friendlyName: emptyAsAbsent(Text),
  commonName: emptyAsAbsent(Text),
})
