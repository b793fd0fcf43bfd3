import { z } from 'zod'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { ROOT } from './folder-paths.ts'

const PATH_LENGTH_MAX = 2_000
const POSITION_MAX = 1_000_000

const Path = z.string().trim().max(PATH_LENGTH_MAX)
const importing = { environment: z.string().trim().describe('Slug of the environment'), path: Path.default(ROOT) }
const project = { projectId: z.string().trim().describe('Id of the project') }
const workspace = { workspaceId: z.string().trim().describe('Id of the project') }

export const ById = z.object({ id: z.string() })

const wish = {
  ...importing,
  import: z.object({
    environment: z.string().trim(),
    path: Path,
    sourceProjectId: z.string().nullish().describe('Another project of the organization; the own one when left out'),
  }),
  isReplication: z.boolean().default(false).describe('Not offered: leave it out'),
}
export const NewImport = z.object({ ...project, ...wish })
export const NewWorkspaceImport = z.object({ ...workspace, ...wish })

const changes = {
  ...importing,
  import: z.object({
    environment: z.string().trim().optional(),
    path: Path.optional(),
    position: z.number().int().min(0).max(POSITION_MAX).optional().describe('0 leaves it where it is'),
  }),
}
export const ImportChanges = z.object({ ...project, ...changes })
export const WorkspaceImportChanges = z.object({ ...workspace, ...changes })
export const ImportingFolder = z.object({ ...project, ...importing })
export const ImportingWorkspaceFolder = z.object({ ...workspace, ...importing })

const Environment = z.object({ name: z.string(), slug: z.string(), id: z.uuid() })
const SecretImport = z.object({
  id: z.uuid(),
  version: z.number().int(),
  importPath: z.string(),
  position: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  folderId: z.uuid(),
  isReplication: z.boolean(),
  isReplicationSuccess: z.boolean().nullable(),
  replicationStatus: z.string().nullable(),
  lastReplicated: NullableTimestamp,
  isReserved: z.boolean(),
  importEnv: Environment,
})
const ListedImport = SecretImport.extend({
  importEnv: Environment.extend({ projectId: z.string().optional() }),
  sourceProjectName: z.string().optional(),
})

export const ImportMessage = z.object({ message: z.string(), secretImport: SecretImport })
export const ImportList = z.object({ message: z.string(), secretImports: z.array(ListedImport) })
export const ImportDetails = z.object({
  secretImport: SecretImport.extend({ environment: Environment, projectId: z.string(), secretPath: z.string() }),
})
