import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { asCustom, type NewRole, type RoleChanges } from '../permissions/custom-role.ts'
import { packRule } from '../permissions/packed-rules.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { CUSTOM_ROLE, PROJECT_ROLES } from '../permissions/predefined-roles.ts'
import type { Rule } from '../permissions/rule.ts'
import type { ProjectService } from '../projects/projects.service.ts'
import { requireMayBecome, requireSoundRules } from './role-writing.ts'
import * as store from './roles.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  audit: AuditLog
  changes: ChangeFeed
}

export type ListedRole = Omit<store.ProjectRole, 'permissions'>
export type RoleView = ListedRole & { permissions: readonly Rule[] }
/** What a slug stands for in a membership. */
export type RoleGrant = { role: string; customRoleId: string | null }

/** Only projects of this type have keys to operate. */
const CRYPTOGRAPHIC_OPERATOR = 'cryptographic-operator'
const WITH_CRYPTOGRAPHIC_OPERATOR = 'kms'

/** Roles of projects: those that all of them have, and those that each makes for itself. */
export class ProjectRoleService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, projectId: string): Promise<ListedRole[]> {
    await this.#require(actor, projectId, 'read')
    const [predefined, custom] = await Promise.all([
      this.#predefined(projectId),
      store.list(this.#deps.db.pool, projectId),
    ])
    return [...predefined, ...custom]
  }

  async getBySlug(actor: Actor, projectId: string, slug: string): Promise<RoleView> {
    await this.#require(actor, projectId, 'read')
    if (slug === CUSTOM_ROLE) throw badRequest(`'${slug}' stands for custom roles and is not one itself`)
    const role = isPredefined(slug)
      ? (await this.#predefined(projectId, [slug])).find((candidate) => candidate.slug === slug)
      : await store.findBySlug(this.#deps.db.pool, projectId, slug)
    if (!role) throw notFound(`Role with slug '${slug}' not found`)
    return role
  }

  /** Of any project that the actor is in; custom ones only, since the others have no project. */
  async get(actor: Actor, roleId: string): Promise<RoleView> {
    const role = await store.findById(this.#deps.db.pool, actor.organizationId ?? '', roleId)
    if (!role) throw noSuchRole(roleId)
    await this.#require(actor, role.projectId, 'read')
    return role
  }

  async create(actor: Actor, projectId: string, { description = null, ...role }: NewRole): Promise<RoleView> {
    const ability = await this.#require(actor, projectId, 'create')
    requireSoundRules(role.permissions, 'Role Creation')
    await ability.satisfy((present) => requireMayBecome(actor, present, { before: [], after: role.permissions }))

    return this.#deps.db.transaction(async (tx) => {
      const row = { ...role, id: newId(), projectId, description }
      const created = await store.insert(tx, row).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? noSuchProject(projectId) : error
      })
      if (!created) throw slugTaken(role.slug)
      await this.#announce(tx, actor, 'create-project-role', created)
      return created
    })
  }

  async update(actor: Actor, projectId: string, roleId: string, changes: RoleChanges): Promise<RoleView> {
    const ability = await this.#require(actor, projectId, 'edit')
    requireSoundRules(changes.permissions ?? [], 'Role Update')
    const before = await this.#find(actor, projectId, roleId)
    await ability.satisfy((present) => requireMayBecome(actor, present, rewriting(before, changes)))

    return this.#deps.db.transaction(async (tx) => {
      const locked = await this.#lock(tx, projectId, roleId)
      requireMayBecome(actor, ability.present, rewriting(locked, changes))
      const updated = await store.update(tx, roleId, changes).catch((error: unknown) => {
        throw isUniqueViolation(error) ? slugTaken(changes.slug ?? '') : error
      })
      await this.#announce(tx, actor, 'update-project-role', updated)
      return updated
    })
  }

  async remove(actor: Actor, projectId: string, roleId: string): Promise<RoleView> {
    await this.#require(actor, projectId, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const role = await this.#lock(tx, projectId, roleId)
      const holders = await store.countHolders(tx, roleId)
      if (holders > 0) throw inUse(holders)
      await store.deleteById(tx, roleId)
      await this.#announce(tx, actor, 'delete-project-role', role)
      return role
    })
  }

  /** Throws unless the actor is in a project of that slug. */
  async projectIdOf(actor: Actor, slug: string): Promise<string> {
    return (await this.#deps.projects.getBySlug(actor, slug)).id
  }

  /** In the order given. Custom roles stay as they are until the transaction ends; throws for a slug that is no role. */
  async resolve(tx: Tx, projectId: string, slugs: readonly string[]): Promise<RoleGrant[]> {
    const customSlugs = slugs.filter((slug) => !isPredefined(slug))
    const custom = customSlugs.length === 0 ? [] : await store.holdBySlugs(tx, projectId, customSlugs)
    // wire: a custom role that is named twice counts as not found.
    const missing = customSlugs.filter(
      (slug, index) => customSlugs.indexOf(slug) !== index || !custom.some((role) => role.slug === slug),
    )
    if (missing.length > 0) throw notFound(`Roles '${missing.join(', ')}' not found in the project`)
    return slugs.map((slug) => {
      const customRoleId = custom.find((role) => role.slug === slug)?.id
      return customRoleId === undefined ? { role: slug, customRoleId: null } : { role: CUSTOM_ROLE, customRoleId }
    })
  }

  async #require(actor: Actor, projectId: string, action: 'read' | 'create' | 'edit' | 'delete') {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'role')
    return ability
  }

  async #find({ organizationId = '' }: Actor, projectId: string, roleId: string): Promise<store.ProjectRole> {
    const role = isUuid(roleId) ? await store.findById(this.#deps.db.pool, organizationId, roleId) : undefined
    if (role?.projectId !== projectId.toLowerCase()) throw noSuchRole(roleId)
    return role
  }

  /** As old as the project itself. */
  async #predefined(projectId: string, also: readonly string[] = []): Promise<RoleView[]> {
    const project = await this.#deps.projects.find(projectId)
    if (!project) throw noSuchProject(projectId)
    return PROJECT_ROLES.filter(
      ({ slug }) =>
        slug !== CRYPTOGRAPHIC_OPERATOR || project.type === WITH_CRYPTOGRAPHIC_OPERATOR || also.includes(slug),
    ).map((role) => ({ ...asCustom(role, project.createdAt), projectId }))
  }

  async #lock(tx: Tx, projectId: string, roleId: string): Promise<store.ProjectRole> {
    const role = isUuid(roleId) ? await store.lock(tx, projectId, roleId) : undefined
    if (!role) throw noSuchRole(roleId)
    return role
  }

  async #announce(tx: Tx, actor: Actor, type: string, role: store.ProjectRole): Promise<void> {
    const { id, projectId, slug, name, description, permissions } = role
    const metadata = {
      roleId: id,
      slug,
      name,
      ...(type !== 'delete-project-role' && { description, permissions: JSON.stringify(permissions.map(packRule)) }),
    }
    await this.#deps.audit.record(tx, actor, { type, projectId, metadata })
    await this.#deps.changes.append(tx, { scope: `project:${projectId}`, kind: 'project-role-changed' })
  }
}

/** The right to assign may be bound to a slug, so under another slug a role counts as another one that denies the same. */
const rewriting = ({ slug, permissions }: store.ProjectRole, changes: RoleChanges) => ({
  before: (changes.slug ?? slug) === slug ? permissions : permissions.filter(({ inverted }) => inverted),
  after: changes.permissions ?? permissions,
})

const isPredefined = (slug: string): boolean => PROJECT_ROLES.some((role) => role.slug === slug)

const noSuchProject = (id: string) => notFound(`Project with id '${id}' not found`)
const noSuchRole = (id: string) => notFound(`Role with id '${id}' not found`)
const slugTaken = (slug: string) => badRequest(`A role with slug '${slug}' already exists in the project`)
const inUse = (holders: number) =>
  badRequest(
    `The role is assigned to ${holders} ${holders === 1 ? 'membership' : 'memberships'}: assign another one there first`,
  )
