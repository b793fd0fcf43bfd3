import { notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import * as store from './members.store.ts'
import type { OrganizationService } from './organizations.service.ts'
import { requireMayGrant } from './power.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; organizations: OrganizationService }
type MemberChanges = {
  role?: string | undefined
  isActive?: boolean | undefined
  metadata?: readonly store.Metadata[] | undefined
}
export type { Member } from './members.store.ts'
export type MemberWithMetadata = store.Member & { metadata: (store.Metadata & { id: string })[] }

/** The people of an organization. */
export class OrganizationMemberService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, organizationId: string): Promise<store.Member[]> {
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('read', 'member')
    return store.list(this.#deps.db.pool, organizationId)
  }

  async get(actor: Actor, organizationId: string, membershipId: string): Promise<MemberWithMetadata> {
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('read', 'member')
    return withMetadata(this.#deps.db.pool, await this.#require(this.#deps.db.pool, organizationId, membershipId))
  }

  async update(actor: Actor, organizationId: string, membershipId: string, changes: MemberChanges) {
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('edit', 'member')
    const { role, isActive, metadata } = changes

    return this.#deps.db.transaction(async (tx) => {
      const { memberId } = await this.#require(tx, organizationId, membershipId)
      const member = { organizationId, userId: memberId }
      if (role !== undefined) {
        const granted = await this.#deps.organizations.resolveRole(tx, organizationId, role)
        requireMayGrant(ability.present.activeRules(), role, granted.rules)
        await this.#deps.organizations.setRoles(tx, member, [granted])
      }
      if (metadata) await store.replaceMetadata(tx, membershipId, metadata)
      if (isActive !== undefined || metadata) {
        await this.#deps.organizations.updateMember(tx, member, isActive === undefined ? {} : { isActive })
      }
      await this.#record(tx, actor, 'update-org-membership', { ...changes, organizationId, membershipId, memberId })
      return withMetadata(tx, await this.#require(tx, organizationId, membershipId))
    })
  }

  async remove(actor: Actor, organizationId: string, membershipId: string): Promise<store.Member> {
    const ability = await this.#deps.permissions.inOrganization(actor, organizationId)
    await ability.require('delete', 'member')

    return this.#deps.db.transaction(async (tx) => {
      const member = await this.#require(tx, organizationId, membershipId)
      await this.#deps.organizations.removeMember(tx, { organizationId, userId: member.memberId })
      const { memberId } = member
      await this.#record(tx, actor, 'delete-org-membership', { organizationId, membershipId, memberId })
      return member
    })
  }

  async #require(db: Db, organizationId: string, membershipId: string): Promise<store.Member> {
    const member = isUuid(membershipId) ? await store.findMember(db, organizationId, membershipId) : undefined
    if (!member) throw notFound(`Organization membership with id '${membershipId}' not found`)
    return member
  }

  #record(tx: Tx, actor: Actor, type: string, details: MemberDetails): Promise<void> {
    const { organizationId, membershipId, memberId, role, isActive } = details
    const metadata = { membershipId, userId: memberId, role, isActive }
    return this.#deps.audit.record(tx, actor, { type, organizationId, metadata })
  }
}

type MemberDetails = MemberChanges & { organizationId: string; membershipId: string; memberId: string }

const withMetadata = async (db: Db, member: store.Member): Promise<MemberWithMetadata> => ({
  ...member,
  metadata: await store.listMetadata(db, member.id),
})
