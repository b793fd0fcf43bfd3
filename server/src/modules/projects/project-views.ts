import { z } from 'zod'
import { once } from '../../lib/once.ts'
import type { NewProject, ProjectChanges } from './projects.schemas.ts'
import { ProjectWithDeleted, ProjectWithKey } from './projects.schemas.ts'
import type { FoundProject, ListedProject, Project, ProjectDetails, RoleSummary } from './projects.service.ts'

/** The only way in which projects are stored. */
const STORAGE_VERSION = 3

/** In the words of the wire, and in its order. */
export const toProject = (project: Project) => ({
  id: project.id,
  name: project.name,
  description: project.description,
  type: project.type,
  defaultProduct: project.defaultProduct,
  slug: project.slug,
  autoCapitalization: project.autoCapitalization,
  orgId: project.organizationId,
  createdAt: project.createdAt,
  updatedAt: project.updatedAt,
  version: STORAGE_VERSION,
  upgradeStatus: null,
  pitVersionLimit: project.pitVersionLimit,
  kmsCertificateKeyId: null,
  auditLogsRetentionDays: project.auditLogsRetentionDays,
  hasDeleteProtection: project.hasDeleteProtection,
  secretSharing: project.secretSharing,
  showSnapshotsLegacy: project.showSnapshotsLegacy,
  secretDetectionIgnoreValues: project.secretDetectionIgnoreValues,
  enforceEncryptedSecretManagerSecretMetadata: project.enforceEncryptedMetadata,
})

/** What detection ignores may well be a secret, and is for those in the project. */
export const toFoundProject = ({ isMember, isDirectMember, ...project }: FoundProject) => ({
  ...toProject(isMember ? project : { ...project, secretDetectionIgnoreValues: [] }),
  isMember,
  isDirectMember,
})

export const toProjectWithEnvironments = (project: ListedProject) => ({
  ...toProject(project),
  _id: project.id,
  environments: project.environments,
})

/** wire: lists never show environments that are waiting to be deleted. */
export const toListedProject = (project: ListedProject & { roles?: RoleSummary[] }) => ({
  ...toListedWorkspace(project),
  deletedEnvironments: [],
})

export const toListedWorkspace = (project: ListedProject & { roles?: RoleSummary[] }) => ({
  ...toProjectWithEnvironments(project),
  ...(project.roles && { roles: project.roles }),
})

export const toProjectWithDeleted = once((project: ProjectDetails) => ({
  ...toProjectWithEnvironments(project),
  deletedEnvironments: project.deletedEnvironments,
}))
export const renderProjectWithDeleted = once((project: z.output<typeof ProjectWithDeleted>) =>
  JSON.stringify(z.encode(ProjectWithDeleted, project)),
)

export const toProjectWithKey = once((project: ProjectDetails) => ({
  ...toProjectWithEnvironments(project),
  kmsSecretManagerKeyId: project.dataKeyId,
}))
export const renderProjectWithKey = once((project: z.output<typeof ProjectWithKey>) =>
  JSON.stringify(z.encode(ProjectWithKey, project)),
)

/** From the words of the wire; what is empty there was left out. */
export const toNewProject = ({ projectName, projectDescription, slug, kmsKeyId, ...project }: NewProject) => ({
  ...project,
  name: projectName,
  description: projectDescription ?? null,
  slug: slug ?? undefined,
  kmsKeyId: kmsKeyId || undefined,
})

/** From the words of the wire. */
export const toChanges = ({ enforceEncryptedSecretManagerSecretMetadata, ...changes }: ProjectChanges) => ({
  ...changes,
  enforceEncryptedMetadata: enforceEncryptedSecretManagerSecretMetadata,
})
