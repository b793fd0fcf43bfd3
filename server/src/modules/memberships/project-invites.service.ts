import { badRequest, notFound } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService, RoleGrant } from '../organizations/organizations.service.ts'
import { requireMayGrant } from '../organizations/power.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import type { User, UserService } from '../users/users.service.ts'
import type { ProjectMemberService } from './project-members.service.ts'
import { requireMayAssign } from './role-assignment.ts'
import type { PlainUserMembership } from './user-memberships.service.ts'
import * as store from './user-memberships.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  organizations: OrganizationService
  users: UserService
  projects: ProjectService
  members: ProjectMemberService
  audit: AuditLog
  clock: Clock
}
type Invitation = {
  names: readonly string[]
  roleSlugs: readonly string[]
  /** For those who are not in the organization yet; undefined: what it gives to new members. */
  organizationRole?: string
}
type Newcomer = { organizationId: string; name: string; granted: RoleGrant | undefined }

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/**
 * People are taken into a project by their email address. Whoever is not in the organization is invited there as well; the
 * link to accept that with comes from inviting the same address to the organization.
 */
export class ProjectInviteService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those who are members already are left alone. All of the others, or none. */
  async invite(actor: Actor, projectId: string, invitation: Invitation): Promise<PlainUserMembership[]> {
    const names = [...new Set(invitation.names.map((name) => name.toLowerCase()))].sort()
    const roles = invitation.roleSlugs.map((role) => ({ role }))
    await this.#requireMayAdd(actor, projectId, { names, roles })
    const granted = await this.#grantForOutsiders(actor, names, invitation.organizationRole)
    const { organizationId = '' } = actor

    return this.#deps.db.transaction(async (tx) => {
      // One invitation after the other, so that whoever two of them name is left alone by the second.
      await this.#deps.projects.lock(tx, projectId)
      const present = await store.list(tx, projectId, { names })
      const isPresent = (name: string) => present.some(({ username, email }) => username === name || email === name)
      const added: (PlainUserMembership & { email: string })[] = []
      for (const name of names.filter((each) => !isPresent(each))) {
        const { id: userId, email } = await this.#organizationUser(tx, actor, { organizationId, name, granted })
        const membership = await this.#deps.members.admit(tx, { organizationId, projectId, userId }, roles)
        added.push({ ...membership, userId, email })
      }
      await this.#record(tx, actor, projectId, added)
      return added
    })
  }

  async #requireMayAdd(
    actor: Actor,
    projectId: string,
    { names, roles }: { names: string[]; roles: { role: string }[] },
  ) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('create', 'member')
    const projectType = (await this.#deps.projects.find(projectId))?.type ?? ''
    for (const userEmail of names) {
      await ability.require('create', 'member', { userEmail })
      await requireMayAssign({ ability, recipient: { subject: 'member', fields: { userEmail } }, roles, projectType })
    }
  }

  /** Undefined when nobody is an outsider; throws unless the actor may invite to the organization. */
  async #grantForOutsiders(actor: Actor, names: readonly string[], slug?: string): Promise<RoleGrant | undefined> {
    const { db, organizations, permissions } = this.#deps
    const { organizationId = '' } = actor
    const insiders = new Set(await store.listOrganizationUsernames(db.pool, organizationId, names))
    if (names.every((name) => insiders.has(name))) return undefined

    const ability = await permissions.inOrganization(actor)
    await ability.require('create', 'member')
    const organization = await organizations.find(db.pool, organizationId)
    if (!organization) throw notFound(`Organization with id '${organizationId}' not found`)
    const role = slug ?? organization.defaultMembershipRole
    const granted = await organizations.resolveRole(db.pool, organizationId, role)
    await ability.satisfy((present) => requireMayGrant(present.activeRules(), role, granted.rules))
    return { role: granted.role, customRoleId: granted.customRoleId }
  }

  async #organizationUser(tx: Tx, actor: Actor, newcomer: Newcomer): Promise<User> {
    const { organizationId, name, granted } = newcomer
    const { organizations, clock } = this.#deps
    const user = (await this.#deps.users.find(tx, name)) ?? (await this.#createUser(tx, newcomer))
    if (await organizations.findMember(tx, { organizationId, userId: user.id })) return user
    if (!granted) throw badRequest(`'${name}' is not a member of the organization`)

    const lastInvitedAt = new Date(clock.now())
    const invited = { status: 'invited', inviteEmail: user.email, lastInvitedAt, roles: [granted] } as const
    const { id: membershipId } = await organizations.addMember(tx, { organizationId, userId: user.id, ...invited })
    const metadata = { membershipId, userId: user.id, email: user.email, role: granted.role }
    await this.#deps.audit.record(tx, actor, { type: 'invite-org-member', organizationId, metadata })
    return user
  }

  async #createUser(tx: Tx, { name, granted }: Newcomer): Promise<User> {
    if (!granted || !EMAIL.test(name)) throw badRequest(`'${name}' is neither a user nor an email address`)
    const user =
      (await this.#deps.users.create(tx, { email: name, isAccepted: false, isInstanceAdmin: false })) ??
      (await this.#deps.users.find(tx, name))
    if (!user) throw new Error('A user was neither created nor found')
    return user
  }

  async #record(tx: Tx, actor: Actor, projectId: string, added: readonly (PlainUserMembership & { email: string })[]) {
    if (added.length === 0) return
    const members = added.map(({ id, userId, email }) => ({ userId, membershipId: id, email }))
    await this.#deps.audit.record(tx, actor, { type: 'add-project-members', projectId, metadata: { members } })
  }
}
