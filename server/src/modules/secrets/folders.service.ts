import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectDetails, ProjectService } from '../projects/projects.service.ts'
import type { FolderTree } from './folder-tree.ts'
import { childPath, lineage, nameOf, parentPath, parsePath, relativeTo, ROOT } from './folder-paths.ts'
import * as store from './folders.store.ts'
import type { Folder } from './folders.store.ts'
import type { Environment, Places, ProjectChoice } from './places.service.ts'
import { Rights } from './rights.ts'

export type { Folder } from './folders.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  places: Places
  tree: FolderTree
  audit: AuditLog
}

/** A folder to find: in its parent, by id or name. */
export type FolderChoice = ProjectChoice & { environment: string; path: string; idOrName: string }
type NewFolder = ProjectChoice & { environment: string; path: string; name: string; description?: string | null }
type Listing = ProjectChoice & {
  environment: string
  path: string
  isRecursive: boolean
  modifiedSince?: Date | undefined
}
type Renaming = FolderChoice & { name: string; description?: string | null | undefined }
type Question = ProjectChoice & { action: 'create' | 'edit' | 'delete'; environment: string; path: string }
type Parent = { project: ProjectDetails; environment: Environment; path: string; rights: Rights }

/** The folders of environments, in which secrets lie. */
export class FolderService {
  readonly #deps: Deps
  readonly #tree: FolderTree

  constructor(deps: Deps) {
    this.#deps = deps
    this.#tree = deps.tree
  }

  /** Every environment has one; whoever makes environments calls this. */
  async createRoots(tx: Tx, projectId: string, environments: readonly { id: string }[]): Promise<void> {
    const ids = environments.map(({ id }) => id)
    if (ids.length > 0) await store.insertRoots(tx, projectId, ids)
  }

  /** What is missing on the way to it is made too. */
  async create(actor: Actor, { name, description = null, ...where }: NewFolder): Promise<Folder> {
    const parent = await this.#parent(actor, { ...where, action: 'create' })
    const path = requirePath(childPath(parent.path, name))

    return this.#deps.db.transaction(async (tx) => {
      await this.#tree.lock(tx, parent.environment)
      const folder = await createWay(tx, parent, { path, description })
      await this.#deps.audit.record(tx, actor, {
        type: 'create-folder',
        projectId: parent.project.id,
        metadata: {
          environment: where.environment,
          folderId: folder.id,
          folderName: name,
          folderPath: path,
          ...(description !== null && { description }),
        },
      })
      return folder
    })
  }

  async update(actor: Actor, renaming: Renaming): Promise<Folder> {
    const parent = await this.#parent(actor, { ...renaming, action: 'edit' })
    return parent.rights.transaction(this.#deps.db, async (tx) => {
      await this.#tree.lockAll(tx, parent.project, [parent.environment])
      return this.#rename(tx, actor, parent, renaming)
    })
  }

  /** All of them or none. */
  async updateAll(
    actor: Actor,
    choice: ProjectChoice,
    renamings: readonly Omit<Renaming, keyof ProjectChoice>[],
  ): Promise<Folder[]> {
    const steps: { parent: Parent; renaming: Renaming }[] = []
    for (const renaming of renamings) {
      const whole = { ...choice, ...renaming }
      steps.push({ parent: await this.#parent(actor, { ...whole, action: 'edit' }), renaming: whole })
    }
    const [first] = steps
    if (!first) return []
    const { rights } = first.parent
    return rights.transaction(this.#deps.db, async (tx) => {
      await this.#tree.lockAll(
        tx,
        first.parent.project,
        steps.map(({ parent }) => parent.environment),
      )
      const folders: Folder[] = []
      for (const { parent, renaming } of steps) {
        folders.push(await this.#rename(tx, actor, { ...parent, rights }, renaming))
      }
      return folders
    })
  }

  async #rename(tx: Tx, actor: Actor, parent: Parent, { idOrName, name, description }: Renaming): Promise<Folder> {
    const folder = await findChild(tx, parent, idOrName, ['id', 'name'])
    const path = requirePath(childPath(parent.path, name))
    const { project, rights } = parent
    await this.#tree.rename(tx, project, { folder, name, path, description, rights }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? badRequest(`There is a folder with name '${name}' in '${parent.path}'`) : error
    })
    await this.#deps.audit.record(tx, actor, {
      type: 'update-folder',
      projectId: parent.project.id,
      metadata: {
        environment: parent.environment.slug,
        folderId: folder.id,
        folderPath: parent.path,
        newFolderName: name,
        oldFolderName: folder.name,
      },
    })
    return mustFind(tx, folder.id)
  }

  /** Without force only when nothing is in it. */
  async delete(actor: Actor, { isForced, ...choice }: FolderChoice & { isForced: boolean }): Promise<Folder> {
    const parent = await this.#parent(actor, { ...choice, action: 'delete' })
    return this.#deps.db.transaction(async (tx) => {
      await this.#tree.lockAll(tx, parent.project, [parent.environment])
      const folder = await findChild(tx, parent, choice.idOrName, ['name', 'id'])
      const isEmpty = await this.#tree.delete(tx, parent.project, { folder, isForced })
      if (!isEmpty && !isForced) {
        throw badRequest(`The folder '${folder.name}' is not empty. Use forceDelete=true to delete all that is in it`)
      }
      await this.#deps.audit.record(tx, actor, {
        type: 'delete-folder',
        projectId: parent.project.id,
        metadata: {
          environment: parent.environment.slug,
          folderId: folder.id,
          folderPath: parent.path,
          folderName: folder.name,
        },
      })
      return folder
    })
  }

  /** Every member may see the names of folders. A folder that is not there has nothing in it. */
  async list(actor: Actor, { environment: slug, path: text, ...listing }: Listing) {
    const { project } = await this.#deps.places.enter(actor, listing)
    const environment = await this.#deps.places.findEnvironment(project, slug)
    if (!environment) throw notFound(`Environment with slug '${slug}' not found`)
    const path = requirePath(text)
    const { isRecursive, modifiedSince } = listing
    const query = { environmentId: environment.id, path, isRecursive, modifiedSince }
    const folders = await store.list(this.#deps.db.pool, query)
    return folders.map((folder) => ({
      ...folder,
      ...(isRecursive && { relativePath: relativeTo(path, folder.path) }),
    }))
  }

  /** Every member may see the names of all folders, by environment. */
  async listAll(actor: Actor, projectId: string) {
    const { project } = await this.#deps.places.enter(actor, { projectId })
    const folders = await store.listInProject(this.#deps.db.pool, project.id)
    return project.environments.map((environment) => ({
      environment,
      folders: folders.filter(({ environmentId }) => environmentId === environment.id),
    }))
  }

  async get(actor: Actor, id: string) {
    const folder = isUuid(id) ? await store.findById(this.#deps.db.pool, id) : undefined
    const project = folder && (await this.#deps.projects.find(folder.projectId))
    const environment = project?.environments.find((candidate) => candidate.id === folder?.environmentId)
    if (!folder || !environment || project?.organizationId !== actor.organizationId) throw noSuchFolder(id)
    await this.#deps.permissions.inProject(actor, folder.projectId)
    return { ...folder, environment }
  }

  async #parent(actor: Actor, { action, environment: slug, path: text, ...choice }: Question): Promise<Parent> {
    const { project, ability } = await this.#deps.places.enter(actor, choice)
    const path = requirePath(text)
    await ability.require(action, 'secret-folders', { environment: slug, secretPath: path })
    const environment = await this.#deps.places.getEnvironment(project, slug)
    return { project, environment, path, rights: new Rights(ability) }
  }
}

const createWay = async (
  tx: Tx,
  { project, environment }: Parent,
  { path, description }: { path: string; description: string | null },
): Promise<Folder> => {
  const way = lineage(path)
  const ids = new Map((await store.listByPaths(tx, environment.id, way)).map((folder) => [folder.path, folder.id]))
  if (ids.has(path)) throw badRequest(`There is a folder with name '${nameOf(path)}' in '${parentPath(path)}' already`)

  const missing = way.filter((step) => !ids.has(step))
  for (const step of missing) ids.set(step, newId())
  const rows = missing.map((step) => ({
    id: ids.get(step) ?? '',
    projectId: project.id,
    environmentId: environment.id,
    parentId: ids.get(parentPath(step)) ?? null,
    name: nameOf(step),
    path: step,
    description: step === path ? description : null,
  }))
  await store.insert(tx, rows)
  return mustFind(tx, ids.get(path) ?? '')
}

const findChild = async (
  tx: Tx,
  { environment, path }: Parent,
  idOrName: string,
  order: readonly ('id' | 'name')[],
): Promise<Folder> => {
  for (const by of order) {
    const found =
      by === 'name'
        ? await store.findByPath(tx, environment.id, childPath(path, idOrName))
        : isUuid(idOrName) && (await store.findById(tx, idOrName))
    if (found && isChildOf(found, environment, path)) return found
  }
  throw noSuchFolder(idOrName)
}

const isChildOf = (folder: Folder, environment: Environment, path: string): boolean =>
  folder.environmentId === environment.id && folder.path !== ROOT && parentPath(folder.path) === path

const mustFind = async (tx: Tx, id: string): Promise<Folder> => {
  const folder = await store.findById(tx, id)
  if (!folder) throw new Error('The folder was not stored')
  return folder
}

const requirePath = (text: string): string => {
  const path = parsePath(text)
  if (path !== undefined) return path
  throw badRequest('Invalid secret path: only letters, digits, dashes and underscores are allowed between its slashes')
}

const noSuchFolder = (idOrName: string) => notFound(`Folder '${idOrName}' not found`)
