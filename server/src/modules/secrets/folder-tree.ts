import { notFound } from '../../lib/app-error.ts'
import type { Change } from '../../platform/changes/change.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import * as store from './folders.store.ts'
import type { Folder } from './folders.store.ts'
import { type Environment, type Place, placeScope } from './places.service.ts'
import { secretNews } from './secret-news.ts'
import { listKeys } from './secrets.store.ts'

type Deps = { changes: ChangeFeed }
type Where = { project: ProjectDetails; environment: Environment }
type Renaming = { folder: Folder; name: string; path: string; description?: string | null | undefined }

const CHANGES_AT_ONCE = 5_000

/** Changes of whole branches of folders, with the news of the secrets that vanish or appear with them. */
export class FolderTree {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async lock(tx: Tx, environment: Environment): Promise<void> {
    if (await store.lockEnvironment(tx, environment.id)) return
    throw notFound(`Environment with slug '${environment.slug}' not found`)
  }

  async rename(tx: Tx, where: Where, { folder, ...changes }: Renaming): Promise<void> {
    if (changes.path === folder.path) {
      await store.rename(tx, folder, changes)
      return
    }
    const branch = await this.#branch(tx, where, folder)
    await store.rename(tx, folder, changes)
    const moved = (place: Place): Place => ({ ...place, path: changes.path + place.path.slice(folder.path.length) })
    const news = branch.flatMap(({ place, keys }) => [
      ...secretNews(place, 'secret-deleted', keys),
      ...secretNews(moved(place), 'secret-created', keys),
    ])
    await this.#append(tx, [...branch.map(({ place }) => elsewhere(place)), ...news])
  }

  /** Whether it was empty. When it was not, it is deleted only by force. */
  async delete(tx: Tx, where: Where, { folder, isForced }: { folder: Folder; isForced: boolean }): Promise<boolean> {
    const branch = await this.#branch(tx, where, folder)
    const isEmpty = branch.length === 1 && branch.every(({ keys }) => keys.length === 0)
    if (!isEmpty && !isForced) return false
    await store.deleteById(tx, folder.id)
    const news = branch.flatMap(({ place, keys }) => secretNews(place, 'secret-deleted', keys))
    await this.#append(tx, [...branch.map(({ place }) => elsewhere(place)), ...news])
    return isEmpty
  }

  /** The folder and those below it, kept from being written to, with the keys that everyone can see in them. */
  async #branch(tx: Tx, { project, environment }: Where, { path }: Folder) {
    const folders = await store.lockSubtree(tx, { environmentId: environment.id, path })
    const keys = await listKeys(
      tx,
      folders.map(({ id }) => id),
    )
    return folders.map((folder) => ({
      place: {
        organizationId: project.organizationId,
        projectId: project.id,
        environmentId: environment.id,
        environment: environment.slug,
        path: folder.path,
        folderId: folder.id,
        imports: [],
      },
      keys: keys.get(folder.id) ?? [],
    }))
  }

  async #append(tx: Tx, changes: readonly Change[]): Promise<void> {
    for (let start = 0; start < changes.length; start += CHANGES_AT_ONCE) {
      await this.#deps.changes.append(tx, ...changes.slice(start, start + CHANGES_AT_ONCE))
    }
  }
}

const elsewhere = ({ folderId }: Place): Change => ({ scope: placeScope(folderId), kind: 'folder-moved' })
