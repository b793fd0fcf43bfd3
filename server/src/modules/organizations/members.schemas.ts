import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { ByOrganizationId } from './organizations.schemas.ts'

const METADATA_MAX = 100

export const ByMembershipId = ByOrganizationId.extend({ membershipId: z.string().describe('Id of the membership') })

export const RoleSlug = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .describe('`admin`, `member`, `no-access` or the slug of a custom role')

export const MemberChanges = z.object({
  role: RoleSlug.optional(),
  isActive: z.boolean().optional(),
  metadata: z
    .array(z.object({ key: z.string().trim().min(1).max(255), value: z.string().trim().min(1).max(1_020) }))
    .max(METADATA_MAX)
    .optional()
    .describe('Replaces all metadata'),
})

const User = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  publicKey: z.null(),
  superAdmin: z.boolean(),
})
const UserWithMethods = User.extend({ isEmailVerified: z.boolean(), authMethods: z.array(z.string()) })

const Membership = z.object({
  id: z.string(),
  role: z.string(),
  status: z.enum(['invited', 'accepted']),
  inviteEmail: z.string().nullable(),
  userId: z.string(),
  orgId: z.string(),
  roleId: z.string().nullable(),
  projectFavorites: z.null(),
  isActive: z.boolean(),
  lastInvitedAt: NullableTimestamp,
  lastLoginAuthMethod: z.string().nullable(),
  lastLoginTime: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const Metadata = z.array(z.object({ id: z.string(), key: z.string(), value: z.string() }))

export const OlderMemberList = z.object({ users: z.array(Membership.extend({ user: User })) })
export const MemberList = z.object({ users: z.array(Membership.extend({ user: UserWithMethods })) })
export const MemberAnswer = z.object({
  membership: Membership.extend({
    customRoleSlug: z.string().optional(),
    metadata: Metadata.optional(),
    user: UserWithMethods,
  }),
})
