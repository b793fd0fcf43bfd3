import { badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isForeignKeyViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { User, UserService } from '../users/users.service.ts'
import { CandidatePages } from './candidate-pages.ts'
import * as lists from './group-lists.store.ts'
import * as store from './group-members.store.ts'
import { type Group, type GroupService, noSuchGroup } from './groups.service.ts'
import type { Slice } from './member-order.ts'
import { MemberOrders } from './member-orders.ts'
import { type MemberPage, MemberPages } from './member-pages.ts'

export type { MemberPage } from './member-pages.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  users: UserService
  groups: GroupService
  audit: AuditLog
  changes: ChangeFeed
}
type MembersQuery = Slice & { types: readonly store.MemberType[]; search?: string | undefined }
type UsersQuery = Omit<Slice, 'orderDirection'> & {
  search?: string | undefined
  /** Looked for only without `search`. */
  username?: string | undefined
  filter?: 'existingMembers' | 'nonMembers' | undefined
}
type IdentitiesQuery = Omit<Slice, 'orderDirection'> & {
  search?: string | undefined
  filter?: 'assignedMachineIdentities' | 'nonAssignedMachineIdentities' | undefined
}
type Power = 'add-members' | 'remove-members' | 'add-identities' | 'remove-identities'

/** Who is in the groups of an organization: people and machine identities. */
export class GroupMemberService {
  readonly #deps: Deps
  readonly #pages: MemberPages
  readonly #candidates: CandidatePages

  constructor(deps: Deps) {
    this.#deps = deps
    const orders = new MemberOrders(deps)
    this.#pages = new MemberPages({ db: deps.db, orders })
    this.#candidates = new CandidatePages({ db: deps.db, orders })
  }

  async list(actor: Actor, groupId: string, { types, search, ...slice }: MembersQuery): Promise<MemberPage> {
    await this.#requireMayRead(actor)
    const target = targetOf(actor, groupId)
    const page = target && (await this.#pages.find({ ...target, types, search }, slice))
    if (!page) throw noSuchGroup(groupId)
    return page
  }

  /** All users of the organization, told whether they are in the group. */
  async listUsers(actor: Actor, groupId: string, query: UsersQuery) {
    await this.#requireMayRead(actor)
    return this.findUsers(actor, groupId, query)
  }

  /** Without asking whether the actor may. */
  async findUsers(actor: Actor, groupId: string, { filter, search, username, ...slice }: UsersQuery) {
    const isMember = filter && filter === 'existingMembers'
    const target = targetOf(actor, groupId)
    const page = target && (await this.#candidates.findUsers(target, { isMember, search, username }, slice))
    if (!page) throw noSuchGroup(groupId)
    return { users: page.rows, totalCount: page.totalCount }
  }

  /** All machine identities of the organization, told whether they are in the group. */
  async listIdentities(actor: Actor, groupId: string, { filter, search, ...slice }: IdentitiesQuery) {
    await this.#requireMayRead(actor)
    const isMember = filter && filter === 'assignedMachineIdentities'
    const target = targetOf(actor, groupId)
    const page = target && (await this.#candidates.findIdentities(target, { isMember, search }, slice))
    if (!page) throw noSuchGroup(groupId)
    return { machineIdentities: page.rows, totalCount: page.totalCount }
  }

  async listProjects(actor: Actor, groupId: string, query: lists.ProjectsQuery) {
    await this.#requireMayRead(actor)
    const group = await this.#require(actor, groupId)
    const [projects, totalCount] = await Promise.all([
      lists.listProjects(this.#deps.db.pool, group, query),
      lists.countProjects(this.#deps.db.pool, group, query),
    ])
    return { projects, totalCount }
  }

  async addUser(actor: Actor, groupId: string, username: string): Promise<User> {
    await this.#requireMayChange(actor, 'add-members')
    return this.#deps.db.transaction(async (tx) => {
      const group = await this.#require(actor, groupId, tx)
      const user = await this.#requireUser(tx, group, username)
      if (!(await this.#insert(tx, group, { userId: user.id }))) {
        throw badRequest(`The user is a member of the group '${group.slug}' already`)
      }
      await this.#announceUser(tx, actor, 'add-user-to-group', { group, user })
      return user
    })
  }

  async removeUser(actor: Actor, groupId: string, username: string): Promise<User> {
    await this.#requireMayChange(actor, 'remove-members')
    return this.#deps.db.transaction(async (tx) => {
      const group = await this.#require(actor, groupId, tx)
      const user = await this.#requireUser(tx, group, username)
      if (!(await store.deleteOne(tx, group.id, { userId: user.id }))) {
        throw forbidden(`The user is not a member of the group '${group.slug}'`)
      }
      await this.#announceUser(tx, actor, 'remove-user-from-group', { group, user })
      return user
    })
  }

  async addIdentity(actor: Actor, groupId: string, identityId: string): Promise<{ id: string }> {
    await this.#requireMayChange(actor, 'add-identities')
    return this.#deps.db.transaction(async (tx) => {
      const group = await this.#require(actor, groupId, tx)
      await this.#requireIdentity(tx, group, identityId)
      if (!(await this.#insert(tx, group, { identityId }))) {
        throw badRequest(`The identity is a member of the group '${group.slug}' already`)
      }
      await this.#announceIdentity(tx, actor, 'add-identity-to-group', { group, identityId })
      return { id: identityId }
    })
  }

  async removeIdentity(actor: Actor, groupId: string, identityId: string): Promise<{ id: string }> {
    await this.#requireMayChange(actor, 'remove-identities')
    return this.#deps.db.transaction(async (tx) => {
      const group = await this.#require(actor, groupId, tx)
      await this.#requireIdentity(tx, group, identityId)
      if (!(await store.deleteOne(tx, group.id, { identityId }))) {
        throw forbidden(`The machine identity is not a member of the group '${group.slug}'`)
      }
      await this.#announceIdentity(tx, actor, 'remove-identity-from-group', { group, identityId })
      return { id: identityId }
    })
  }

  async #requireMayRead(actor: Actor): Promise<void> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('read', 'groups')
  }

  /** Whoever puts someone into a group hands on what the group holds. */
  async #requireMayChange(actor: Actor, power: Power): Promise<void> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('edit', 'groups')
    await ability.requireBoundary(power, 'groups')
  }

  async #require({ organizationId = '' }: Actor, groupId: string, db = this.#deps.db.pool): Promise<Group> {
    const group = await this.#deps.groups.find(db, organizationId, groupId)
    if (!group) throw noSuchGroup(groupId)
    return group
  }

  /** Someone of another organization looks like someone who does not exist. */
  async #requireUser(tx: Tx, { organizationId }: Group, username: string): Promise<User> {
    const user = await this.#deps.users.find(tx, username)
    const membership = user && (await this.#deps.organizations.findMember(tx, { organizationId, userId: user.id }))
    if (!membership) throw notFound(`User with username '${username}' not found in the organization`)
    return user
  }

  async #requireIdentity(tx: Tx, { organizationId }: Group, identityId: string): Promise<void> {
    if (isUuid(identityId) && (await store.isOrganizationIdentity(tx, organizationId, identityId))) return
    throw notFound(`Machine identity with id '${identityId}' not found in the organization`)
  }

  async #insert(tx: Tx, { id: groupId, organizationId }: Group, member: store.MemberKey) {
    return store.insert(tx, { id: newId(), groupId, organizationId, ...member }).catch((error: unknown) => {
      if (isForeignKeyViolation(error)) throw notFound('The group or the member has just been deleted')
      throw error
    })
  }

  async #announceUser(tx: Tx, actor: Actor, type: string, { group, user }: { group: Group; user: User }) {
    const metadata = { groupId: group.id, groupName: group.name, userId: user.id, username: user.username }
    await this.#deps.audit.record(tx, actor, { type, organizationId: group.organizationId, metadata })
    await this.#deps.changes.append(tx, { scope: `actor:${user.id}`, kind: 'group-member-changed' })
  }

  async #announceIdentity(
    tx: Tx,
    actor: Actor,
    type: string,
    { group, identityId }: { group: Group; identityId: string },
  ) {
    const metadata = { groupId: group.id, groupName: group.name, identityId }
    await this.#deps.audit.record(tx, actor, { type, organizationId: group.organizationId, metadata })
    await this.#deps.changes.append(tx, { scope: `actor:${identityId}`, kind: 'group-member-changed' })
  }
}

/** Undefined when it cannot be the id of a group. */
const targetOf = ({ organizationId = '' }: Actor, groupId: string) =>
  isUuid(groupId) ? { organizationId, groupId: groupId.toLowerCase() } : undefined
