import { z } from 'zod'
import { isSlug } from '../../lib/slug.ts'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { isReservedOrganizationRole } from '../permissions/predefined-roles.ts'
import { OrganizationRules, RuleView } from '../permissions/rule-schemas.ts'

const Slug = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .refine(isSlug, 'Only lower-case letters and digits, in words joined by single hyphens, are allowed')
  .refine((slug) => !isReservedOrganizationRole(slug), 'The slug is reserved, choose another one')

const Description = z.string().max(1_000).nullable()
const Name = z.string().trim().min(1).max(255)

export const ByRoleId = z.object({ roleId: z.string().describe('Id of the role') })
export const ByRoleSlug = z.object({ roleSlug: z.string().describe('Slug of the role') })

export const NewRole = z.object({
  slug: Slug,
  name: Name,
  description: Description.optional(),
  permissions: OrganizationRules,
})

export const RoleChanges = z.object({
  slug: Slug.optional(),
  name: Name.optional(),
  description: Description.optional(),
  permissions: OrganizationRules.optional().describe('Replaces all rules'),
})

const ListedRole = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  slug: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  orgId: z.string(),
})

export const RoleList = z.object({ roles: z.array(ListedRole) })
export const RoleAnswer = z.object({ role: ListedRole.extend({ permissions: z.array(RuleView) }) })
