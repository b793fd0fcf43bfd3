import { notFound } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import * as store from './authorities.store.ts'
import type { AuthorityRow } from './authorities.store.ts'

type Deps = { db: Database; permissions: PermissionService }

export type AuthorityAction = 'read' | 'create' | 'edit' | 'delete' | 'issue-ca-certificate' | 'sign-intermediate'

/** Finds authorities for those who may know of them. */
export class AuthorityLookup {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** In the organization of the actor, who must be allowed the action on it. */
  async get(actor: Actor, id: string, action: AuthorityAction): Promise<AuthorityRow> {
    const authority = await this.findUnasked(actor, id)
    if (!authority) throw noSuchAuthority(id)
    await this.require(actor, authority, action)
    return authority
  }

  async getByName(
    actor: Actor,
    { projectId, name }: { projectId: string; name: string },
    action: AuthorityAction,
  ): Promise<AuthorityRow> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'certificate-authorities', { name })
    const authority = await store.findByName(this.#deps.db.pool, projectId, name)
    if (!authority) throw notFound(`Certificate authority '${name}' not found`)
    return authority
  }

  async require(actor: Actor, { projectId, name }: { projectId: string; name: string }, action: AuthorityAction) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'certificate-authorities', { name })
  }

  async may(actor: Actor, { projectId, name }: { projectId: string; name: string }, action: AuthorityAction) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    return ability.can(action, 'certificate-authorities', { name })
  }

  /** Without asking what the actor may do with it. */
  async findUnasked(actor: Actor, id: string): Promise<AuthorityRow | undefined> {
    const authority = await this.find(id)
    // Another organization's looks like one that does not exist.
    return authority?.organizationId === actor.organizationId ? authority : undefined
  }

  /** For what everybody may know. */
  async find(id: string): Promise<AuthorityRow | undefined> {
    return isUuid(id) ? store.findById(this.#deps.db.pool, id) : undefined
  }

  /** Those that the actor may read; none at all is a refusal. */
  async list(actor: Actor, projectId: string): Promise<AuthorityRow[]> {
    return this.#readable(actor, projectId, () => store.list(this.#deps.db.pool, projectId))
  }

  async listFiltered(actor: Actor, projectId: string, filter: store.Filter): Promise<AuthorityRow[]> {
    return this.#readable(actor, projectId, () => store.listFiltered(this.#deps.db.pool, projectId, filter))
  }

  async #readable(actor: Actor, projectId: string, load: () => Promise<AuthorityRow[]>): Promise<AuthorityRow[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificate-authorities')
    const mayRead = ability.present.within('read', 'certificate-authorities', {})
    return (await load()).filter(({ name }) => mayRead({ name }))
  }
}

export const noSuchAuthority = (id: string) => notFound(`Certificate authority with ID '${id}' not found`)
