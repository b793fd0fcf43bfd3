import { z } from 'zod'
import { emptyAsAbsent, Id, Timestamp, Uuid } from '../../../platform/http/wire-types.ts'
import { slugOf } from '../../projects/projects.schemas.ts'
import { ALT_NAME_TYPES } from '../x509/names.ts'
import { isAlgorithm } from './algorithm-names.ts'
import { type Listed, parsePeriodMs, STANCES, SUBJECT_ATTRIBUTES } from './policy-rules.ts'
import { EXTENDED_KEY_USAGES_ASKED, KEY_USAGES_ASKED } from './usage-names.ts'

const TEXT_LENGTH_MAX = 255
const VALUES_MAX = 25
const DOMAIN_COMPONENTS_MAX = 50
const SECTIONS_MAX = 50
const ALGORITHMS_MAX = 50
const PAGE_MAX = 100

const Value = z.string().trim().min(1).max(TEXT_LENGTH_MAX)
const Values = z.array(Value).max(VALUES_MAX).optional()
const lists = { allowed: Values, required: Values, denied: Values }

const SubjectRule = z
  .object({ type: z.enum(SUBJECT_ATTRIBUTES), ...lists })
  .refine(
    ({ type, ...listed }) =>
      type !== 'domain_component' ||
      valuesIn(listed).every((sequence) => sequence.split(',').length <= DOMAIN_COMPONENTS_MAX),
    `At most ${DOMAIN_COMPONENTS_MAX} domain components are allowed`,
  )
const AltNameRule = z.object({ type: z.enum(ALT_NAME_TYPES), ...lists })

const valuesIn = <Item>({ allowed = [], required = [], denied = [] }: Listed<Item>): Item[] => [
  ...allowed,
  ...required,
  ...denied,
]

const usagesOf = <Name extends string>(names: readonly [Name, ...Name[]]) => {
  const Names = z.array(z.enum(names)).max(names.length).optional()
  return z
    .object({ allowed: Names, required: Names, denied: Names })
    .refine(
      (listed) => Object.values(listed).some((list) => list !== undefined),
      'Say at least one of allowed, required and denied',
    )
    .refine(
      ({ allowed = [], required = [], denied = [] }) =>
        !denied.some((name) => [...allowed, ...required].includes(name)),
      'What is denied cannot be allowed or required as well',
    )
}

const Algorithms = z
  .array(z.string().max(100).refine(isAlgorithm, 'There is no such algorithm'))
  .min(1)
  .max(ALGORITHMS_MAX)

const rules = {
  subject: z.array(SubjectRule).max(SECTIONS_MAX).nullish().describe('A type that is not listed is not allowed'),
  sans: z.array(AltNameRule).max(SECTIONS_MAX).nullish().describe('A type that is not listed is not allowed'),
  keyUsages: usagesOf(KEY_USAGES_ASKED).nullish(),
  extendedKeyUsages: usagesOf(EXTENDED_KEY_USAGES_ASKED).nullish(),
  algorithms: z.object({ signature: Algorithms.optional(), keyAlgorithm: Algorithms.optional() }).nullish(),
  validity: z
    .object({
      max: z
        .string()
        .refine((text) => parsePeriodMs(text) !== undefined, 'A number of d, h, m (months of 30 days) or y is needed')
        .optional(),
    })
    .nullish(),
  basicConstraints: z
    .object({ isCA: z.enum(STANCES).optional(), maxPathLength: z.number().int().min(-1).max(255).optional() })
    .nullish(),
}

const Name = slugOf({ min: 1, max: TEXT_LENGTH_MAX })
const Description = z.string().trim().max(TEXT_LENGTH_MAX).nullish()

export type NewPolicy = z.infer<typeof NewPolicy>
export const NewPolicy = z.object({
  projectId: Id.optional(),
  name: Name,
  description: Description,
  ...rules,
})

export type PolicyChanges = z.infer<typeof PolicyChanges>
export const PolicyChanges = z.object({ name: Name.optional(), description: Description, ...rules })

export const InProject = z.object({ projectId: emptyAsAbsent(Id) })
export const ById = z.object({ id: Uuid })

export const page = {
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(20),
  search: emptyAsAbsent(z.string().trim().max(TEXT_LENGTH_MAX)),
}
export const PolicyQuery = InProject.extend(page)

export const Policy = z.object({
  id: z.uuid(),
  projectId: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  ...rules,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const PolicyAnswer = z.object({ certificatePolicy: Policy })
export const PolicyList = z.object({ certificatePolicies: z.array(Policy), totalCount: z.number() })
