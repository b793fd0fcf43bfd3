import { forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import * as store from './method-access.store.ts'
import { METHOD_OPERATIONS, type MethodOperation } from './method-operations.ts'

export type { ManagedIdentity } from './method-access.store.ts'

type Deps = { db: Database; permissions: PermissionService }

/** Who may look at and change the ways in which a machine identity logs in: one rule for all login methods. */
export class MethodAccess {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The identity, for an actor who may do this with it; not found unless it is in the actor's organization. */
  async require(actor: Actor, identityId: string, operation: MethodOperation): Promise<store.ManagedIdentity> {
    const identity = await this.find(actor, identityId)
    if (!identity) throw notFound(`Machine identity with id '${identityId}' not found`)
    await this.permit(actor, identity, operation)
    return identity
  }

  async find({ organizationId }: Actor, identityId: string): Promise<store.ManagedIdentity | undefined> {
    if (organizationId === undefined || !isUuid(identityId)) return undefined
    return store.findIdentity(this.#deps.db.pool, organizationId, identityId)
  }

  /** Throws unless the actor may do this with an identity of its organization. */
  async permit(actor: Actor, identity: store.ManagedIdentity, operation: MethodOperation): Promise<void> {
    if (identity.projectId === null) await this.#requireInOrganization(actor, operation)
    else await this.#requireInProject(actor, identity.projectId, { identityId: identity.id, operation })

    if (METHOD_OPERATIONS[operation].isChange && identity.isInstanceAdmin && !actor.isInstanceAdmin) {
      throw forbidden('Only an instance administrator may change an identity that is one')
    }
  }

  /** Keeps the identity from being deleted until the transaction ends. */
  async hold(tx: Tx, { id }: store.ManagedIdentity): Promise<void> {
    if (!(await store.lockIdentity(tx, id))) throw notFound(`Machine identity with id '${id}' not found`)
  }

  async #requireInOrganization(actor: Actor, operation: MethodOperation): Promise<void> {
    const { action, boundary } = METHOD_OPERATIONS[operation].inOrganization
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require(action, 'identity')
    if (boundary) await ability.requireBoundary(boundary, 'identity')
  }

  async #requireInProject(
    actor: Actor,
    projectId: string,
    { identityId, operation }: { identityId: string; operation: MethodOperation },
  ): Promise<void> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(METHOD_OPERATIONS[operation].inProject, 'identity', { identityId })
  }
}
