import type { Folder } from './folders.service.ts'
import type { Environment } from './places.service.ts'

/** wire: renaming does not count. */
const VERSION = 1

/** In the words of the wire, and in its order. */
export const toFolder = (folder: Folder) => ({
  id: folder.id,
  name: folder.name,
  version: VERSION,
  createdAt: folder.createdAt,
  updatedAt: folder.updatedAt,
  envId: folder.environmentId,
  parentId: folder.parentId,
  isReserved: false,
  description: folder.description,
  lastSecretModified: folder.lastSecretModified,
})

export const toFolderWithPath = (folder: Folder) => ({ ...toFolder(folder), path: folder.path })

export const toListedFolder = ({ relativePath, ...folder }: Folder & { relativePath?: string }) => ({
  ...toFolder(folder),
  ...(relativePath !== undefined && { relativePath }),
})

export const toFolderDetails = ({ environment, ...folder }: Folder & { environment: Environment }) => ({
  ...toFolderWithPath(folder),
  environment: { envId: environment.id, envName: environment.name, envSlug: environment.slug },
  projectId: folder.projectId,
})

export const toFolderTree = (branches: readonly { environment: Environment; folders: readonly Folder[] }[]) =>
  Object.fromEntries(
    branches.map(({ environment: { id, name, slug }, folders }) => [
      slug,
      { id, name, slug, folders: folders.map(toFolderWithPath) },
    ]),
  )
