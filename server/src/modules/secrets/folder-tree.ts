import { notFound } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Tx } from '../../platform/db/db.ts'
import { lockAll } from './dependency-locks.ts'
import type { Dependent, Origin } from './dependents.store.ts'
import * as dependents from './dependents.store.ts'
import { ROOT } from './folder-paths.ts'
import * as store from './folders.store.ts'
import type { Folder } from './folders.store.ts'
import { requireUncoversNothing } from './moved-secrets.ts'
import { type Place, placeScope } from './places.service.ts'
import type { Rights } from './rights.ts'
import { News, originOf, secretNews } from './secret-news.ts'
import { listContents } from './secrets.store.ts'

type Deps = { changes: ChangeFeed }
type Project = { id: string; organizationId: string }
type Environment = { id: string; slug: string }
type Renaming = {
  folder: Folder
  name: string
  path: string
  description?: string | null | undefined
  /** Of whoever renames it. */
  rights: Rights
}
/** A folder with what everyone sees in it. */
export type Filled = { place: Place; keys: string[]; hasImports: boolean }
/** Where folders are found afterwards. */
type Destination = { environmentId: string; environment: string; path: string }
type Turn = {
  vanished: readonly Filled[]
  appeared: readonly Filled[]
  /** Who else is told. */
  isOutside?: (dependent: Dependent) => boolean
}

/** Changes of whole branches of folders, with the news of the secrets that vanish or appear with them. */
export class FolderTree {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Which folders an environment has is changed by one at a time. */
  async lock(tx: Tx, environment: Environment): Promise<void> {
    if (await store.lockEnvironment(tx, environment.id)) return
    throw notFound(`Environment with slug '${environment.slug}' not found`)
  }

  /** The same where what is in them is to vanish or appear. */
  async lockAll(tx: Tx, { organizationId }: Project, environments: readonly Environment[]): Promise<void> {
    await lockAll(tx, organizationId)
    const sorted = [...new Map(environments.map((one) => [one.id, one])).values()].sort((a, b) =>
      a.id < b.id ? -1 : 1,
    )
    for (const environment of sorted) await this.lock(tx, environment)
  }

  async rename(tx: Tx, project: Project, { folder, rights, ...changes }: Renaming): Promise<void> {
    if (changes.path === folder.path) {
      await store.rename(tx, folder, changes)
      return
    }
    const branch = await this.branch(tx, project, folder)
    const { environmentId = '', environment = '' } = branch[0]?.place ?? {}
    const to = { environmentId, environment, path: changes.path }
    await requireUncoversNothing(tx, rights, { branch, folder, to })
    await store.rename(tx, folder, changes)
    await this.announceMove(tx, branch, { folder, to })
  }

  /** Whether it was empty. When it was not, it is deleted only by force. */
  async delete(
    tx: Tx,
    project: Project,
    { folder, isForced }: { folder: Folder; isForced: boolean },
  ): Promise<boolean> {
    const branch = await this.branch(tx, project, folder)
    const isEmpty = branch.length === 1 && branch.every(({ keys }) => keys.length === 0)
    if (!isEmpty && !isForced) return false
    await store.deleteById(tx, folder.id)
    await this.#announce(tx, { vanished: branch, appeared: [] })
    return isEmpty
  }

  async announceMove(
    tx: Tx,
    branch: readonly Filled[],
    { folder, to }: { folder: Folder; to: Destination },
  ): Promise<void> {
    const appeared = branch.map((filled) => {
      const path = to.path + filled.place.path.slice(folder.path.length)
      return { ...filled, place: { ...filled.place, ...to, path } }
    })
    await this.#announce(tx, { vanished: branch, appeared })
  }

  /** All folders of an environment, before its slug changes or it comes or goes; `slug` is what it is called now. */
  async lockContents(tx: Tx, project: Project, { id, slug }: Environment): Promise<Filled[]> {
    await lockAll(tx, project.organizationId)
    const ids = await store.lockSubtree(tx, { environmentId: id, path: ROOT })
    return this.#filled(tx, project, { ids, environmentId: id, slug })
  }

  /** Before the environment of these contents is renamed: nobody gives it a slug under which they may read what they may not. */
  async requireUncoversNothing(tx: Tx, branch: readonly Filled[], environment: string, rights: Rights): Promise<void> {
    await requireUncoversNothing(tx, rights, { branch, folder: { path: '' }, to: { environment, path: '' } })
  }

  /** With the environment renamed, hidden or shown: what was in it under its old slug, or is under its new one. */
  async announceContents(tx: Tx, contents: readonly Filled[], slugs: { from?: string; to?: string }): Promise<void> {
    const under = (environment: string | undefined): Filled[] =>
      environment === undefined
        ? []
        : contents.map((filled) => ({ ...filled, place: { ...filled.place, environment } }))
    await this.#announce(tx, { vanished: under(slugs.from), appeared: under(slugs.to) })
  }

  /** With the slug of a project changed: imports do not go by it, but references from anywhere may. */
  async announceProject(tx: Tx, { id, organizationId }: Project, slugs: { from: string; to: string }): Promise<void> {
    await lockAll(tx, organizationId)
    const news = new News()
    news.addDependents(await dependents.listBySlugs(tx, id, [slugs.from, slugs.to]))
    await news.append(tx, this.#deps.changes)
  }

  /** The same before the environment is removed, for those outside: who imports from it is not known afterwards. */
  async announceEnd(tx: Tx, contents: readonly Filled[]): Promise<void> {
    const [first] = contents
    const isOutside = ({ projectId, environment }: Dependent) =>
      projectId !== first?.place.projectId || environment !== first.place.environment
    await this.#announce(tx, { vanished: contents, appeared: [], isOutside })
  }

  /** The folder and those below it, kept from being written to, with what everyone can see in them. */
  async branch(tx: Tx, project: Project, { environmentId, path }: Folder): Promise<Filled[]> {
    return this.#filled(tx, project, { ids: await store.lockSubtree(tx, { environmentId, path }), environmentId })
  }

  async #filled(
    tx: Tx,
    { id: projectId, organizationId }: Project,
    { ids, environmentId, slug }: { ids: readonly string[]; environmentId: string; slug?: string },
  ): Promise<Filled[]> {
    return (await listContents(tx, ids)).map(({ folderId, path, keys, hasImports, ...found }) => {
      const environment = slug ?? found.environment
      if (environment === null) throw notFound('The environment of the folder waits to be deleted')
      const place = { organizationId, projectId, environmentId, environment, path, folderId, imports: [] }
      return { place, keys, hasImports }
    })
  }

  async #announce(tx: Tx, { vanished, appeared, isOutside }: Turn): Promise<void> {
    const news = new News()
    for (const { place } of [...vanished, ...appeared]) {
      news.add({ scope: placeScope(place.folderId), kind: 'folder-moved' })
    }
    for (const { place, keys } of vanished) news.add(...secretNews(place, 'secret-deleted', keys))
    for (const { place, keys } of appeared) news.add(...secretNews(place, 'secret-created', keys))
    for (const { place, hasImports } of [...vanished, ...appeared]) if (hasImports) news.addImport(place)
    const { found } = await dependents.list(tx, originsOf([...vanished, ...appeared]))
    news.addDependents(isOutside ? found.filter(isOutside) : found)
    await news.append(tx, this.#deps.changes)
  }
}

/** What nothing is in changes for nobody. */
export const originsOf = (folders: readonly Filled[]): Origin[] =>
  folders.filter(({ keys, hasImports }) => keys.length > 0 || hasImports).map(({ place }) => originOf(place))
