import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import { describeRoles, type RequestedRole } from '../groups/granted-roles.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import * as store from './identity-memberships.store.ts'
import type { MembershipRole, ProjectMembership, ProjectMemberService } from './project-members.service.ts'
import { requireMayAssign } from './role-assignment.ts'

export type { IdentityMembership } from './identity-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  members: ProjectMemberService
  audit: AuditLog
  clock: Clock
}
type Target = { projectId: string; identityId: string }
type Query = Pick<store.Filter, 'name' | 'roles'> & Omit<store.Page, 'now'>
type Action = 'create' | 'edit' | 'delete'
export type PlainIdentityMembership = ProjectMembership & { identityId: string }

const FIRST = { offset: 0, limit: 1, orderDirection: 'asc' } as const
const PROJECTS_MAX = 10_000

/** Machine identities as members of projects. */
export class ProjectIdentityService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those that the actor may see; the total counts the others too. */
  async list(actor: Actor, projectId: string, { name, roles, ...page }: Query) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'identity')
    const filter = { organizationId: actor.organizationId ?? '', projectId, name, roles }
    const [memberships, totalCount] = await Promise.all([
      this.#list(this.#deps.db.pool, filter, page),
      store.count(this.#deps.db.pool, filter),
    ])
    const isVisible = ({ identityId }: store.IdentityMembership) =>
      ability.present.can('read', 'identity', { identityId })
    return { memberships: memberships.filter(isVisible), totalCount }
  }

  async get(actor: Actor, { projectId, identityId }: Target): Promise<store.IdentityMembership> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'identity', { identityId })
    const membership = isUuid(identityId) ? await this.#find(actor, { projectId, identityId }) : undefined
    if (!membership) throw notFound(`Identity with id '${identityId}' is not a member of the project`)
    return membership
  }

  async getById(actor: Actor, membershipId: string): Promise<store.IdentityMembership> {
    const membership = isUuid(membershipId) ? await this.#find(actor, { membershipId }) : undefined
    if (!membership) throw notFound(`Project membership with id '${membershipId}' not found`)
    const ability = await this.#deps.permissions.inProject(actor, membership.projectId)
    await ability.require('read', 'identity', { identityId: membership.identityId })
    return membership
  }

  /** The projects of an identity of the organization. */
  async listOfIdentity(actor: Actor, identityId: string): Promise<store.IdentityMembership[]> {
    const ability = await this.#deps.permissions.inOrganization(actor)
    const { organizationId = '' } = actor
    const known = isUuid(identityId) && (await store.findIdentity(this.#deps.db.pool, organizationId, identityId))
    if (!known) throw noSuchIdentity(identityId)
    await ability.require('read', 'identity')
    return this.#list(this.#deps.db.pool, { organizationId, identityId }, { ...FIRST, limit: PROJECTS_MAX })
  }

  async listAvailable(actor: Actor, projectId: string): Promise<{ id: string; name: string }[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('create', 'identity')
    return store.listAvailable(this.#deps.db.pool, actor.organizationId ?? '', projectId)
  }

  async add(actor: Actor, target: Target, roles: readonly RequestedRole[]): Promise<PlainIdentityMembership> {
    const ability = await this.#deps.permissions.inProject(actor, target.projectId)
    await ability.require('create', 'identity')
    const { organizationId = '' } = actor
    const identity = await this.#findIdentity(actor, target.identityId)
    // wire: an unknown identity is a bad request here, and not found everywhere else.
    if (!identity) throw badRequest(`Identity with id '${target.identityId}' is not a member of the organization`)
    if (identity.ownerId !== null) throw badRequest('An identity that belongs to a project cannot join another one')
    await this.#requireMayAssign(actor, target, roles)

    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#deps.members.admit(tx, { organizationId, ...target }, roles)
      await this.#record(tx, actor, 'create-identity-project-membership', { ...target, roles })
      return { ...membership, identityId: target.identityId }
    })
  }

  async setRoles(
    actor: Actor,
    target: Target,
    roles: readonly RequestedRole[],
  ): Promise<{ membership: PlainIdentityMembership; roles: MembershipRole[] }> {
    await this.#requireKnown(actor, target, 'edit')
    await this.#requireMayAssign(actor, target, roles)

    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#lock(tx, target)
      const rows = await this.#deps.members.setRoles(tx, membership, roles)
      await this.#record(tx, actor, 'update-identity-project-membership', { ...target, roles })
      return { membership: { ...membership, identityId: target.identityId }, roles: rows }
    })
  }

  async remove(actor: Actor, target: Target): Promise<PlainIdentityMembership> {
    const identity = await this.#requireKnown(actor, target, 'delete')
    if (identity.ownerId === target.projectId) {
      throw badRequest('The identity belongs to the project: delete it instead of its membership')
    }
    if (actor.type === 'identity' && actor.id === target.identityId) {
      throw badRequest('You cannot remove your own membership')
    }
    return this.#deps.db.transaction(async (tx) => {
      const membership = await this.#lock(tx, target)
      await this.#deps.members.remove(tx, membership)
      await this.#record(tx, actor, 'delete-identity-project-membership', target)
      return { ...membership, identityId: target.identityId }
    })
  }

  /** The identity, for an actor who may do this with it. */
  async #requireKnown(actor: Actor, { projectId, identityId }: Target, action: Action) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'identity', { identityId })
    const identity = await this.#findIdentity(actor, identityId)
    if (!identity) throw noSuchIdentity(identityId)
    return identity
  }

  async #requireMayAssign(actor: Actor, { projectId, identityId }: Target, roles: readonly RequestedRole[]) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    const projectType = (await this.#deps.projects.find(projectId))?.type ?? ''
    await requireMayAssign({ ability, recipient: { subject: 'identity', fields: { identityId } }, roles, projectType })
  }

  async #findIdentity({ organizationId = '' }: Actor, identityId: string) {
    return isUuid(identityId) ? store.findIdentity(this.#deps.db.pool, organizationId, identityId) : undefined
  }

  async #find({ organizationId = '' }: Actor, filter: Omit<store.Filter, 'organizationId'>) {
    return (await this.#list(this.#deps.db.pool, { organizationId, ...filter }, FIRST))[0]
  }

  #list(db: Db, filter: store.Filter, page: Omit<store.Page, 'now'>): Promise<store.IdentityMembership[]> {
    return store.list(db, filter, { ...page, now: new Date(this.#deps.clock.now()) })
  }

  async #lock(tx: Tx, target: Target): Promise<ProjectMembership> {
    const membership = await this.#deps.members.lock(tx, target)
    if (!membership) throw badRequest('The identity is not a member of the project')
    return membership
  }

  #record(
    tx: Tx,
    actor: Actor,
    type: string,
    { projectId, identityId, roles }: Target & { roles?: readonly RequestedRole[] },
  ): Promise<void> {
    const metadata = { identityId, ...(roles && { roles: describeRoles(roles) }) }
    return this.#deps.audit.record(tx, actor, { type, projectId, metadata })
  }
}

const noSuchIdentity = (id: string) => notFound(`Machine identity with id '${id}' not found`)
