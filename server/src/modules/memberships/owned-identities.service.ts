import { notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db/db.ts'
import type { RequestedRole } from '../groups/granted-roles.ts'
import type { IdentityService } from '../identities/identities.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import * as store from './owned-identities.store.ts'
import type { ProjectMemberService } from './project-members.service.ts'
import { requireMayAssign } from './role-assignment.ts'

export type { OwnedIdentity } from './owned-identities.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  identities: IdentityService
  projects: ProjectService
  members: ProjectMemberService
  clock: Clock
}
type Metadata = { key: string; value: string }[]
type NewIdentity = {
  name: string
  hasDeleteProtection: boolean
  metadata?: Metadata | undefined
  roles?: RequestedRole[] | undefined
}
type Changes = {
  name?: string | undefined
  hasDeleteProtection?: boolean | undefined
  metadata?: Metadata | undefined
}
type Target = { projectId: string; identityId: string }
type Query = { offset: number; limit: number; search?: string | undefined }

const NO_ACCESS = 'no-access'
/** Projects of these types know no role that gives nothing. */
const WITHOUT_NO_ACCESS: ReadonlySet<string> = new Set(['cert-manager', 'pam'])

/** Machine identities that belong to a project: made, managed and deleted there, and gone with it. */
export class OwnedIdentityService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Those that the actor may see; the total counts the others too. */
  async list(actor: Actor, projectId: string, { search, ...page }: Query) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'identity')
    const [identities, totalCount] = await Promise.all([
      this.#list(this.#deps.db.pool, { projectId, search }, page),
      store.count(this.#deps.db.pool, { projectId, search }),
    ])
    const isVisible = ({ id }: store.OwnedIdentity) => ability.present.can('read', 'identity', { identityId: id })
    return { identities: identities.filter(isVisible), totalCount }
  }

  async get(actor: Actor, target: Target): Promise<store.OwnedIdentity> {
    await this.#require(actor, target, 'read')
    return this.#get(this.#deps.db.pool, target)
  }

  async create(actor: Actor, projectId: string, { roles, ...identity }: NewIdentity): Promise<store.OwnedIdentity> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('create', 'identity')
    const projectType = (await this.#deps.projects.find(projectId))?.type ?? ''
    // It has no id yet that a rule could speak of.
    const recipient = { subject: 'identity', fields: { identityId: '' } } as const
    if (roles) await requireMayAssign({ ability, recipient, roles, projectType })
    const { organizationId = '' } = actor

    return this.#deps.db.transaction(async (tx) => {
      const owned = { ...identity, organizationId, projectId, role: NO_ACCESS }
      const { id: identityId } = await this.#deps.identities.insert(tx, actor, owned)
      const granted = roles ?? [{ role: WITHOUT_NO_ACCESS.has(projectType) ? 'member' : NO_ACCESS }]
      await this.#deps.members.admit(tx, { organizationId, projectId, identityId }, granted)
      return this.#get(tx, { projectId, identityId })
    })
  }

  async update(actor: Actor, target: Target, changes: Changes): Promise<store.OwnedIdentity> {
    await this.#require(actor, target, 'edit')
    return this.#deps.db.transaction(async (tx) => {
      if (!(await this.#deps.identities.lockOwned(tx, actor, target))) throw noSuchIdentity(target)
      await this.#deps.identities.change(tx, actor, target.identityId, changes)
      return this.#get(tx, target)
    })
  }

  async delete(actor: Actor, target: Target): Promise<store.OwnedIdentity> {
    await this.#require(actor, target, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const identity = await this.#deps.identities.lockOwned(tx, actor, target)
      if (!identity) throw noSuchIdentity(target)
      const shown = await this.#get(tx, target)
      const membership = await this.#deps.members.lock(tx, target)
      if (membership) await this.#deps.members.remove(tx, membership)
      await this.#deps.identities.erase(tx, actor, identity)
      return shown
    })
  }

  async #require(actor: Actor, { projectId, identityId }: Target, action: 'read' | 'edit' | 'delete'): Promise<void> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'identity', { identityId })
  }

  async #get(db: Db, { projectId, identityId }: Target): Promise<store.OwnedIdentity> {
    const [identity] = isUuid(identityId)
      ? await this.#list(db, { projectId, identityId }, { offset: 0, limit: 1 })
      : []
    if (!identity) throw noSuchIdentity({ projectId, identityId })
    return identity
  }

  #list(db: Db, filter: store.Filter, page: Omit<store.Page, 'now'>): Promise<store.OwnedIdentity[]> {
    return store.list(db, filter, { ...page, now: new Date(this.#deps.clock.now()) })
  }
}

const noSuchIdentity = ({ identityId }: Target) =>
  notFound(`Machine identity with id '${identityId}' not found in the project`)
