import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { termFields } from '../permissions/term.schemas.ts'

const NAME_LENGTH_MAX = 255
const METADATA_MAX = 100
const PAGE_MAX = 100

export const ByIdentityId = z.object({ identityId: z.string().describe('Id of the machine identity') })

/** Read leniently, answered exactly: a client may send back what it was given, `id` and all. */
const NewMetadata = z
  .array(z.object({ key: z.string().trim().min(1).max(255), value: z.string().trim().min(1).max(1020) }))
  .max(METADATA_MAX)

const Name = z.string().trim().max(NAME_LENGTH_MAX)
const RoleSlug = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .describe('`admin`, `member`, `no-access` or the slug of a custom role')

export type NewIdentity = z.infer<typeof NewIdentity>
export const NewIdentity = z.object({
  name: Name.describe('Name of the machine identity; need not be unique'),
  organizationId: z.string().trim().describe('Organization that it belongs to'),
  role: RoleSlug.default('no-access'),
  hasDeleteProtection: z.boolean().default(false),
  metadata: NewMetadata.optional(),
})

export type IdentityChanges = z.infer<typeof IdentityChanges>
export const IdentityChanges = z.object({
  name: Name.optional(),
  role: RoleSlug.optional(),
  hasDeleteProtection: z.boolean().optional(),
  metadata: NewMetadata.optional().describe('Replaces all metadata'),
})

/** The vocabulary of the paths that only people use: no role, and a name that says something. */
export const NewOrganizationIdentity = NewIdentity.pick({ hasDeleteProtection: true, metadata: true }).extend({
  name: Name.min(1),
})
export const OrganizationIdentityChanges = IdentityChanges.omit({ role: true }).extend({ name: Name.min(1).optional() })

const Metadata = z.array(z.object({ id: z.uuid(), key: z.string(), value: z.string() }))
const AuthMethods = z.array(z.string())

const Identity = z.object({
  id: z.uuid(),
  name: z.string(),
  // wire: a column of older versions; what counts is authMethods.
  authMethod: z.null(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  hasDeleteProtection: z.boolean(),
  orgId: z.uuid(),
  projectId: z.string().nullable(),
})

export const IdentityAnswer = z.object({ identity: Identity })
export const CreatedIdentityAnswer = z.object({
  identity: Identity.extend({ authMethods: AuthMethods, metadata: Metadata }),
})
export const UpdatedIdentityAnswer = z.object({ identity: Identity.extend({ metadata: Metadata }) })

const CustomRole = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  permissions: z.unknown(),
  description: z.string().nullable(),
})

export const IdentityMembership = z.object({
  id: z.uuid().describe('Id of the membership, not of the identity'),
  role: z.string(),
  roleId: z.uuid().nullable(),
  orgId: z.uuid(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  identityId: z.uuid(),
  lastLoginAuthMethod: z.string().nullable(),
  lastLoginTime: NullableTimestamp,
  customRole: CustomRole.optional(),
  metadata: Metadata,
  identity: z.object({
    name: z.string(),
    id: z.uuid(),
    hasDeleteProtection: z.boolean(),
    orgId: z.uuid(),
    authMethods: AuthMethods,
    activeLockoutAuthMethods: AuthMethods,
  }),
})

export const IdentityMembershipAnswer = z.object({ identity: IdentityMembership })
export const IdentityMembershipList = z.object({ identities: z.array(IdentityMembership), totalCount: z.number() })
export const OrganizationMembershipList = z.object({
  identityMemberships: z.array(IdentityMembership),
  totalCount: z.number(),
})

export const ListQuery = z.object({ orgId: z.string().describe('Organization whose identities are listed') })

/** Letters and digits of any script, as names have them. */
const SearchText = z
  .string()
  .max(255)
  .regex(/^[\p{L}\p{N}\s_\-/]*$/u, 'Only letters, digits, spaces, _, - and / are allowed')
const Exactly = { $eq: SearchText.optional(), $in: z.array(SearchText).max(100).optional() }
const ByName = z.union([SearchText, z.object({ ...Exactly, $contains: SearchText.optional() })])
const ByRole = z.union([SearchText, z.object({ ...Exactly, $contains: SearchText.optional() })])

const Criteria = z.object({ name: ByName.optional(), role: ByRole.optional() })
export type Criterion = z.infer<typeof ByName>
export type Criteria = z.infer<typeof Criteria>

export type IdentitySearch = z.infer<typeof IdentitySearch>
export const IdentitySearch = z.object({
  orderBy: z.enum(['name', 'role']).default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  limit: z.int().min(1).max(PAGE_MAX).default(50),
  offset: z.int().min(0).default(0),
  search: Criteria.extend({ $or: z.array(Criteria).max(5).optional() }).optional(),
})

const Scope = z.enum(['organization', 'project'])
export const ScopedIdentitySearch = IdentitySearch.extend({
  scope: z.array(Scope).min(1).default(['organization']),
  orderBy: z.enum(['name', 'role', 'lastLogin']).default('name'),
})
export const IdentityCountQuery = z.object({
  scope: z.array(Scope).min(1).default(['organization', 'project']),
  search: IdentitySearch.shape.search,
})

const HeldRole = z.object({
  id: z.uuid(),
  role: z.string(),
  customRoleId: z.uuid().nullable(),
  customRoleName: z.string().nullable(),
  customRoleSlug: z.string().nullable(),
  customRoleDescription: z.string().nullable(),
  ...termFields,
})

const ScopedIdentity = IdentityMembership.omit({ role: true, roleId: true, customRole: true, metadata: true }).extend({
  scope: Scope,
  roles: z.array(HeldRole),
})

export const ScopedIdentityList = z.object({ identities: z.array(ScopedIdentity), totalCount: z.number() })
export const IdentityCounts = z.object({
  counts: z.object({ organization: z.number().optional(), project: z.number().optional() }),
})

export const ByOrganizationId = z.object({ orgId: z.string().describe('Id of the organization') })

export const OrganizationMembershipQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(20_000).default(100),
  orderBy: z.enum(['name', 'role']).default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  search: z.string().trim().max(NAME_LENGTH_MAX).optional().describe('Part of the name'),
})

export const OrganizationIdentityQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
  search: OrganizationMembershipQuery.shape.search,
})

const OrganizationIdentity = z.object({
  id: z.uuid(),
  name: z.string(),
  orgId: z.uuid(),
  projectId: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  hasDeleteProtection: z.boolean(),
  authMethods: AuthMethods.optional(),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
})
export const OrganizationIdentityAnswer = z.object({ identity: OrganizationIdentity })
export const OrganizationIdentityList = z.object({ identities: z.array(OrganizationIdentity), totalCount: z.number() })
