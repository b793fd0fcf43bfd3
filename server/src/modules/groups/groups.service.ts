import { badRequest, notFound } from '../../lib/app-error.ts'
import { slugFor } from '../../lib/slug.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import * as store from './groups.store.ts'

export type { Group, GroupWithRole } from './groups.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  audit: AuditLog
  changes: ChangeFeed
}
type NewGroup = { name: string; slug?: string | undefined; role: string }
type GroupChanges = { name?: string | undefined; slug?: string | undefined; role?: string | undefined }

const NO_ACCESS = 'no-access'
const SLUG_LENGTH_MAX = 255
const CHANGES_AT_ONCE = 1_000

/** Groups of an organization: what a group holds, each of its members holds. */
export class GroupService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, organizationId = actor.organizationId): Promise<store.GroupWithRole[]> {
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('read', 'groups')
    return store.listWithRole(this.#deps.db.pool, organizationId ?? '')
  }

  async get(actor: Actor, id: string): Promise<store.GroupWithRole> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('read', 'groups')
    const { organizationId = '' } = actor
    const group = isUuid(id) ? await store.findWithRole(this.#deps.db.pool, organizationId, id) : undefined
    if (!group) throw noSuchGroup(id)
    return group
  }

  async create(actor: Actor, { name, slug = slugFor(name, SLUG_LENGTH_MAX), role }: NewGroup): Promise<store.Group> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('create', 'groups')
    await this.#requireMayGrant(actor, role)
    const { organizationId = '' } = actor

    return this.#deps.db.transaction(async (tx) => {
      const granted = await this.#deps.organizations.resolveRole(tx, organizationId, role)
      const group = await store.insert(tx, { id: newId(), organizationId, name, slug })
      if (!group) throw nameOrSlugTaken()
      await this.#deps.organizations.addMember(tx, { organizationId, groupId: group.id, roles: [granted] })
      await this.#record(tx, actor, 'create-group', { groupId: group.id, name, slug, role })
      return group
    })
  }

  async update(actor: Actor, id: string, { role, ...changes }: GroupChanges): Promise<store.Group> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('edit', 'groups')
    if (role !== undefined) await this.#requireMayGrant(actor, role)
    const { organizationId = '' } = actor

    return this.#deps.db.transaction(async (tx) => {
      await this.#lock(tx, actor, id)
      if (role !== undefined) {
        const granted = await this.#deps.organizations.resolveRole(tx, organizationId, role)
        await this.#deps.organizations.setRoles(tx, { organizationId, groupId: id }, [granted])
      }
      const group = await store.update(tx, id, defined(changes)).catch((error: unknown) => {
        throw isUniqueViolation(error) ? nameOrSlugTaken() : error
      })
      await this.#record(tx, actor, 'update-group', { groupId: id, ...changes, role })
      return group
    })
  }

  async delete(actor: Actor, id: string): Promise<store.Group> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('delete', 'groups')

    return this.#deps.db.transaction(async (tx) => {
      const group = await this.#lock(tx, actor, id)
      const projectIds = await store.listProjectIds(tx, id)
      await store.deleteById(tx, id)
      await this.#record(tx, actor, 'delete-group', { groupId: id, name: group.name, slug: group.slug })
      await this.#announceDeleted(tx, group, projectIds)
      return group
    })
  }

  /** Without asking whether the actor may. */
  async find(db: Db, organizationId: string, id: string): Promise<store.Group | undefined> {
    return isUuid(id) ? store.find(db, organizationId, id) : undefined
  }

  /** Without asking whether the actor may. */
  findByName(db: Db, organizationId: string, name: string): Promise<store.Group | undefined> {
    return store.findByName(db, organizationId, name)
  }

  async #requireMayGrant(actor: Actor, role: string): Promise<void> {
    if (role === NO_ACCESS) return
    await this.#deps.organizations.resolveRole(this.#deps.db.pool, actor.organizationId ?? '', role)
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.requireBoundary('grant-privileges', 'groups')
  }

  async #lock(tx: Tx, { organizationId = '' }: Actor, id: string): Promise<store.Group> {
    const group = isUuid(id) ? await store.lock(tx, organizationId, id) : undefined
    if (!group) throw noSuchGroup(id)
    return group
  }

  /** Its members may be many, so the organization is told; the projects are for those who follow one of them. */
  async #announceDeleted(tx: Tx, { id, organizationId }: store.Group, projectIds: readonly string[]): Promise<void> {
    const scopes = [
      `group:${id}`,
      `organization:${organizationId}`,
      ...projectIds.map((project) => `project:${project}`),
    ]
    for (let start = 0; start < scopes.length; start += CHANGES_AT_ONCE) {
      const some = scopes.slice(start, start + CHANGES_AT_ONCE)
      await this.#deps.changes.append(tx, ...some.map((scope) => ({ scope, kind: 'group-deleted' })))
    }
  }

  #record(tx: Tx, actor: Actor, type: string, metadata: object): Promise<void> {
    return this.#deps.audit.record(tx, actor, { type, organizationId: actor.organizationId, metadata })
  }
}

const defined = ({ name, slug }: GroupChanges): store.Changes => ({
  ...(name !== undefined && { name }),
  ...(slug !== undefined && { slug }),
})

export const noSuchGroup = (id: string) => notFound(`Group with id '${id}' not found`)
const nameOrSlugTaken = () =>
  badRequest('Another group of the organization has this name or slug already: choose another one')
