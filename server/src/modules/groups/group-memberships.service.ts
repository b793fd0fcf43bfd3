import { isUuid } from '../../lib/uuid.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { describeRoles, type RequestedRole, requirePermanentRole } from './granted-roles.ts'
import * as store from './group-memberships.store.ts'
import { type GroupService, noSuchGroup } from './groups.service.ts'

export type { GroupMembership } from './group-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  groups: GroupService
  audit: AuditLog
}
type Search = store.Page & Pick<store.Filter, 'search' | 'roles'>

const NO_ACCESS = 'no-access'
const ONE = { limit: 1, offset: 0, orderBy: 'name', orderDirection: 'asc' } as const

/** The roles that groups hold in their organization, and all their members with them. */
export class GroupMembershipService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, { search, roles, ...page }: Search) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('read', 'groups')
    const filter = { organizationId: actor.organizationId ?? '', search, roles }
    const [memberships, totalCount] = await Promise.all([
      store.list(this.#deps.db.pool, filter, page),
      store.count(this.#deps.db.pool, filter),
    ])
    return { memberships, totalCount }
  }

  async get(actor: Actor, groupId: string): Promise<store.GroupMembership> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('read', 'groups')
    return this.#require(actor, groupId)
  }

  async setRoles(actor: Actor, groupId: string, roles: readonly RequestedRole[]): Promise<store.GroupMembership> {
    const { db, organizations, permissions } = this.#deps
    const ability = await permissions.inOrganization(actor)
    await ability.require('edit', 'groups')
    if (roles.some(({ role }) => role !== NO_ACCESS)) await ability.requireBoundary('grant-privileges', 'groups')
    requirePermanentRole(roles, 'Group')
    const { organizationId = '' } = actor

    return db.transaction(async (tx) => {
      const group = await this.#deps.groups.find(tx, organizationId, groupId)
      if (!group) throw noSuchGroup(groupId)
      const granted = []
      for (const { role, term } of roles) {
        granted.push({ ...(await organizations.resolveRole(tx, organizationId, role)), term })
      }
      await organizations.setRoles(tx, { organizationId, groupId }, granted)
      const metadata = { groupId, groupName: group.name, roles: describeRoles(roles) }
      await this.#deps.audit.record(tx, actor, { type: 'update-group-org-membership', organizationId, metadata })
      return this.#require(actor, groupId, tx)
    })
  }

  async #require({ organizationId = '' }: Actor, groupId: string, db = this.#deps.db.pool) {
    const [membership] = isUuid(groupId) ? await store.list(db, { organizationId, groupId }, ONE) : []
    if (!membership) throw noSuchGroup(groupId)
    return membership
  }
}
