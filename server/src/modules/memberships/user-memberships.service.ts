import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { RequestedRole } from '../groups/granted-roles.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import type { MembershipRole, ProjectMembership, ProjectMemberService } from './project-members.service.ts'
import { requireMayAssign } from './role-assignment.ts'
import * as store from './user-memberships.store.ts'

export type { UserMembership } from './user-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  members: ProjectMemberService
  audit: AuditLog
}
type Target = { projectId: string; membershipId: string }
export type PlainUserMembership = ProjectMembership & { userId: string }

/** wire: a name of their own for these. */
const BY_NAME = { code: 'Delete project membership' }

/** People as members of projects. */
export class ProjectUserService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, projectId: string): Promise<store.UserMembership[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'member')
    const memberships = await store.list(this.#deps.db.pool, projectId, 'all')
    return memberships.filter(({ email }) => ability.present.can('read', 'member', { userEmail: email }))
  }

  async get(actor: Actor, { projectId, membershipId }: Target): Promise<store.UserMembership> {
    return this.#require(actor, projectId, { action: 'read', which: { membershipId } })
  }

  async getByUser(actor: Actor, projectId: string, userId: string): Promise<store.UserMembership> {
    return this.#require(actor, projectId, { action: 'read', which: { userId } })
  }

  async getByUsername(actor: Actor, projectId: string, username: string): Promise<store.UserMembership> {
    return this.#require(actor, projectId, { action: 'read', which: { names: [username.toLowerCase()] } })
  }

  async setRoles(actor: Actor, target: Target, roles: readonly RequestedRole[]): Promise<MembershipRole[]> {
    const { projectId, membershipId } = target
    const { userId, email } = await this.#require(actor, projectId, { action: 'edit', which: { membershipId } })
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    const projectType = (await this.#deps.projects.find(projectId))?.type ?? ''
    const recipient = { subject: 'member', fields: { userEmail: email } } as const
    await requireMayAssign({ ability, recipient, roles, projectType })

    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#lock(tx, { projectId, userId })
      const rows = await this.#deps.members.setRoles(tx, membership, roles)
      const metadata = { userId, membershipId, roles: roles.map(({ role }) => role) }
      await this.#deps.audit.record(tx, actor, { type: 'update-project-member', projectId, metadata })
      return rows
    })
  }

  async remove(actor: Actor, { projectId, membershipId }: Target): Promise<PlainUserMembership> {
    const { userId, email } = await this.#require(actor, projectId, { action: 'delete', which: { membershipId } })
    if (isSelf(actor, userId)) throw badRequest('You cannot remove your own membership')
    return this.#deps.db.transaction((tx) => this.#remove(tx, actor, { projectId, userId, email }))
  }

  /** All of them, or none. */
  async removeByName(actor: Actor, projectId: string, names: readonly string[]): Promise<PlainUserMembership[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('delete', 'member')
    const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
    const memberships = await store.list(this.#deps.db.pool, projectId, { names: wanted })
    const isFound = (name: string) => memberships.some(({ username, email }) => username === name || email === name)
    if (!wanted.every(isFound)) throw badRequest('Some users are not members of the project', BY_NAME)
    if (memberships.some(({ userId }) => isSelf(actor, userId))) {
      throw badRequest('You cannot remove yourself from the project', BY_NAME)
    }
    for (const { email } of memberships) await ability.require('delete', 'member', { userEmail: email })

    return this.#deps.db.transaction(async (tx) => {
      const removed: PlainUserMembership[] = []
      for (const membership of memberships) removed.push(await this.#remove(tx, actor, membership))
      return removed
    })
  }

  /** Anyone may go, but for the last administrator. */
  async leave(actor: Actor, projectId: string): Promise<PlainUserMembership> {
    await this.#deps.permissions.inProject(actor, projectId)
    const [membership] = await store.list(this.#deps.db.pool, projectId, { userId: actor.id })
    if (!membership) throw badRequest('You have no membership of your own in the project')
    return this.#deps.db.transaction((tx) => this.#remove(tx, actor, membership))
  }

  /** The membership, for an actor who may do this with it. */
  async #require(
    actor: Actor,
    projectId: string,
    { action, which }: { action: 'read' | 'edit' | 'delete'; which: Exclude<store.Which, 'all'> },
  ): Promise<store.UserMembership> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'member')
    const [membership] = await this.#find(this.#deps.db.pool, projectId, which)
    if (!membership) throw notFound('User membership not found in the project')
    await ability.require(action, 'member', { userEmail: membership.email })
    return membership
  }

  async #find(db: Db, projectId: string, which: Exclude<store.Which, 'all'>): Promise<store.UserMembership[]> {
    const id = 'membershipId' in which ? which.membershipId : 'userId' in which ? which.userId : undefined
    return id !== undefined && !isUuid(id) ? [] : store.list(db, projectId, which)
  }

  async #lock(tx: Tx, target: { projectId: string; userId: string }): Promise<ProjectMembership> {
    const membership = await this.#deps.members.lock(tx, target)
    if (!membership) throw badRequest('The user is not a member of the project')
    return membership
  }

  async #remove(
    tx: Tx,
    actor: Actor,
    { projectId, userId, email }: { projectId: string; userId: string; email: string },
  ): Promise<PlainUserMembership> {
    const membership = await this.#lock(tx, { projectId, userId })
    await this.#deps.members.remove(tx, membership)
    await this.#deps.audit.record(tx, actor, { type: 'remove-project-member', projectId, metadata: { userId, email } })
    return { ...membership, userId }
  }
}

const isSelf = ({ type, id }: Actor, userId: string): boolean => type === 'user' && id === userId
