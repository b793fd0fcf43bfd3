import { z } from 'zod'
import { NullableTimestamp, Timestamp, Uuid } from '../../platform/http/wire-types.ts'
import { HeldRole } from '../groups/granted-roles.schemas.ts'
import { termFields } from '../permissions/term.schemas.ts'

const ProjectId = z.string().describe('Id of the project')
export const InProject = z.object({ projectId: ProjectId })
export const ByGroupId = InProject.extend({ groupId: Uuid.describe('Id of the group') })
/** Older paths never looked at the form of an id. */
export const ByAnyGroupId = InProject.extend({ groupId: z.string().describe('Id of the group') })
export const ByGroupIdOrName = InProject.extend({ groupIdOrName: z.string().describe('Id or name of the group') })
export const ByIdentityId = InProject.extend({ identityId: z.string().describe('Id of the machine identity') })
export const ByMembershipId = InProject.extend({ membershipId: z.string().describe('Id of the membership') })
export const ByUserId = z.object({ projectId: Uuid, userId: Uuid })
export const ByMembershipIdAlone = z.object({ membershipId: z.string().describe('Id of the membership') })

/** A row that PATCH has just written. */
export const MembershipRole = z.object({
  id: z.uuid(),
  role: z.string().describe('`custom` for a custom role'),
  projectMembershipId: z.uuid(),
  customRoleId: z.uuid().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ...termFields,
})
export const RolesAnswer = z.object({ roles: z.array(MembershipRole) })

const Times = { createdAt: Timestamp, updatedAt: Timestamp }
const Membership = z.object({ id: z.uuid(), projectId: z.string(), ...Times })

const PlainGroupMembership = Membership.extend({ groupId: z.uuid() })
const GroupMembership = PlainGroupMembership.extend({
  group: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), orgId: z.uuid() }),
  roles: z.array(HeldRole),
})
export const GroupMembershipAnswer = z.object({ groupMembership: GroupMembership })
export const PlainGroupMembershipAnswer = z.object({ groupMembership: PlainGroupMembership })
export const GroupMembershipList = z.object({ groupMemberships: z.array(GroupMembership) })

const PlainIdentityMembership = Membership.extend({ identityId: z.uuid() })
const Methods = z.array(z.string())
const Metadata = z.array(z.object({ id: z.uuid(), key: z.string(), value: z.string() }))
const IdentityMembership = PlainIdentityMembership.extend({
  roles: z.array(HeldRole),
  lastLoginAuthMethod: z.string().nullable(),
  lastLoginTime: NullableTimestamp,
  identity: z.object({
    id: z.uuid(),
    name: z.string(),
    hasDeleteProtection: z.boolean(),
    orgId: z.uuid(),
    projectId: z.string().nullable(),
    authMethods: Methods,
    activeLockoutAuthMethods: Methods,
    metadata: Metadata,
  }),
  project: z.object({ id: z.string(), name: z.string(), type: z.string() }),
})
export const IdentityMembershipAnswer = z.object({ identityMembership: IdentityMembership })
export const PlainIdentityMembershipAnswer = z.object({ identityMembership: PlainIdentityMembership })
export const IdentityMembershipList = z.object({
  identityMemberships: z.array(IdentityMembership),
  totalCount: z.number(),
})
export const ProjectsOfIdentity = z.object({ identityMemberships: z.array(IdentityMembership) })
export const AvailableIdentities = z.object({ identities: z.array(z.object({ id: z.uuid(), name: z.string() })) })

const LISTED_MAX = 20_000
const Offset = z.coerce.number().int().min(0).default(0)
const Search = z.string().trim().max(255).optional()
const SLUGS_MAX = 100

export const IdentityMembershipsQuery = z.object({
  offset: Offset,
  // wire: clients that leave it out expect all there are.
  limit: z.coerce.number().int().min(1).max(1_000).default(LISTED_MAX),
  identityName: Search.describe('Part of the name'),
  roles: z
    .string()
    .max(65 * SLUGS_MAX)
    .transform((text) => text.split(',').map((slug) => slug.trim()))
    .optional()
    .describe('Only those that hold one of these: slugs joined by commas'),
})
export const OlderIdentityMembershipsQuery = z.object({
  offset: Offset,
  limit: z.coerce.number().int().min(1).max(LISTED_MAX).default(LISTED_MAX),
  orderBy: z.enum(['name']).default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  search: Search.describe('Part of the name'),
})

const PlainUserMembership = Membership.extend({ userId: z.uuid() })
const UserMembership = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  projectId: z.string(),
  createdAt: Timestamp,
  user: z.object({
    id: z.uuid(),
    username: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    isEmailVerified: z.boolean(),
    authMethods: Methods,
    publicKey: z.null(),
  }),
  roles: z.array(HeldRole),
})
export const UserMembershipAnswer = z.object({ membership: UserMembership })
export const UserMembershipList = z.object({ memberships: z.array(UserMembership) })
export const PlainUserMembershipAnswer = z.object({ membership: PlainUserMembership })
export const PlainUserMembershipList = z.object({ memberships: z.array(PlainUserMembership) })
