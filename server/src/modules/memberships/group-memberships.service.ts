import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import { describeRoles, type RequestedRole } from '../groups/granted-roles.ts'
import type { GroupMemberService } from '../groups/group-members.service.ts'
import { type Group, type GroupService, noSuchGroup } from '../groups/groups.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import * as store from './group-memberships.store.ts'
import type { MembershipRole, ProjectMembership, ProjectMemberService } from './project-members.service.ts'
import { requireMayAssign } from './role-assignment.ts'

export type { GroupMembership } from './group-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  groups: GroupService
  groupMembers: GroupMemberService
  members: ProjectMemberService
  audit: AuditLog
}
type Target = { projectId: string; groupId: string }
type UsersQuery = Parameters<GroupMemberService['findUsers']>[2]

/** Groups as members of projects: what a group is given there, all of its members hold. */
export class ProjectGroupService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, projectId: string): Promise<store.GroupMembership[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'groups')
    const memberships = await store.list(this.#deps.db.pool, projectId)
    return memberships.filter(({ name }) => ability.present.can('read', 'groups', { groupName: name }))
  }

  async get(actor: Actor, { projectId, groupId }: Target): Promise<store.GroupMembership> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'groups')
    const membership = await this.#find(this.#deps.db.pool, { projectId, groupId })
    if (!membership) throw notAMember(groupId)
    await ability.require('read', 'groups', { groupName: membership.name })
    return membership
  }

  /** All users of the organization, told whether they are in the group. */
  async listUsers(actor: Actor, target: Target, query: UsersQuery) {
    await this.get(actor, target)
    return this.#deps.groupMembers.findUsers(actor, target.groupId, query)
  }

  async add(actor: Actor, target: Target, roles: readonly RequestedRole[]): Promise<store.GroupMembership> {
    const { group } = await this.#prepare(actor, target, { action: 'create', roles })
    const { projectId } = target
    const { id: groupId, organizationId } = group

    return this.#deps.db.transaction(async (tx) => {
      await this.#deps.members.admit(tx, { organizationId, projectId, groupId }, roles)
      await this.#record(tx, actor, 'add-group-to-project', { group, projectId, roles })
      const membership = await this.#find(tx, { projectId, groupId })
      if (!membership) throw notAMember(groupId)
      return membership
    })
  }

  /** The group by its id or else by its name. */
  async addByIdOrName(
    actor: Actor,
    projectId: string,
    { idOrName, roles }: { idOrName: string; roles: RequestedRole[] },
  ) {
    return this.add(actor, { projectId, groupId: await this.#idOf(actor, idOrName) }, roles)
  }

  async setRoles(actor: Actor, target: Target, roles: readonly RequestedRole[]): Promise<MembershipRole[]> {
    const { group } = await this.#prepare(actor, target, { action: 'edit', roles })
    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#lock(tx, target)
      const rows = await this.#deps.members.setRoles(tx, membership, roles)
      await this.#record(tx, actor, 'update-group-project-membership', { group, projectId: target.projectId, roles })
      return rows
    })
  }

  async remove(actor: Actor, target: Target): Promise<ProjectMembership & { groupId: string }> {
    const { group } = await this.#prepare(actor, target, { action: 'delete' })
    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#lock(tx, target)
      await this.#deps.members.remove(tx, membership)
      await this.#record(tx, actor, 'remove-group-from-project', { group, projectId: target.projectId })
      return { ...membership, groupId: group.id }
    })
  }

  /** The group, for an actor who may do this with it and may give it these roles. */
  async #prepare(
    actor: Actor,
    { projectId, groupId }: Target,
    { action, roles }: { action: 'create' | 'edit' | 'delete'; roles?: readonly RequestedRole[] },
  ): Promise<{ group: Group }> {
    const { db, permissions, projects, groups } = this.#deps
    const ability = await permissions.inProject(actor, projectId)
    await ability.require(action, 'groups')
    const group = await groups.find(db.pool, actor.organizationId ?? '', groupId)
    if (!group) throw noSuchGroup(groupId)
    await ability.require(action, 'groups', { groupName: group.name })
    if (!roles) return { group }

    const projectType = (await projects.find(projectId))?.type ?? ''
    const recipient = { subject: 'groups', fields: { groupName: group.name } } as const
    await requireMayAssign({ ability, recipient, roles, projectType })
    return { group }
  }

  async #idOf({ organizationId = '' }: Actor, idOrName: string): Promise<string> {
    if (isUuid(idOrName)) return idOrName
    const { db, groups } = this.#deps
    const group =
      (await groups.findByName(db.pool, organizationId, idOrName)) ??
      // wire: a client writes names into the path as into a query, where + is a space.
      (await groups.findByName(db.pool, organizationId, idOrName.replaceAll('+', ' ')))
    return group?.id ?? idOrName
  }

  async #find(db: Db, { projectId, groupId }: Target): Promise<store.GroupMembership | undefined> {
    return isUuid(groupId) ? (await store.list(db, projectId, groupId))[0] : undefined
  }

  async #lock(tx: Tx, target: Target): Promise<ProjectMembership> {
    const membership = await this.#deps.members.lock(tx, target)
    if (!membership) throw badRequest('The group is not a member of the project')
    return membership
  }

  #record(
    tx: Tx,
    actor: Actor,
    type: string,
    { group, projectId, roles }: { group: Group; projectId: string; roles?: readonly RequestedRole[] },
  ): Promise<void> {
    const metadata = { groupId: group.id, groupName: group.name, ...(roles && { roles: describeRoles(roles) }) }
    return this.#deps.audit.record(tx, actor, { type, projectId, metadata })
  }
}

const notAMember = (groupId: string) => notFound(`Group with id '${groupId}' is not a member of the project`)
