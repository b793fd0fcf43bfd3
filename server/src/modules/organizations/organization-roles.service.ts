import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { asCustom, type NewRole, type RoleChanges } from '../permissions/custom-role.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { ORGANIZATION_ROLES } from '../permissions/predefined-roles.ts'
import type { Rule } from '../permissions/rule.ts'
import type { OrganizationService } from './organizations.service.ts'
import * as store from './organization-roles.store.ts'
import { requireMayWrite } from './power.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  organizations: OrganizationService
}
type Action = 'read' | 'create' | 'edit' | 'delete'

export type ListedRole = Omit<store.OrganizationRole, 'permissions'>
export type RoleView = ListedRole & { permissions: readonly Rule[] }

/** Roles of organizations: three that all of them have, and those that each makes for itself. */
export class OrganizationRoleService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor): Promise<ListedRole[]> {
    const organizationId = await this.#require(actor, 'read')
    const [predefined, custom] = await Promise.all([
      this.#predefined(actor, organizationId),
      store.list(this.#deps.db.pool, organizationId),
    ])
    return [...predefined, ...custom]
  }

  async get(actor: Actor, roleId: string): Promise<RoleView> {
    const organizationId = await this.#require(actor, 'read')
    const predefined = (await this.#predefined(actor, organizationId)).find(({ id }) => id === roleId)
    if (predefined) return predefined
    return this.#find(organizationId, roleId)
  }

  async getBySlug(actor: Actor, slug: string): Promise<RoleView> {
    const organizationId = await this.#require(actor, 'read')
    const predefined = (await this.#predefined(actor, organizationId)).find((role) => role.slug === slug)
    const role = predefined ?? (await store.findBySlug(this.#deps.db.pool, organizationId, slug))
    if (!role) throw notFound(`Role with slug '${slug}' not found`)
    return role
  }

  async create(actor: Actor, { slug, name, description = null, permissions }: NewRole): Promise<RoleView> {
    const { organizationId, ability } = await this.#ask(actor, 'create')
    await ability.satisfy((present) => requireMayWrite(present.activeRules(), { before: [], after: permissions }))

    return this.#deps.db.transaction(async (tx) => {
      const role = await store.insert(tx, { id: newId(), organizationId, slug, name, description, permissions })
      if (!role) throw slugTaken(slug)
      await this.#announce(tx, actor, 'create-org-role', { ...describe(role), organizationId })
      return role
    })
  }

  async update(actor: Actor, roleId: string, changes: RoleChanges): Promise<RoleView> {
    const { organizationId, ability } = await this.#ask(actor, 'edit')
    const before = await this.#find(organizationId, roleId)
    await ability.satisfy((present) => requireMayWrite(present.activeRules(), rewriting(before, changes)))

    return this.#deps.db.transaction(async (tx) => {
      const locked = await this.#lock(tx, organizationId, roleId)
      requireMayWrite(ability.present.activeRules(), rewriting(locked, changes))
      const role = await store.update(tx, roleId, changes).catch((error: unknown) => {
        throw isUniqueViolation(error) ? slugTaken(changes.slug ?? '') : error
      })
      await this.#announce(tx, actor, 'update-org-role', { ...describe(role), organizationId })
      return role
    })
  }

  async remove(actor: Actor, roleId: string): Promise<RoleView> {
    const organizationId = await this.#require(actor, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const role = await this.#lock(tx, organizationId, roleId)
      if (await store.isHeld(tx, roleId)) throw inUse(role.slug)
      await store.deleteById(tx, roleId)
      const { slug, name } = role
      await this.#announce(tx, actor, 'delete-org-role', { organizationId, roleId, slug, name })
      return role
    })
  }

  async #require(actor: Actor, action: Action): Promise<string> {
    return (await this.#ask(actor, action)).organizationId
  }

  async #ask(actor: Actor, action: Action) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require(action, 'role')
    return { ability, organizationId: actor.organizationId ?? '' }
  }

  async #find(organizationId: string, roleId: string): Promise<store.OrganizationRole> {
    const role = isUuid(roleId) ? await store.findById(this.#deps.db.pool, organizationId, roleId) : undefined
    if (!role) throw noSuchRole(roleId)
    return role
  }

  /** As old as the organization itself. */
  async #predefined(actor: Actor, organizationId: string): Promise<RoleView[]> {
    const { createdAt } = await this.#deps.organizations.get(actor, organizationId)
    return ORGANIZATION_ROLES.map((role) => ({ ...asCustom(role, createdAt), organizationId }))
  }

  async #lock(tx: Tx, organizationId: string, roleId: string): Promise<store.OrganizationRole> {
    const role = isUuid(roleId) ? await store.lockById(tx, organizationId, roleId) : undefined
    if (!role) throw noSuchRole(roleId)
    return role
  }

  async #announce(
    tx: Tx,
    actor: Actor,
    type: string,
    { organizationId, ...metadata }: { organizationId: string; roleId: string } & Record<string, unknown>,
  ): Promise<void> {
    await this.#deps.audit.record(tx, actor, { type, organizationId, metadata })
    await this.#deps.changes.append(tx, { scope: `organization:${organizationId}`, kind: 'organization-role-changed' })
  }
}

const describe = ({ id, slug, name, description, permissions }: store.OrganizationRole) => ({
  roleId: id,
  slug,
  name,
  description,
  permissions: JSON.stringify(permissions),
})

const noSuchRole = (id: string) => notFound(`Role with id '${id}' not found`)
const slugTaken = (slug: string) => badRequest(`A role with slug '${slug}' already exists`)
const inUse = (slug: string) => badRequest(`The role '${slug}' is assigned to someone: assign another one first`)

const rewriting = ({ permissions }: store.OrganizationRole, changes: RoleChanges) => ({
  before: permissions,
  after: changes.permissions ?? permissions,
})
