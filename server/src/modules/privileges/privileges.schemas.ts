import { z } from 'zod'
import { parseDurationMs } from '../../lib/duration.ts'
import { Id, Instant, Timestamp } from '../../platform/http/wire-types.ts'
import { ProjectRules, RuleView } from '../permissions/rule-schemas.ts'
import { termFields } from '../permissions/term.schemas.ts'
import { slugOf } from '../projects/projects.schemas.ts'

const SLUG_LENGTH_MAX = 60
const SOUGHT_LENGTH_MAX = 255

/** As it is written everywhere inside, whatever the case in which it is sent. */
const SentId = Id.toLowerCase()

export const IdentityId = SentId.describe('Id of the machine identity')
const ProjectId = SentId.describe('Id of the project')
export const ProjectSlug = z.string().trim().min(1).max(64).describe('Slug of the project')

export const Slug = slugOf({ min: 1, max: SLUG_LENGTH_MAX }).describe('Made up when absent')
/** One that may or may not be there. */
export const SlugSought = z.string().trim().min(1).max(SOUGHT_LENGTH_MAX).describe('Slug of the privilege')

export const TemporaryMode = z.literal('relative')
export const TemporaryRange = z
  .string()
  .refine((text) => parseDurationMs(text) !== undefined, 'Must be a duration above zero, such as 30m, 2h or 1d')
  .describe('How long it lasts from its start: a number with a unit, such as 30m, 2h or 1d')
export const StartTime = Instant.describe('When it begins')

const PrivilegeType = z.discriminatedUnion('isTemporary', [
  z.object({ isTemporary: z.literal(false) }),
  z.object({
    isTemporary: z.literal(true),
    temporaryMode: TemporaryMode,
    temporaryRange: TemporaryRange,
    temporaryAccessStartTime: StartTime,
  }),
])

export const ById = z.object({ id: z.string().trim().toLowerCase().describe('Id of the privilege') })
export const BySlug = z.object({ privilegeSlug: SlugSought })
export const OfIdentity = z.object({ identityId: IdentityId, projectId: ProjectId })
export const OfIdentityInProject = z.object({ identityId: IdentityId, projectSlug: ProjectSlug })

export const NewPrivilege = z.object({
  identityId: IdentityId,
  projectId: ProjectId,
  slug: Slug.optional(),
  permissions: ProjectRules,
  type: PrivilegeType.default({ isTemporary: false }),
})

/** What is left out stays as it is. */
export const PrivilegeChanges = z.object({
  slug: Slug.optional(),
  permissions: ProjectRules.optional().describe('Replaces all rules'),
  type: PrivilegeType.optional(),
})

const ListedPrivilege = z.object({
  id: z.uuid(),
  slug: z.string(),
  ...termFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const Privilege = ListedPrivilege.extend({ permissions: z.array(RuleView) })

export const PrivilegeAnswer = z.object({ privilege: Privilege })
export const PrivilegeList = z.object({ privileges: z.array(ListedPrivilege) })
