import { inProject, type Sent, type Table } from './case.ts'
import { another, fresh, type Furnishing } from './place.ts'

const READERS = 'admin member viewer'
const WRITERS = 'admin member'

/** The current paths say `projectId`, the older ones `workspaceId`. */
const at = ({ projectId }: Furnishing) => ({ projectId, environment: 'dev' })
const atOlder = ({ projectId }: Furnishing) => ({ workspaceId: projectId, environment: 'dev' })
type At = typeof at | typeof atOlder

const listing = (place: At) => inProject(READERS, { send: (of) => ({ query: { ...place(of), path: '/' } }) })

const secret = {
  list: (place: At) => inProject(READERS, { send: (of) => ({ query: place(of) }) }),
  get: (place: At) => inProject(READERS, { send: (of) => ({ query: place(of) }) }),
  getById: inProject(READERS),
  create: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ path: { secretName: fresh('secret') }, body: { ...place(of), secretValue: 'v' } }),
    }),
  update: (place: At) => inProject(WRITERS, { send: (of) => ({ body: { ...place(of), secretValue: 'v' } }) }),
  delete: (place: At) => inProject(WRITERS, { prepare: another.secret, send: (of) => ({ body: place(of) }) }),
  createMany: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ body: { ...place(of), secrets: [{ secretKey: fresh('secret'), secretValue: 'v' }] } }),
    }),
  updateMany: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ body: { ...place(of), secrets: [{ secretKey: of.secretName, secretValue: 'v' }] } }),
    }),
  deleteMany: (place: At) =>
    inProject(WRITERS, {
      prepare: another.secret,
      send: (of) => ({ body: { ...place(of), secrets: [{ secretKey: of.secretName }] } }),
    }),
}

const elsewhere = ({ secretId }: Furnishing) => ({
  sourceEnvironment: 'dev',
  destinationEnvironment: 'staging',
  secretIds: [secretId],
})

const folder = {
  list: (place: At) =>
    inProject('admin member viewer no-access', { send: (of) => ({ query: { ...place(of), path: '/' } }) }),
  get: inProject('admin member viewer no-access', { send: ({ folderId }) => ({ path: { id: folderId } }) }),
  create: (place: At) => inProject(WRITERS, { send: (of) => ({ body: { ...place(of), name: fresh('folder') } }) }),
  update: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ path: { idOrName: of.folderId }, body: { ...place(of), name: of.folderName } }),
    }),
  delete: (place: At) =>
    inProject(WRITERS, {
      prepare: another.folder,
      send: (of) => ({ path: { idOrName: of.folderId }, body: place(of) }),
    }),
  updateMany: (project: (of: Furnishing) => object) =>
    inProject(WRITERS, {
      send: (of): Sent => ({
        body: { ...project(of), folders: [{ id: of.folderId, environment: 'dev', name: of.folderName }] },
      }),
    }),
}

const imported = {
  get: inProject(READERS, { send: ({ importId }) => ({ path: { id: importId } }) }),
  create: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ body: { ...place(of), import: { environment: 'prod', path: `/${fresh('source')}` } } }),
    }),
  update: (place: At) =>
    inProject(WRITERS, {
      send: (of) => ({ path: { id: of.importId }, body: { ...place(of), import: { position: 1 } } }),
    }),
  delete: (place: At) =>
    inProject(WRITERS, { prepare: another.import, send: (of) => ({ path: { id: of.importId }, body: place(of) }) }),
}

const tag = {
  read: inProject(READERS),
  create: inProject(WRITERS, { send: () => ({ body: { slug: fresh('tag'), color: '#000000' } }) }),
  update: inProject(WRITERS, { send: ({ tagSlug }) => ({ body: { slug: tagSlug, color: '#ffffff' } }) }),
  delete: inProject(WRITERS, { prepare: another.tag }),
}

const tagging = inProject(WRITERS, { send: (of) => ({ body: { ...atOlder(of), tagSlugs: [of.tagSlug] } }) })

export const IN_SECRETS: Table = {
  listSecrets: secret.list(at),
  listRawSecrets: secret.list(atOlder),
  getSecret: secret.get(at),
  getRawSecret: secret.get(atOlder),
  getSecretById: secret.getById,
  getRawSecretById: secret.getById,
  createSecret: secret.create(at),
  createRawSecret: secret.create(atOlder),
  updateSecret: secret.update(at),
  updateRawSecret: secret.update(atOlder),
  deleteSecret: secret.delete(at),
  deleteRawSecret: secret.delete(atOlder),
  createSecrets: secret.createMany(at),
  createRawSecrets: secret.createMany(atOlder),
  updateSecrets: secret.updateMany(at),
  updateRawSecrets: secret.updateMany(atOlder),
  deleteSecrets: secret.deleteMany(at),
  deleteRawSecrets: secret.deleteMany(atOlder),
  moveSecrets: inProject(WRITERS, {
    prepare: another.secret,
    send: (of) => ({ body: { projectId: of.projectId, ...elsewhere(of) } }),
  }),
  moveRawSecrets: inProject(WRITERS, {
    prepare: another.secret,
    send: (of) => ({ body: { projectSlug: of.projectSlug, ...elsewhere(of) } }),
  }),
  duplicateSecrets: inProject(WRITERS, {
    prepare: another.secret,
    send: (of) => ({ body: { projectId: of.projectId, ...elsewhere(of) } }),
  }),

  listSecretVersions: inProject(READERS, { send: () => ({ query: { offset: '0', limit: '9' } }) }),
  redactSecretVersion: inProject(WRITERS, { prepare: another.secret }),
  rollBackSecret: inProject(WRITERS, { prepare: another.secret, send: () => ({ body: { version: 1 } }) }),

  // Without a licence whoever is let in is told so, instead of a stream that never ends.
  subscribeToProjectEvents: inProject(READERS, {
    admits: 400,
    send: ({ projectId }) => ({ body: { projectId, register: [{ event: 'secret:create' }] } }),
  }),

  listProjectFolders: inProject('admin member viewer no-access'),
  moveFolder: inProject(WRITERS, {
    prepare: another.folder,
    send: ({ projectId, folderId }) => ({ body: { projectId, folderId, destinationEnvironment: 'staging' } }),
  }),
  listFolders: folder.list(at),
  listWorkspaceFolders: folder.list(atOlder),
  getFolder: folder.get,
  getWorkspaceFolder: folder.get,
  createFolder: folder.create(at),
  createWorkspaceFolder: folder.create(atOlder),
  updateFolder: folder.update(at),
  updateWorkspaceFolder: folder.update(atOlder),
  deleteFolder: folder.delete(at),
  deleteWorkspaceFolder: folder.delete(atOlder),
  updateFolders: folder.updateMany(({ projectId }) => ({ projectId })),
  updateWorkspaceFolders: folder.updateMany(({ projectSlug }) => ({ projectSlug })),

  listImportedSecrets: listing(at),
  listWorkspaceImportedSecrets: listing(atOlder),
  listSecretImports: listing(at),
  listWorkspaceSecretImports: listing(atOlder),
  getSecretImport: imported.get,
  getWorkspaceSecretImport: imported.get,
  createSecretImport: imported.create(at),
  createWorkspaceSecretImport: imported.create(atOlder),
  updateSecretImport: imported.update(at),
  updateWorkspaceSecretImport: imported.update(atOlder),
  deleteSecretImport: imported.delete(at),
  deleteWorkspaceSecretImport: imported.delete(atOlder),

  attachSecretTags: tagging,
  detachSecretTags: tagging,
  listSecretTags: tag.read,
  listWorkspaceTags: tag.read,
  getSecretTag: tag.read,
  getWorkspaceTag: tag.read,
  getSecretTagBySlug: tag.read,
  getWorkspaceTagBySlug: tag.read,
  createSecretTag: tag.create,
  createWorkspaceTag: tag.create,
  updateSecretTag: tag.update,
  updateWorkspaceTag: tag.update,
  deleteSecretTag: tag.delete,
  deleteWorkspaceTag: tag.delete,
}
