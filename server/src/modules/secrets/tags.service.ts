import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { lockAll } from './dependency-locks.ts'
import { list as listDependents } from './dependents.store.ts'
import { News, originOf, secretNews } from './secret-news.ts'
import { removeTag } from './secret-writes.store.ts'
import { listTagged } from './secrets.store.ts'
import { tagsScope } from './snapshots.service.ts'
import * as store from './tags.store.ts'
import type { StoredTag } from './tags.store.ts'

export type { StoredTag } from './tags.store.ts'

type Deps = { db: Database; permissions: PermissionService; changes: ChangeFeed }
type Wish = { slug: string; color: string }
type Action = 'read' | 'create' | 'edit' | 'delete'

/** The tags of a project, which can be put on its secrets. */
export class TagService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, projectId: string): Promise<StoredTag[]> {
    await this.#require(actor, projectId, 'read')
    return store.list(this.#deps.db.pool, projectId)
  }

  async get(actor: Actor, projectId: string, id: string): Promise<StoredTag> {
    await this.#require(actor, projectId, 'read')
    const tag = isUuid(id) ? await store.findById(this.#deps.db.pool, projectId, id) : undefined
    if (!tag) throw noSuchTag(id)
    return tag
  }

  async getBySlug(actor: Actor, projectId: string, slug: string): Promise<StoredTag> {
    await this.#require(actor, projectId, 'read')
    const tag = await store.findBySlug(this.#deps.db.pool, projectId, slug)
    if (!tag) throw notFound(`Tag with slug '${slug}' not found`)
    return tag
  }

  async create(actor: Actor, projectId: string, { slug, color }: Wish): Promise<StoredTag> {
    await this.#require(actor, projectId, 'create')
    return this.#deps.db.transaction(async (tx) => {
      const row = { id: newId(), projectId, slug, color, createdBy: actor.id, createdByType: actor.type }
      const tag = await store.insert(tx, row)
      if (!tag) throw slugTaken(slug)
      return tag
    })
  }

  async update(actor: Actor, projectId: string, { id, ...wish }: Wish & { id: string }): Promise<StoredTag> {
    await this.#require(actor, projectId, 'edit')
    return this.#change(actor, projectId, id, async (tx) => {
      try {
        return await store.update(tx, id, wish)
      } catch (error) {
        throw isUniqueViolation(error) ? slugTaken(wish.slug) : error
      }
    })
  }

  async delete(actor: Actor, projectId: string, id: string): Promise<StoredTag> {
    await this.#require(actor, projectId, 'delete')
    return this.#change(actor, projectId, id, async (tx) => {
      await removeTag(tx, id)
      return store.deleteById(tx, id)
    })
  }

  /** Secrets are shown with the names of their tags. */
  #change(
    { organizationId = '' }: Actor,
    projectId: string,
    id: string,
    work: (tx: Tx) => Promise<StoredTag | undefined>,
  ): Promise<StoredTag> {
    return this.#deps.db.transaction(async (tx) => {
      await lockAll(tx, organizationId)
      const known = isUuid(id) ? await store.lockById(tx, projectId, id) : undefined
      const news = known && (await newsOfTagged(tx, { organizationId, projectId }, id))
      const tag = known && (await work(tx))
      if (!tag || !news) throw noSuchTag(id)
      news.add({ scope: tagsScope(projectId), kind: 'secret-tag-changed' })
      await news.append(tx, this.#deps.changes)
      return tag
    })
  }

  async #require(actor: Actor, projectId: string, action: Action): Promise<void> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'tags')
  }
}

/** Of those that have the tag before it changes. */
const newsOfTagged = async (
  tx: Tx,
  owner: { organizationId: string; projectId: string },
  id: string,
): Promise<News> => {
  const tagged = await listTagged(tx, id)
  const places = new Map(
    tagged.map(({ folderId, environmentId, environment, path }) => [
      folderId,
      { ...owner, folderId, environmentId, environment, path, imports: [] },
    ]),
  )
  const news = new News()
  for (const [folderId, place] of places) {
    const keys = tagged.filter((secret) => secret.folderId === folderId).map(({ key }) => key)
    news.add(...secretNews(place, 'secret-updated', keys))
  }
  news.addDependents((await listDependents(tx, [...places.values()].map(originOf))).found)
  return news
}

const slugTaken = (slug: string) => badRequest(`The project has a tag with slug '${slug}' already`)
const noSuchTag = (id: string) => notFound(`Tag with ID '${id}' not found`)
