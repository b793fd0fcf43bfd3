import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { HeldRole } from './granted-roles.schemas.ts'

const RoleSlug = z.string().max(64)

export const ByGroupId = z.object({ groupId: z.string().describe('Id of the group') })

export const MembershipsQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(100),
  search: z.string().trim().max(255).optional().describe('Part of the name or slug'),
  roles: z
    .union([RoleSlug.transform((role) => [role]), z.array(RoleSlug).max(100)])
    .optional()
    .describe('Only groups that hold one of these; may be repeated'),
  orderBy: z.enum(['name', 'slug', 'role']).default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
})

const Membership = z.object({
  id: z.uuid(),
  groupId: z.uuid(),
  group: z.object({ id: z.uuid(), name: z.string(), slug: z.string(), orgId: z.uuid() }),
  roles: z.array(HeldRole),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const MembershipList = z.object({ groupMemberships: z.array(Membership), totalCount: z.number() })
export const MembershipAnswer = z.object({ groupMembership: Membership })
export const RolesAnswer = z.object({ roles: z.array(HeldRole) })
