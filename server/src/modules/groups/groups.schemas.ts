import { z } from 'zod'
import { isSlug } from '../../lib/slug.ts'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { RoleSlug } from '../organizations/members.schemas.ts'

const NAME_LENGTH_MAX = 255
const SLUG_LENGTH_MIN = 5
const PAGE_MAX = 100
const SEARCH_LENGTH_MAX = 255
/** A client of this list reads its first page only, and looks for one identity there. */
const IDENTITIES_DEFAULT = 1_000

const GroupId = z.string().describe('Id of the group')
export const ById = z.object({ id: GroupId })
export const ByUsername = ById.extend({ username: z.string().describe('Username of the user') })
export const ByIdentityId = ById.extend({ machineIdentityId: z.string().describe('Id of the machine identity') })
export const ByOrganizationId = z.object({ organizationId: z.string().describe('Id of the organization') })

const Name = z.string().trim().min(1).max(NAME_LENGTH_MAX)
const Slug = z
  .string()
  .trim()
  .min(SLUG_LENGTH_MIN, { abort: true })
  .max(NAME_LENGTH_MAX, { abort: true })
  .refine(isSlug, 'Only lower-case letters and digits, in words joined by single hyphens, are allowed')

export const NewGroup = z.object({
  name: Name,
  slug: Slug.optional().describe('Made from the name when absent'),
  role: RoleSlug.default('no-access').describe('Role in the organization that its members hold'),
})
export const GroupChanges = z.object({ name: Name.optional(), slug: Slug.optional(), role: RoleSlug.optional() })

export const Group = z.object({
  id: z.uuid(),
  orgId: z.uuid(),
  name: z.string(),
  slug: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
const ListedGroup = Group.extend({ role: z.string(), roleId: z.uuid().nullable() })
export const GroupWithRole = ListedGroup.extend({ customRoleSlug: z.string().nullable() })
export const GroupList = z.array(ListedGroup)
export const OrganizationGroupList = z.object({ groups: z.array(ListedGroup) })
export const AvailableGroupList = z.object({
  groups: z.array(z.object({ id: z.uuid(), name: z.string(), slug: z.string() })),
})

const Offset = z.coerce.number().int().min(0).default(0)
const Limit = z.coerce.number().int().min(1).max(PAGE_MAX)
const Direction = z.enum(['asc', 'desc']).default('asc')

/** Text that is looked for as it stands. */
const searchFor = (allowed: RegExp, message: string) =>
  z
    .string()
    .trim()
    .max(SEARCH_LENGTH_MAX)
    .refine((text) => allowed.test(text), message)

const MemberType = z.enum(['users', 'machineIdentities'])

export const MembersQuery = z.object({
  offset: Offset,
  limit: Limit.default(10),
  search: searchFor(/^[A-Za-z0-9.@_+-]+$/, 'Only letters, digits, -, _, +, . and @ are allowed')
    .optional()
    .describe('Part of the email address or name of a user, or of the name of a machine identity'),
  orderBy: z.enum(['name']).default('name'),
  orderDirection: Direction,
  memberTypeFilter: z
    .union([MemberType, z.array(MemberType).min(1).max(10)])
    .optional()
    .describe('Both kinds when absent'),
})

const User = z.object({
  id: z.uuid(),
  username: z.string(),
  email: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
})
export const UserAnswer = User
export const IdentityAnswer = z.object({ id: z.uuid() })

const Joined = { id: z.uuid(), joinedGroupAt: Timestamp }
export type MemberPage = z.infer<typeof MemberPage>
export const MemberPage = z.object({
  members: z.array(
    z.discriminatedUnion('type', [
      z.object({ ...Joined, type: z.literal('user'), user: User }),
      z.object({
        ...Joined,
        type: z.literal('machineIdentity'),
        machineIdentity: z.object({ id: z.uuid(), name: z.string() }),
      }),
    ]),
  ),
  totalCount: z.number().int(),
})

const AnyScript = /^[\p{L}\p{N} \-._@+'/:]*$/u

export const UsersQuery = z.object({
  offset: Offset,
  limit: Limit.default(10),
  username: z.string().trim().max(SEARCH_LENGTH_MAX).optional(),
  search: searchFor(AnyScript, "Only letters, digits, spaces and - . _ @ + ' / : are allowed").optional(),
  filter: z.enum(['existingMembers', 'nonMembers']).optional(),
})
export const IdentitiesQuery = z.object({
  offset: Offset,
  limit: Limit.default(IDENTITIES_DEFAULT),
  search: UsersQuery.shape.search,
  filter: z.enum(['assignedMachineIdentities', 'nonAssignedMachineIdentities']).optional(),
})
export const ProjectsQuery = z.object({
  offset: Offset,
  limit: Limit.default(10),
  search: searchFor(/^[A-Za-z0-9-]+$/, 'Only letters, digits and hyphens are allowed').optional(),
  filter: z.enum(['assignedProjects', 'unassignedProjects']).optional(),
  orderBy: z.enum(['name']).default('name'),
  orderDirection: Direction,
})

const Belonging = { isPartOfGroup: z.boolean(), joinedGroupAt: NullableTimestamp }
export const UserPage = z.object({ users: z.array(User.extend(Belonging)), totalCount: z.number() })
export const IdentityPage = z.object({
  machineIdentities: z.array(z.object({ id: z.uuid(), name: z.string(), ...Belonging })),
  totalCount: z.number(),
})
export const ProjectPage = z.object({
  projects: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      slug: z.string(),
      description: z.string().nullable(),
      type: z.string(),
      joinedGroupAt: NullableTimestamp,
    }),
  ),
  totalCount: z.number(),
})
