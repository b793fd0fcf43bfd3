import { notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor, UserActor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { PROJECT_ROLES, projectRoleRules } from '../permissions/predefined-roles.ts'
import { isActive, type Rule } from '../permissions/rule.ts'
import * as store from './held-permissions.store.ts'
import type { ProjectUserService } from './user-memberships.service.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  users: ProjectUserService
  audit: AuditLog
  clock: Clock
}

/** With its name and rules, wherever they come from. */
export type PermissionSource = Omit<store.Source, 'name' | 'rules'> & { name: string; rules: readonly Rule[] }
export type OwnMembership = { id: string; groupId: string | null; userId: string | null; roles: string[] }

/** What someone may do in a project, and from where. */
export class HeldPermissionService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What the actor holds now. */
  async ofActor(
    actor: UserActor,
    projectId: string,
  ): Promise<{ rules: readonly Rule[]; memberships: OwnMembership[] }> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    const sources = await store.listSources(this.#deps.db.pool, { projectId, userId: actor.id })
    const memberships = new Map<string, OwnMembership>()
    for (const { membershipId, groupId, slug } of sources.filter((source) => this.#isActive(source))) {
      if (membershipId === null) continue
      const userId = groupId === null ? actor.id : null
      const membership = memberships.get(membershipId) ?? { id: membershipId, groupId, userId, roles: [] }
      memberships.set(membershipId, { ...membership, roles: [...membership.roles, slug] })
    }
    return { rules: ability.present.activeRules(), memberships: [...memberships.values()] }
  }

  /** Where a machine identity has its rules from, those that are not in force included. */
  async auditIdentity(actor: Actor, projectId: string, identityId: string): Promise<PermissionSource[]> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'identity', { identityId })
    const sources = isUuid(identityId) ? await store.listSources(this.#deps.db.pool, { projectId, identityId }) : []
    if (!sources.some(({ membershipId }) => membershipId !== null)) {
      throw notFound(`Identity with id '${identityId}' is not a member of the project`)
    }
    const metadata = { targetIdentityId: identityId }
    await this.#deps.audit.note(actor, { type: 'get-project-identity-permission-audit', projectId, metadata })
    return sources.map(complete)
  }

  /** The same of a person, by their membership. */
  async auditUser(actor: Actor, target: { projectId: string; membershipId: string }): Promise<PermissionSource[]> {
    const { projectId, membershipId } = target
    const { userId } = await this.#deps.users.get(actor, target)
    const sources = await store.listSources(this.#deps.db.pool, { projectId, userId })
    const metadata = { targetUserId: userId, membershipId }
    await this.#deps.audit.note(actor, { type: 'get-project-member-permission-audit', projectId, metadata })
    return sources.map(complete)
  }

  #isActive({ startsAt, endsAt }: store.Source): boolean {
    if (!startsAt || !endsAt) return true
    return isActive({ startsAt: startsAt.getTime(), endsAt: endsAt.getTime() }, this.#deps.clock.now())
  }
}

const complete = (source: store.Source): PermissionSource => ({
  ...source,
  name: source.name ?? PROJECT_ROLES.find(({ slug }) => slug === source.slug)?.name ?? source.slug,
  rules: source.rules ?? projectRoleRules(source.slug),
})
