import { AppError, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import * as store from './privileges.store.ts'

export type { Holder, ListedPrivilege, Privilege } from './privileges.store.ts'

type Deps = { db: Database; permissions: PermissionService; projects: ProjectService; changes: ChangeFeed }

/** By its id, or by its slug among those of an identity in a project. */
export type Address = { id: string } | { projectSlug: string; identityId: string; slug: string }

const CACHED_CHARACTERS_MAX = 16_000_000
const CACHED_ROWS_MAX = 32_000

/** Finding privileges, for those who may see them. */
export class PrivilegeLookup {
  readonly #deps: Deps
  readonly #privileges: TrustedCache<store.Privilege>
  readonly #lists: TrustedCache<readonly store.ListedPrivilege[]>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#privileges = new TrustedCache(
      deps.changes,
      CACHED_CHARACTERS_MAX,
      (privilege) => JSON.stringify(privilege).length,
    )
    this.#lists = new TrustedCache(deps.changes, CACHED_ROWS_MAX, (list) => list.length + 1)
  }

  async get(actor: Actor, address: Address): Promise<store.Privilege> {
    const { privilege, ability } = await this.reach(actor, address)
    await ability.require('read', 'identity', { identityId: privilege.identityId })
    return privilege
  }

  /** Also those that are over. */
  async list(actor: Actor, holder: store.Holder): Promise<readonly store.ListedPrivilege[]> {
    await this.#requireRead(actor, holder)
    if (!isUuid(holder.identityId)) return []
    const { projectId, identityId } = holder
    const ask = () => store.list(this.#deps.db.pool, holder)
    return (await this.#lists.get(`${projectId} ${identityId}`, tagsOf(holder), ask)) ?? []
  }

  /** The same with what they allow, in a project that is known by its slug. */
  async listInProject(actor: Actor, projectSlug: string, identityId: string): Promise<store.Privilege[]> {
    const holder = { projectId: await this.projectIdOf(actor, projectSlug), identityId }
    await this.#requireRead(actor, holder)
    return isUuid(identityId) ? store.listWithPermissions(this.#deps.db.pool, holder) : []
  }

  /** The privilege and what the actor may do where it is, without asking whether that is enough. */
  async reach(actor: Actor, address: Address) {
    const privilege = await ('id' in address ? this.#findById(actor, address.id) : this.#findBySlug(actor, address))
    if (!privilege) throw noSuchPrivilege(address)
    const ability = await this.#deps.permissions.inProject(actor, privilege.projectId).catch((error: unknown) => {
      // An id must not tell an outsider that there is something behind it.
      throw error instanceof AppError && error.kind === 'forbidden' ? noSuchPrivilege(address) : error
    })
    return { privilege, ability }
  }

  async projectIdOf(actor: Actor, projectSlug: string): Promise<string> {
    return (await this.#deps.projects.getBySlug(actor, projectSlug)).id
  }

  async #findById({ organizationId = '' }: Actor, id: string): Promise<store.Privilege | undefined> {
    if (!isUuid(id)) return undefined
    return this.#privileges.get(`${organizationId} ${id}`, [], async (alsoTag) => {
      const privilege = await store.findById(this.#deps.db.pool, organizationId, id)
      if (privilege) alsoTag(...tagsOf(privilege))
      return privilege
    })
  }

  async #findBySlug(
    actor: Actor,
    { projectSlug, identityId, slug }: Exclude<Address, { id: string }>,
  ): Promise<store.Privilege | undefined> {
    const projectId = await this.projectIdOf(actor, projectSlug)
    if (!isUuid(identityId)) return undefined
    const holder = { projectId, identityId }
    return this.#privileges.get(`${projectId} ${identityId} ${slug}`, tagsOf(holder), () =>
      store.findBySlug(this.#deps.db.pool, holder, slug),
    )
  }

  async #requireRead(actor: Actor, { projectId, identityId }: store.Holder): Promise<void> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'identity', { identityId })
  }
}

const tagsOf = ({ projectId, identityId }: store.Holder): string[] => [`actor:${identityId}`, `project:${projectId}`]

export const noSuchPrivilege = (address: Address) =>
  'id' in address
    ? notFound(`Privilege with id '${address.id}' not found`)
    : notFound(`Privilege with slug '${address.slug}' not found`)
