import { z } from 'zod'
import { NullableTimestamp, QueryFlag, Timestamp, Uuid } from '../../platform/http/wire-types.ts'
import { slugOf } from '../projects/projects.schemas.ts'

/** Far from what the database can hold, so that there is always room to move up. */
const POSITION_MAX = 1_000_000_000

const ProjectId = z.string().describe('Id of the project')
const EnvironmentId = z.string().describe('Id of the environment')
const Slug = slugOf({ min: 1, max: 64 })
const Name = z.string().trim().min(1).max(255)

export const ByEnvironmentId = z.object({ envId: EnvironmentId })
export const BySlugInProject = z.object({ projectId: Uuid, envSlug: Slug.describe('Slug of the environment') })
export const InProject = z.object({ projectId: ProjectId })
export const InWorkspace = z.object({ workspaceId: ProjectId })
export const OfProject = z.object({ projectId: ProjectId, id: EnvironmentId })
export const OfWorkspace = z.object({ workspaceId: ProjectId, id: EnvironmentId })

export const NewEnvironment = z.object({
  name: Name,
  slug: Slug,
  position: z
    .number()
    .int()
    .min(1)
    .max(POSITION_MAX)
    .optional()
    .describe('Behind the last when absent; when it is taken, those from there on move up'),
})

export const EnvironmentChanges = z.object({
  slug: Slug.optional(),
  name: Name.optional(),
  position: z
    .number()
    .int()
    .min(-POSITION_MAX)
    .max(POSITION_MAX)
    // wire: clients that have no position to send, send 0.
    .transform((position) => (position === 0 ? undefined : position))
    .optional()
    .describe('When it is taken, those from there on move up; 0 leaves it as it is'),
})

export const DeleteQuery = z.object({
  hardDelete: QueryFlag.default(false).describe('At once and for good, also what is waiting to be deleted'),
})

const Environment = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  position: z.number(),
  projectId: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deleteAfter: NullableTimestamp,
  softDeletedAt: NullableTimestamp,
  deletedByUserId: z.uuid().nullable(),
  deletedByIdentityId: z.uuid().nullable(),
})

export const EnvironmentAnswer = z.object({ environment: Environment })
export const EnvironmentMessage = EnvironmentAnswer.extend({ message: z.string(), projectId: z.string() })
export const WorkspaceEnvironmentMessage = EnvironmentAnswer.extend({ message: z.string(), workspace: z.string() })
