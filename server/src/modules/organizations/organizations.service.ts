import { badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { slugFor } from '../../lib/slug.ts'
import { newId } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import { isForeignKeyViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor, UserActor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { CUSTOM_ROLE, ORGANIZATION_ROLES } from '../permissions/predefined-roles.ts'
import type { Rule } from '../permissions/rule.ts'
import * as members from './members.store.ts'
import type { Membership, MemberKey, RoleGrant } from './members.store.ts'
import * as roles from './organization-roles.store.ts'
import * as store from './organizations.store.ts'

export type { MemberKey, Membership, RoleGrant } from './members.store.ts'
export type { Organization } from './organizations.store.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; changes: ChangeFeed }
/** What a slug stands for in an organization. */
type ResolvedRole = RoleGrant & { rules: readonly Rule[] }
type NewMember = MemberKey & {
  roles: readonly RoleGrant[]
  status?: 'invited' | 'accepted'
  inviteEmail?: string
  lastInvitedAt?: Date
}

/** Less than a kilobyte each. */
const KEPT_MAX = 10_000
const SLUG_LENGTH_MAX = 64
const SLUG_ATTEMPTS_MAX = 5
const ADMIN: RoleGrant = { role: 'admin', customRoleId: null }

/** Organizations, and who belongs to them with which roles. */
export class OrganizationService {
  readonly #deps: Deps
  readonly #kept: TrustedCache<store.Organization>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#kept = new TrustedCache(deps.changes, KEPT_MAX)
  }

  /** Those that the actor may enter. */
  listOf(actor: UserActor): Promise<store.OrganizationOfUser[]> {
    return store.listOfUser(this.#deps.db.pool, actor.id)
  }

  async get(actor: Actor, organizationId: string): Promise<store.Organization> {
    await this.#deps.permissions.inOrganization(actor, organizationId)
    const tags = [`organization:${organizationId}`]
    const organization = await this.#kept.get(organizationId, tags, () =>
      store.findById(this.#deps.db.pool, organizationId),
    )
    if (!organization) throw notFound(`Organization with id '${organizationId}' not found`)
    return organization
  }

  /** What the actor holds in its organization. */
  async heldBy(actor: UserActor) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    const { organizationId = '' } = actor
    const membership = await members.find(this.#deps.db.pool, { organizationId, userId: actor.id })
    if (!membership) throw forbidden(`You are not a member of the organization with id '${organizationId}'`)
    const held = await members.listRoles(this.#deps.db.pool, membership.id)
    return { membershipId: membership.id, roles: held.map(({ slug }) => slug), rules: ability.present.activeRules() }
  }

  /** A new organization with the actor as its administrator. */
  async createOwn(actor: UserActor, { name }: { name: string }): Promise<store.Organization> {
    return this.#deps.db.transaction(async (tx) => {
      const organization = await this.createWithAdmin(tx, { name, userId: actor.id })
      await this.#deps.audit.record(tx, actor, {
        type: 'create-organization',
        organizationId: organization.id,
        metadata: { organizationId: organization.id, name, slug: organization.slug },
      })
      return organization
    })
  }

  async createWithAdmin(tx: Tx, { name, userId }: { name: string; userId: string }): Promise<store.Organization> {
    const organization = await this.create(tx, { name })
    await this.addMember(tx, { organizationId: organization.id, userId, roles: [ADMIN] })
    return organization
  }

  async create(tx: Tx, { name }: { name: string }): Promise<store.Organization> {
    for (let attempt = 1; attempt <= SLUG_ATTEMPTS_MAX; attempt++) {
      const row = { id: newId(), name, slug: slugFor(name, SLUG_LENGTH_MAX) }
      const organization = await store.insert(tx, row)
      if (organization) return organization
    }
    throw new Error('No free slug was found for the organization')
  }

  /** Throws when there is no role of that slug. */
  async resolveRole(db: Db, organizationId: string, slug: string): Promise<ResolvedRole> {
    const predefined = ORGANIZATION_ROLES.find((role) => role.slug === slug)
    if (predefined) return { role: slug, customRoleId: null, rules: predefined.rules }
    const custom = await roles.findBySlug(db, organizationId, slug)
    if (!custom) throw notFound(`Role with slug '${slug}' not found in the organization`)
    return { role: CUSTOM_ROLE, customRoleId: custom.id, rules: custom.permissions }
  }

  find(db: Db, organizationId: string): Promise<store.Organization | undefined> {
    return store.findById(db, organizationId)
  }

  /** When and how members last came in. Nobody else has to hear of it. */
  recordLogins(logins: readonly members.Login[]): Promise<unknown> {
    return members.recordLogins(this.#deps.db.pool, logins)
  }

  findMember(db: Db, member: MemberKey): Promise<Membership | undefined> {
    return members.find(db, member)
  }

  findMembership(db: Db, membershipId: string): Promise<Membership | undefined> {
    return members.findById(db, membershipId)
  }

  /** Throws when it is a member already. */
  async addMember(tx: Tx, { roles: granted, ...member }: NewMember): Promise<Membership> {
    const row = { userId: null, identityId: null, groupId: null, inviteEmail: null, lastInvitedAt: null, ...member }
    const membership = await members.insert(tx, { ...row, id: newId() })
    if (!membership) throw badRequest('It is a member of the organization already')
    await replaceRoles(tx, membership.id, granted)
    await this.#append(tx, member, 'organization-member-added')
    return membership
  }

  /** Replaces all roles of a member; throws when that would leave the organization without an administrator. */
  async setRoles(tx: Tx, member: MemberKey, granted: readonly RoleGrant[]): Promise<Membership> {
    const membership = await this.#requireMember(tx, member)
    if (!granted.some(isAdmin)) await this.#requireOtherAdmin(tx, membership)
    await replaceRoles(tx, membership.id, granted)
    await this.#append(tx, member, 'organization-member-changed')
    return (await members.update(tx, membership.id, {})) ?? membership
  }

  async updateMember(tx: Tx, member: MemberKey, changes: members.MembershipChanges): Promise<Membership> {
    const membership = await this.#requireMember(tx, member)
    if (changes.isActive === false) await this.#requireOtherAdmin(tx, membership)
    await this.#append(tx, member, 'organization-member-changed')
    return (await members.update(tx, membership.id, changes)) ?? membership
  }

  /** Throws when that would leave the organization without an administrator. */
  async removeMember(tx: Tx, member: MemberKey): Promise<Membership> {
    const membership = await this.#requireMember(tx, member)
    await this.#requireOtherAdmin(tx, membership)
    await members.deleteById(tx, membership.id)
    await this.#append(tx, member, 'organization-member-removed')
    return membership
  }

  /**
   * Whoever completes an account through one invitation has shown that code only: invitations of other organizations,
   * made while nobody owned the account, must be made again.
   */
  async dropOtherInvitations(tx: Tx, { organizationId, userId }: { organizationId: string; userId: string }) {
    await members.deleteOtherInvitations(tx, userId, organizationId)
  }

  /** The lock keeps two administrators from removing each other at the same time. */
  async #requireMember(tx: Tx, member: MemberKey): Promise<Membership> {
    await store.lock(tx, member.organizationId)
    const membership = await members.find(tx, member)
    if (!membership) throw notFound('It is not a member of the organization')
    return membership
  }

  /** People alone count: whoever loses every machine must still be able to get in. */
  async #requireOtherAdmin(tx: Tx, { id, organizationId, userId }: Membership): Promise<void> {
    if (userId === null || (await members.hasOtherAdmin(tx, organizationId, id))) return
    if (!(await members.listRoles(tx, id)).some(isAdmin)) return
    throw badRequest('The last administrator of an organization can be neither removed nor demoted nor deactivated')
  }

  #append(tx: Tx, member: MemberKey, kind: string): Promise<void> {
    return this.#deps.changes.append(tx, { scope: scopeOf(member), kind })
  }
}

/** What a group holds, any number of people hold. */
const scopeOf = (member: MemberKey): string => {
  if ('groupId' in member) return `organization:${member.organizationId}`
  return `actor:${'userId' in member ? member.userId : member.identityId}`
}

const isAdmin = ({ role }: RoleGrant): boolean => role === 'admin'

/** A role may be deleted between being found and being given. */
const replaceRoles = async (tx: Tx, membershipId: string, granted: readonly RoleGrant[]): Promise<void> => {
  await members.replaceRoles(tx, membershipId, granted).catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? notFound('A role was not found in the organization') : error
  })
}
