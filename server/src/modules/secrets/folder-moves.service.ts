import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { FolderTree } from './folder-tree.ts'
import { childPath, parentPath, parsePath, ROOT } from './folder-paths.ts'
import * as store from './folders.store.ts'
import type { Folder } from './folders.store.ts'
import { listMoved, requireUncoversNothing } from './moved-secrets.ts'
import type { Entered, Environment, Places } from './places.service.ts'
import { noSuchFolder } from './places.service.ts'
import { Rights } from './rights.ts'

type Deps = { db: Database; places: Places; tree: FolderTree; audit: AuditLog }
type Wish = { projectId: string; folderId: string; destinationEnvironment: string; destinationPath: string }
type Prepared = Entered & { folder: Folder; source: Environment; destination: Environment; parent: string }

/** Folders that go, with all that is in them, into another folder of the project. */
export class FolderMoveService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async move(actor: Actor, wish: Wish) {
    const prepared = await this.#prepare(actor, wish)
    const { project, source, destination, parent } = prepared
    const rights = new Rights(prepared.ability)
    const sourcePath = await rights.transaction(this.#deps.db, async (tx) => {
      await this.#deps.tree.lockAll(tx, project, [source, destination])
      const folder = await findIn(tx, source, wish.folderId)
      await this.#put(tx, prepared, { folder, rights })
      const from = parentPath(folder.path)
      await this.#deps.audit.record(tx, actor, {
        type: 'move-folder',
        projectId: project.id,
        metadata: {
          folderId: folder.id,
          folderName: folder.name,
          sourceEnvironment: source.slug,
          sourcePath: from,
          destinationEnvironment: destination.slug,
          destinationPath: parent,
        },
      })
      return from
    })
    return {
      folderId: wish.folderId,
      sourceEnvironment: source.slug,
      sourcePath,
      destinationEnvironment: destination.slug,
      destinationPath: parent,
    }
  }

  async #prepare(actor: Actor, { projectId, folderId, destinationEnvironment, destinationPath }: Wish) {
    const entered = await this.#deps.places.enter(actor, { projectId })
    const { project, ability } = entered
    const parent = parsePath(destinationPath)
    if (parent === undefined) throw badRequest('Invalid path of the destination')
    const folder = isUuid(folderId) ? await store.findById(this.#deps.db.pool, folderId) : undefined
    const source = project.environments.find(({ id }) => id === folder?.environmentId)
    if (!folder || !source) throw notFound(`Folder '${folderId}' not found in the project`)
    if (folder.path === ROOT) throw badRequest('The root folder of an environment cannot be moved')
    const from = { environment: source.slug, secretPath: parentPath(folder.path) }
    await ability.require('delete', 'secret-folders', from)
    await ability.require('create', 'secret-folders', { environment: destinationEnvironment, secretPath: parent })
    const destination = await this.#deps.places.getEnvironment(project, destinationEnvironment)
    return { ...entered, folder, source, destination, parent }
  }

  async #put(
    tx: Tx,
    { project, destination, parent }: Prepared,
    { folder, rights }: { folder: Folder; rights: Rights },
  ): Promise<void> {
    const path = parsePath(childPath(parent, folder.name))
    if (path === undefined) throw badRequest('The path of the folder would be too long')
    requireElsewhere(folder, { environmentId: destination.id, parent })
    const found = await store.findByPath(tx, destination.id, parent)
    if (!found) throw noSuchFolder({ environment: destination.slug, path: parent })
    const branch = await this.#deps.tree.branch(tx, project, folder)
    const to = { environmentId: destination.id, environment: destination.slug, path }
    requireMayMove(rights, await listMoved(tx, { branch, folder, to }))
    await requireUncoversNothing(tx, rights, { branch, folder, to })
    await store
      .move(tx, folder, { environmentId: destination.id, parentId: found.id, path })
      .catch((error: unknown) => {
        throw isUniqueViolation(error)
          ? badRequest(`There is a folder with name '${folder.name}' in '${parent}'`)
          : error
      })
    await this.#deps.tree.announceMove(tx, branch, { folder, to })
  }
}

const findIn = async (tx: Tx, { id }: Environment, folderId: string): Promise<Folder> => {
  const folder = await store.findById(tx, folderId)
  if (folder?.environmentId !== id) throw notFound(`Folder '${folderId}' not found`)
  return folder
}

const requireElsewhere = ({ environmentId, path }: Folder, to: { environmentId: string; parent: string }): void => {
  if (environmentId !== to.environmentId) return
  if (to.parent === parentPath(path)) throw badRequest('The folder is there already')
  if (to.parent === path || to.parent.startsWith(`${path}/`)) throw badRequest('A folder cannot be moved into itself')
}

/** Whoever moves a folder moves each secret in it. */
const requireMayMove = (rights: Rights, moved: Awaited<ReturnType<typeof listMoved>>): void => {
  for (const { before, after } of moved) {
    rights.require('delete', before)
    rights.require('create', after)
  }
}
