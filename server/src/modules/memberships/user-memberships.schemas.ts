import { z } from 'zod'
import { RequestedRoles } from '../groups/granted-roles.schemas.ts'

const NAMES_MAX = 100

const Email = z.email().max(254).toLowerCase()
const Username = z.string().trim().min(1).max(254).toLowerCase()
const RoleSlug = z.string().trim().min(1).max(64)

const Names = z.object({
  emails: z.array(Email).max(NAMES_MAX).default([]),
  usernames: z.array(Username).max(NAMES_MAX).default([]),
})

export const Invitation = Names.extend({
  roleSlugs: z.array(RoleSlug).min(1).max(NAMES_MAX).default(['member']).describe('Roles in the project'),
})
/** wire: an address to be removed is only looked for. */
export const Removal = Names.extend({ emails: z.array(Username).max(NAMES_MAX).default([]) })

export const ByUsername = z.object({ username: Username })

export const UserRoleChanges = z.object({
  roles: RequestedRoles.min(1)
    .refine((roles) => roles.some(({ term }) => term === undefined), 'At least one long lived role is required')
    .describe('Replaces all roles'),
})

export const namesIn = ({ emails, usernames }: z.infer<typeof Names>): string[] => [...emails, ...usernames]
