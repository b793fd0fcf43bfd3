import { z } from 'zod'
import { Timestamp, Uuid } from '../../platform/http/wire-types.ts'
import { isReservedProjectRole } from '../permissions/predefined-roles.ts'
import { ProjectRules, RuleView } from '../permissions/rule-schemas.ts'
import { ProjectSlug, slugOf } from '../projects/projects.schemas.ts'

const Slug = slugOf({ min: 1, max: 64 }).refine(
  (slug) => !isReservedProjectRole(slug),
  'The slug is reserved, choose another one',
)
const Name = z.string().trim().min(1).max(255)
const Description = z.string().max(1_000).nullable()

const RoleId = z.string().describe('Id of the role')
const RoleSlug = z.string().describe('Slug of the role')

export const InProject = z.object({ projectId: z.string().describe('Id of the project') })
export const OfProject = InProject.extend({ roleId: RoleId })
export const OfProjectBySlug = InProject.extend({ roleSlug: RoleSlug })
export const ById = z.object({ roleId: Uuid })

const InProjectSlug = z.object({ projectSlug: ProjectSlug.describe('Slug of the project') })
export const InProjectBySlug = InProjectSlug
export const OfProjectSlug = InProjectSlug.extend({ roleId: RoleId })
export const OfProjectSlugBySlug = InProjectSlug.extend({ slug: RoleSlug })

export const NewRole = z.object({
  slug: Slug,
  name: Name,
  description: Description.optional(),
  permissions: ProjectRules,
})
export const RoleChanges = z.object({
  slug: Slug.optional(),
  name: Name.optional(),
  description: Description.optional(),
  permissions: ProjectRules.optional().describe('Replaces all rules'),
})

const ON_SECRETS: ReadonlySet<string> = new Set(['read', 'create', 'edit', 'delete'])

/** The older words know four actions on secrets. */
const OlderRules = ProjectRules.superRefine((rules, context) => {
  for (const [index, { subject, action }] of rules.entries()) {
    if (subject !== 'secrets' || action.every((name) => ON_SECRETS.has(name))) continue
    context.addIssue({
      code: 'custom',
      message: `Only ${[...ON_SECRETS].join(', ')} are allowed on '${subject}' here`,
      path: [index, 'action'],
    })
  }
})
export const OlderNewRole = NewRole.extend({ permissions: OlderRules })
export const OlderRoleChanges = RoleChanges.extend({ permissions: OlderRules.optional() })

const ListedRole = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  slug: z.string(),
  projectId: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const RoleList = z.object({ roles: z.array(ListedRole) })
export const RoleAnswer = z.object({ role: ListedRole.extend({ permissions: z.array(RuleView) }) })
