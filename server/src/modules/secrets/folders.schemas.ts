import { z } from 'zod'
import { emptyAsAbsent, Instant, NullableTimestamp, QueryFlag, Timestamp } from '../../platform/http/wire-types.ts'
import { isFolderName, ROOT } from './folder-paths.ts'

const NAME_LENGTH_MAX = 255
const DESCRIPTION_LENGTH_MAX = 1_024
const PATH_LENGTH_MAX = 4_000
const BATCH_MAX = 1_000

export const FolderPath = z.string().trim().max(PATH_LENGTH_MAX)
const Name = z
  .string()
  .trim()
  .max(NAME_LENGTH_MAX, { abort: true })
  .refine(isFolderName, 'Invalid folder name. Only letters, digits, dashes and underscores are allowed')
const EnvironmentSlug = z.string().trim().describe('Slug of the environment')
const Description = z.string().trim().max(DESCRIPTION_LENGTH_MAX).nullish()
const Project = { projectId: z.string().trim().describe('Id of the project') }
const Workspace = { workspaceId: z.string().trim().describe('Id of the project') }

export const InProject = z.object(Project)
export const ById = z.object({ id: z.string().describe('Id of the folder') })
export const ByIdOrName = z.object({ idOrName: z.string().describe('Id or name of the folder') })

const naming = { environment: EnvironmentSlug, name: Name, description: Description }
const parent = { path: FolderPath.default(ROOT).describe('Of the folder in which it is') }
/** wire: older clients call the path a directory. */
const directory = { path: FolderPath.optional(), directory: FolderPath.optional() }

export const NewFolder = z.object({ ...Project, ...naming, ...parent })
export const NewWorkspaceFolder = z.object({ ...Workspace, ...naming, ...directory })
export const FolderChanges = NewFolder
export const WorkspaceFolderChanges = NewWorkspaceFolder

const Renaming = z.object({ id: z.string(), ...naming, ...parent })
const folders = z.array(Renaming).min(1).max(BATCH_MAX)
export const FolderBatch = z.object({ ...Project, folders })
export const WorkspaceFolderBatch = z.object({ projectSlug: z.string().trim(), folders })

export const FolderDeletion = z.object({
  ...Project,
  environment: EnvironmentSlug,
  ...parent,
  forceDelete: z.boolean().default(false).describe('Also when something is in it'),
})
export const WorkspaceFolderDeletion = z.object({ ...Workspace, environment: EnvironmentSlug, ...directory })

const listing = {
  environment: EnvironmentSlug,
  recursive: QueryFlag.default(false),
  lastSecretModified: emptyAsAbsent(Instant),
}
export const FolderQuery = z.object({ ...Project, ...listing, path: FolderPath })
export const WorkspaceFolderQuery = z.object({ ...Workspace, ...listing, ...directory })

const Folder = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  envId: z.uuid(),
  parentId: z.uuid().nullable(),
  isReserved: z.boolean(),
  description: z.string().nullable(),
  lastSecretModified: NullableTimestamp,
})
const FolderWithPath = Folder.extend({ path: z.string() })

export const FolderAnswer = z.object({ folder: Folder })
export const FolderWithPathAnswer = z.object({ folder: FolderWithPath })
export const FolderList = z.object({ folders: z.array(Folder.extend({ relativePath: z.string().optional() })) })
export const FolderDetails = z.object({
  folder: FolderWithPath.extend({
    environment: z.object({ envId: z.uuid(), envName: z.string(), envSlug: z.string() }),
    projectId: z.string(),
  }),
})
export const FolderTree = z
  .record(z.string(), z.object({ id: z.uuid(), name: z.string(), slug: z.string(), folders: z.array(FolderWithPath) }))
  .describe('By the slug of the environment')
