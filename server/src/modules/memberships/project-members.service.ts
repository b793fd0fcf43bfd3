import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Tx } from '../../platform/db/db.ts'
import { isForeignKeyViolation } from '../../platform/db/failures.ts'
import type { RequestedRole } from '../groups/granted-roles.ts'
import type { RoleGrant } from '../organizations/organizations.service.ts'
import { PERMANENT } from '../permissions/term.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import type { ProjectRoleService } from '../roles/roles.service.ts'
import * as store from './project-members.store.ts'

export type { MembershipRole, ProjectMembership } from './project-members.store.ts'

type Deps = { changes: ChangeFeed; projects: ProjectService; roles: ProjectRoleService }
type ProjectMember = { projectId: string } & store.MemberKey
/** The organization is that of the project. */
type NewMember = ProjectMember & { organizationId: string }

const ADMIN = 'admin'

/**
 * Who belongs to a project, with which roles: what all kinds of members share. Nothing here asks whether the actor may.
 *
 * A change made in a project never leaves it without an administrator: someone who holds the role `admin` for good and
 * can come in, by a membership of their own or of a group. What happens to the members elsewhere, where they are deleted,
 * deactivated or taken out of a group, is not held up by that: the organization can always let itself in.
 */
export class ProjectMemberService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws when it is a member already. */
  async addMember(
    tx: Tx,
    { roles, ...member }: NewMember & { roles: readonly RoleGrant[] },
  ): Promise<store.ProjectMembership> {
    const membership = await store.insert(tx, { id: newId(), ...member }).catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? notFound('The project or the member has just been deleted') : error
    })
    if (!membership) throw badRequest(`${kindOf(member)} is already a member of the project`)
    await store.insertRoles(tx, rowsOf(membership.id, roles))
    await this.#append(tx, membership, 'project-member-added')
    return membership
  }

  /** The same with roles by their slugs; throws for one that the project does not have. */
  async admit(tx: Tx, member: NewMember, roles: readonly RequestedRole[]): Promise<store.ProjectMembership> {
    return this.addMember(tx, { ...member, roles: await this.#resolve(tx, member.projectId, roles) })
  }

  /** Memberships of one project are changed one after the other, so that two administrators cannot demote each other. */
  async lock(tx: Tx, { projectId, ...member }: ProjectMember): Promise<store.ProjectMembership | undefined> {
    await this.#deps.projects.lock(tx, projectId)
    return store.find(tx, projectId, member)
  }

  /** Replaces all roles of a membership that is locked. */
  async setRoles(
    tx: Tx,
    membership: store.ProjectMembership,
    roles: readonly RequestedRole[],
  ): Promise<store.MembershipRole[]> {
    const granted = await this.#resolve(tx, membership.projectId, roles)
    if (!granted.some(({ role, term }) => role === ADMIN && !term)) await this.#requireOtherAdmin(tx, membership)
    await store.deleteRoles(tx, membership.id)
    const rows = await store.insertRoles(tx, rowsOf(membership.id, granted))
    await store.touch(tx, membership.id)
    await this.#append(tx, membership, 'project-member-changed')
    return rows
  }

  /** Removes a membership that is locked, with all that hangs on it. */
  async remove(tx: Tx, membership: store.ProjectMembership): Promise<void> {
    await this.#requireOtherAdmin(tx, membership)
    await store.deleteById(tx, membership.id)
    await this.#append(tx, membership, 'project-member-removed')
  }

  async #resolve(tx: Tx, projectId: string, roles: readonly RequestedRole[]): Promise<RoleGrant[]> {
    const slugs = roles.map(({ role }) => role)
    const grants = await this.#deps.roles.resolve(tx, projectId, slugs)
    return grants.map((grant, index) => ({ ...grant, term: roles[index]?.term }))
  }

  async #requireOtherAdmin(tx: Tx, { id, projectId }: store.ProjectMembership): Promise<void> {
    const admins = await store.listAdmins(tx, projectId)
    if (admins.length !== 1 || admins[0] !== id) return
    throw badRequest('The last administrator of a project can be neither removed nor demoted: make another one first')
  }

  /** What a group holds, any number of actors hold: the project is told instead of each of them. */
  #append(tx: Tx, { projectId, userId, identityId }: store.ProjectMembership, kind: string): Promise<void> {
    const actorId = userId ?? identityId
    return this.#deps.changes.append(tx, { scope: actorId ? `actor:${actorId}` : `project:${projectId}`, kind })
  }
}

const rowsOf = (membershipId: string, roles: readonly RoleGrant[]) =>
  roles.map(({ role, customRoleId, term }, position) => ({
    ...(term ?? PERMANENT),
    id: newId(),
    membershipId,
    position,
    role,
    customRoleId,
  }))

const kindOf = (member: store.MemberKey): string => {
  if ('userId' in member) return 'The user'
  return 'identityId' in member ? 'The identity' : 'The group'
}
