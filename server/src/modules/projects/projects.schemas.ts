import { z } from 'zod'
import { isSlug } from '../../lib/slug.ts'
import { emptyAsAbsent, QueryFlag, Timestamp } from '../../platform/http/wire-types.ts'

const NAME_LENGTH_MAX = 64
const DESCRIPTION_LENGTH_MAX = 1_024
const SLUG_LENGTH_MAX = 64
const NEW_SLUG_LENGTH_MIN = 5
const PAGE_MAX = 1_000
const IDS_MAX = 1_000
const IGNORED_VALUES_MAX = 1_000
const IGNORED_VALUE_LENGTH_MAX = 1_024
const RETENTION_DAYS_MAX = 36_500
const SLUG_FORM = 'Only lower-case letters and digits, in words joined by single hyphens, are allowed'

/** One fault is told at a time. */
export const slugOf = ({ min, max }: { min: number; max: number }) =>
  z.string().trim().min(min, { abort: true }).max(max, { abort: true }).refine(isSlug, SLUG_FORM)

/** Underscores too: projects that came to be long ago, or were renamed, may have them. */
export const ProjectSlug = z
  .string()
  .trim()
  .min(1, { abort: true })
  .max(SLUG_LENGTH_MAX, { abort: true })
  .refine((slug) => isSlug(slug.replaceAll('_', '-')), SLUG_FORM)

const ProjectType = z.enum(['secret-manager', 'cert-manager', 'kms', 'secret-scanning', 'pam'])

const ProjectId = z.string().describe('Id of the project')
export const ByProjectId = z.object({ projectId: ProjectId })
export const ByWorkspaceId = z.object({ workspaceId: ProjectId })
export const BySlug = z.object({ slug: ProjectSlug.describe('Slug of the project') })
export const ByOrganizationId = z.object({ organizationId: z.string().describe('Id of the organization') })

const Name = z.string().trim().max(NAME_LENGTH_MAX)
const Description = z.string().trim().max(DESCRIPTION_LENGTH_MAX)

export type NewProject = z.infer<typeof NewProject>
export const NewProject = z.object({
  projectName: Name,
  projectDescription: Description.nullish(),
  slug: slugOf({ min: NEW_SLUG_LENGTH_MIN, max: SLUG_LENGTH_MAX }).nullish().describe('Made from the name when absent'),
  kmsKeyId: z.string().max(100).nullish().describe('Only the key that Holdfast makes itself can be used: leave it out'),
  template: slugOf({ min: 1, max: SLUG_LENGTH_MAX }).default('default').describe('`default` is the only one there is'),
  type: ProjectType.default('secret-manager'),
  shouldCreateDefaultEnvs: z.boolean().default(true).describe('Development, Staging and Production'),
  hasDeleteProtection: z.boolean().default(false),
})

export type ProjectChanges = z.infer<typeof ProjectChanges>
export const ProjectChanges = z.object({
  name: Name.optional(),
  description: Description.nullable().optional(),
  slug: ProjectSlug.optional(),
  autoCapitalization: z.boolean().optional().describe('Keys of secrets must be upper case'),
  hasDeleteProtection: z.boolean().optional(),
  enforceEncryptedSecretManagerSecretMetadata: z.boolean().optional(),
  secretSharing: z.boolean().optional(),
  showSnapshotsLegacy: z.boolean().optional(),
  secretDetectionIgnoreValues: z
    .array(z.string().max(IGNORED_VALUE_LENGTH_MAX))
    .max(IGNORED_VALUES_MAX)
    .optional()
    .describe('Only administrators of the project may change these'),
  pitVersionLimit: z.number().int().min(1).max(100).optional().describe('Versions kept of each secret and folder'),
})

export const WorkspaceChanges = ProjectChanges.omit({
  pitVersionLimit: true,
  enforceEncryptedSecretManagerSecretMetadata: true,
}).extend({ defaultProduct: ProjectType.optional() })

export const WorkspaceChangesBySlug = ProjectChanges.pick({
  name: true,
  description: true,
  autoCapitalization: true,
  hasDeleteProtection: true,
})

export const AuditLogsRetention = z.object({ auditLogsRetentionDays: z.number().int().min(0).max(RETENTION_DAYS_MAX) })

/** wire: some clients say `all` where they mean to leave it out. */
const TypeFilter = z.union([ProjectType, z.literal('all').transform(() => undefined)])

export const ListQuery = z.object({ includeRoles: QueryFlag.default(false), type: emptyAsAbsent(TypeFilter) })

export const ProjectSearch = z.object({
  limit: z.number().int().min(1).max(PAGE_MAX).default(100),
  offset: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  type: ProjectType.optional(),
  orderBy: z.literal('name').default('name'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  projectIds: z.array(z.string().max(100)).max(IDS_MAX).optional(),
  name: z
    .string()
    .trim()
    .max(NAME_LENGTH_MAX)
    .regex(/^[a-zA-Z0-9 -]*$/, 'Only letters, digits, spaces and hyphens are allowed')
    .optional(),
})

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.string(),
  defaultProduct: z.string().nullable(),
  slug: z.string(),
  autoCapitalization: z.boolean().nullable(),
  orgId: z.uuid(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
  upgradeStatus: z.string().nullable(),
  pitVersionLimit: z.number().int(),
  kmsCertificateKeyId: z.uuid().nullable(),
  auditLogsRetentionDays: z.number().int().nullable(),
  hasDeleteProtection: z.boolean().nullable(),
  secretSharing: z.boolean(),
  showSnapshotsLegacy: z.boolean(),
  secretDetectionIgnoreValues: z.array(z.string()).nullable(),
  enforceEncryptedSecretManagerSecretMetadata: z.boolean().nullable(),
})

const Deleter = z.discriminatedUnion('type', [
  z.object({ type: z.literal('identity'), id: z.uuid(), name: z.string() }),
  z.object({
    type: z.literal('user'),
    id: z.uuid(),
    email: z.string().nullable(),
    username: z.string().nullable(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
  }),
])

const DeletedEnvironment = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  deleteAfter: Timestamp,
  softDeletedAt: Timestamp,
  deletedBy: Deleter.nullable(),
})

const ProjectWithEnvironments = Project.extend({
  _id: z.string(),
  environments: z.array(z.object({ name: z.string(), slug: z.string(), id: z.uuid() })),
})
export const ProjectWithDeleted = ProjectWithEnvironments.extend({ deletedEnvironments: z.array(DeletedEnvironment) })
export const ProjectWithKey = ProjectWithEnvironments.extend({ kmsSecretManagerKeyId: z.string().nullable() })

const Role = z.object({ id: z.string(), slug: z.string(), name: z.string(), description: z.string().nullable() })
const Roles = { roles: z.array(Role).optional() }

export const ProjectAnswer = z.object({ project: Project })
export const WorkspaceAnswer = z.object({ workspace: Project })
export const ProjectMessage = z.object({ message: z.string(), project: Project })
export const WorkspaceMessage = z.object({ message: z.string(), workspace: Project })
export const ProjectWithDeletedAnswer = z.object({ project: ProjectWithDeleted })
export const ProjectWithKeyAnswer = z.object({ project: ProjectWithKey })
export const WorkspaceWithEnvironmentsAnswer = z.object({ workspace: ProjectWithEnvironments })
export const ProjectList = z.object({ projects: z.array(ProjectWithDeleted.extend(Roles)) })
export const WorkspaceList = z.object({ workspaces: z.array(ProjectWithEnvironments.extend(Roles)) })
export const FoundProjects = z.object({
  projects: z.array(Project.extend({ isMember: z.boolean(), isDirectMember: z.boolean() })),
  totalCount: z.number(),
})
export const OrganizationWorkspaceList = z.object({
  workspaces: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      slug: z.string(),
      organization: z.string(),
      environments: z.array(z.object({ name: z.string(), slug: z.string() })),
    }),
  ),
})
