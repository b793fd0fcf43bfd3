import type { ImportService, ImportView } from './imports.service.ts'

/** In the words of the wire, and in its order. */
export const toImport = ({ secretImport, source: { name, slug, id } }: ImportView) => ({
  id: secretImport.id,
  version: 1,
  importPath: secretImport.sourcePath,
  position: secretImport.position,
  createdAt: secretImport.createdAt,
  updatedAt: secretImport.updatedAt,
  folderId: secretImport.folderId,
  // Copies instead of views are not offered.
  isReplication: false,
  isReplicationSuccess: null,
  replicationStatus: null,
  lastReplicated: null,
  isReserved: false,
  importEnv: { name, slug, id },
})

export const toListedImport = (view: ImportView) => {
  const shown = toImport(view)
  return {
    ...shown,
    importEnv: { ...shown.importEnv, projectId: view.home.id },
    sourceProjectName: view.home.name,
  }
}

export const toImportDetails = ({ at, place, ...view }: Awaited<ReturnType<ImportService['get']>>) => ({
  ...toImport(view),
  environment: { name: at.name, slug: at.slug, id: at.id },
  projectId: view.project.id,
  secretPath: place.path,
})
