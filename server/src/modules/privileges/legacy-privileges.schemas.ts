import { z } from 'zod'
import { compileGlob } from '../../lib/glob.ts'
import { PROJECT_SUBJECTS } from '../permissions/catalogue/project.ts'
import type { Catalogue } from '../permissions/catalogue/subject.ts'
import { PlainText } from '../permissions/condition-schemas.ts'
import { withoutTemplates } from '../permissions/templates.ts'
import {
  IdentityId,
  Privilege,
  ProjectSlug,
  Slug,
  SlugSought,
  StartTime,
  TemporaryMode,
  TemporaryRange,
} from './privileges.schemas.ts'

/** Each stands for up to a dozen rules. */
const PERMISSIONS_MAX = 100
const ACTIONS_MAX = 64

const SUBJECTS: Catalogue = PROJECT_SUBJECTS

const Action = z.enum(['read', 'create', 'edit', 'delete', 'write']).describe('`write`: create, edit and delete')

const SecretPath = z.union([
  PlainText.refine((path) => path.startsWith('/'), "A secret path has to begin with '/'"),
  z.strictObject({
    $glob: PlainText.min(1).refine(
      (text) => compileGlob(withoutTemplates(text)) !== undefined,
      'This is not a usable pattern',
    ),
  }),
])

/** To drop what is unknown would silently widen a grant. */
const Conditions = z.strictObject({ environment: PlainText.optional(), secretPath: SecretPath.optional() })

/** There is no way to deny in these words. */
const NotInverted = z.literal(false).optional()

const LegacyPermission = z
  .object({
    subject: z.enum(Object.keys(SUBJECTS)),
    action: Action,
    inverted: NotInverted,
    conditions: Conditions.optional(),
  })
  .superRefine(({ subject, conditions = {} }, context) => {
    for (const field of Object.keys(conditions)) {
      if (Object.hasOwn(SUBJECTS[subject]?.conditions ?? {}, field)) continue
      context.addIssue({ code: 'custom', message: `'${subject}' has no such condition`, path: ['conditions', field] })
    }
  })

const PrivilegePermission = z
  .object({
    subject: z.literal('secrets'),
    actions: z.array(Action).min(1).max(ACTIONS_MAX).optional(),
    action: z.union([Action, z.array(Action).min(1).max(ACTIONS_MAX)]).optional(),
    inverted: NotInverted,
    conditions: Conditions.optional(),
  })
  .superRefine(({ actions, action }, context) => {
    if (actions ?? action) return
    context.addIssue({ code: 'custom', message: 'Required', path: ['actions'] })
  })

export type Permissions = z.infer<z.ZodObject<typeof PERMISSIONS>>
const PERMISSIONS = {
  permissions: z
    .array(LegacyPermission)
    .max(PERMISSIONS_MAX)
    .optional()
    .describe('Deprecated: `privilegePermission` takes its place, and wins when both are given'),
  privilegePermission: PrivilegePermission.optional(),
}

export const NewPermanentPrivilege = z.object({
  identityId: IdentityId,
  projectSlug: ProjectSlug,
  slug: Slug.optional(),
  ...PERMISSIONS,
})

export const NewTemporaryPrivilege = NewPermanentPrivilege.extend({
  temporaryMode: TemporaryMode,
  temporaryRange: TemporaryRange,
  temporaryAccessStartTime: StartTime,
})

export const PrivilegeAddress = z.object({
  privilegeSlug: SlugSought,
  identityId: IdentityId,
  projectSlug: ProjectSlug,
})

/** wire: clients fill in the fields of a period, with anything, also where they say that there is none. */
const withoutIgnoredPeriod = (details: unknown): unknown => {
  if (typeof details !== 'object' || details === null || !('isTemporary' in details)) return details
  if (details.isTemporary !== false) return details
  const ignored = { temporaryMode: undefined, temporaryRange: undefined, temporaryAccessStartTime: undefined }
  return { ...details, ...ignored }
}

export const PrivilegeUpdate = PrivilegeAddress.extend({
  privilegeDetails: z.preprocess(
    withoutIgnoredPeriod,
    z.object({
      slug: Slug.optional(),
      ...PERMISSIONS,
      isTemporary: z.boolean().optional(),
      temporaryMode: TemporaryMode.optional(),
      temporaryRange: TemporaryRange.optional(),
      temporaryAccessStartTime: StartTime.optional(),
    }),
  ),
})

const LegacyPrivilege = Privilege.extend({
  projectMembershipId: z.uuid().describe('Despite its name, the id of the project'),
})

export const LegacyPrivilegeAnswer = z.object({ privilege: LegacyPrivilege })
export const LegacyPrivilegeList = z.object({ privileges: z.array(LegacyPrivilege) })
