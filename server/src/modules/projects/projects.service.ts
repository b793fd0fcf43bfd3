import { badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { slugFor } from '../../lib/slug.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import { isUniqueViolation } from '../../platform/db/failures.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { PROJECT_ROLES } from '../permissions/predefined-roles.ts'
import * as lists from './project-lists.store.ts'
import * as store from './projects.store.ts'

export { DATA_KEY_PURPOSE } from './projects.store.ts'
export type { FoundProject, RoleSummary } from './project-lists.store.ts'
export type { ListedProject, Project, ProjectDetails } from './projects.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  contents: Contents
}
/** What is in projects and may be called by their slugs. */
type Contents = { announceProject(tx: Tx, project: store.Project, slugs: { from: string; to: string }): Promise<void> }
type NewProject = Omit<store.NewRow, 'id' | 'slug'> & { slug?: string | undefined }
type Search = lists.Page & lists.Filter
type ChangesIn = { [Field in keyof store.Changes]: store.Changes[Field] | undefined }

const SLUG_LENGTH_MAX = 64
const SLUG_ATTEMPTS_MAX = 5
/** A project with its environments, and the texts made of it, is some kilobytes. */
const CACHED_MAX = 5_000
/** What would let whoever edits settings hide what they did. */
const ADMINS_ONLY = ['secretDetectionIgnoreValues', 'auditLogsRetentionDays'] as const

/** Projects: what there is to know of them, and their settings. */
export class ProjectService {
  readonly #deps: Deps
  readonly #cache: TrustedCache<store.ProjectDetails>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cache = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** Every member may, whatever its role. */
  async get(actor: Actor, projectId: string): Promise<store.ProjectDetails> {
    await this.#deps.permissions.inProject(actor, projectId)
    const project = await this.find(projectId)
    if (!project) throw noSuchProject(projectId)
    return project
  }

  /** In the organization of the actor. Every member may, whatever its role. */
  async getBySlug(actor: Actor, slug: string): Promise<store.ProjectDetails> {
    const { organizationId = '' } = actor
    const project = await this.#load(`${organizationId} ${slug}`, () =>
      store.findDetailsBySlug(this.#deps.db.pool, organizationId, slug),
    )
    if (!project) throw notFound(`Project with slug '${slug}' not found`)
    await this.#deps.permissions.inProject(actor, project.id)
    return project
  }

  /** Without asking whether the actor may. */
  async find(projectId: string): Promise<store.ProjectDetails | undefined> {
    if (!isUuid(projectId)) return undefined
    return this.#load(projectId, () => store.findDetailsById(this.#deps.db.pool, projectId))
  }

  /** Those that the actor is in, by name. */
  async list(actor: Actor, filter: Pick<lists.Filter, 'type'>, organizationId = actor.organizationId) {
    await this.#deps.permissions.inOrganization(actor, organizationId)
    return lists.listOf(this.#deps.db.pool, actor, filter)
  }

  /** The same, each with the roles that can be held in it. */
  async listWithRoles(actor: Actor, filter: Pick<lists.Filter, 'type'>) {
    const ability = await this.#deps.permissions.inOrganization(actor)
    await ability.require('create', 'member')
    const projects = await lists.listWithRolesOf(this.#deps.db.pool, actor, filter)
    return projects.map(({ roles, ...project }) => ({ ...project, roles: [...roles, ...PROJECT_ROLES] }))
  }

  /** Of the whole organization: also what one might ask to be let into. */
  async search(actor: Actor, { ids, type, name, ...page }: Search) {
    await this.#deps.permissions.inOrganization(actor)
    const filter = { type, name, ids: ids?.filter(isUuid) }
    const [projects, totalCount] = await Promise.all([
      lists.search(this.#deps.db.pool, actor, filter, page),
      lists.countFound(this.#deps.db.pool, actor, filter),
    ])
    return { projects, totalCount }
  }

  /** What is undefined stays as it is. */
  async update(actor: Actor, projectId: string, changes: ChangesIn): Promise<store.Project> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('edit', 'settings')
    if (ADMINS_ONLY.some((name) => changes[name] !== undefined)) await this.#requireAdmin(actor, projectId)

    return this.#deps.db.transaction(async (tx) => {
      const before = await this.lock(tx, projectId)
      if (Object.values(changes).every((value) => value === undefined)) return before
      const project = await store.update(tx, projectId, changes).catch((error: unknown) => {
        throw isUniqueViolation(error) ? slugTaken(changes.slug ?? '') : error
      })
      const slugs = { from: before.slug, to: project.slug }
      if (slugs.from !== slugs.to) await this.#deps.contents.announceProject(tx, project, slugs)
      await this.#deps.audit.record(tx, actor, { type: 'update-project', projectId, metadata: described(changes) })
      await this.#deps.changes.append(tx, {
        scope: `project:${projectId}`,
        kind: 'project-changed',
        body: { slug: project.slug, oldSlug: before.slug },
      })
      return project
    })
  }

  /** A slug that was asked for and is taken is refused; one that is made up is made up again. */
  async insert(tx: Tx, { slug, ...project }: NewProject): Promise<store.Project> {
    for (let attempt = 1; attempt <= SLUG_ATTEMPTS_MAX; attempt++) {
      const chosen = slug ?? slugFor(project.name, SLUG_LENGTH_MAX)
      const inserted = await store.insert(tx, { ...project, id: newId(), slug: chosen })
      if (inserted) return inserted
      if (slug !== undefined) throw slugTaken(slug)
    }
    throw new Error('No free slug was found for the project')
  }

  /** For changes of the project and of its environments, which are made one after the other. */
  async lock(tx: Tx, projectId: string): Promise<store.Project> {
    const project = await this.findAndLock(tx, projectId)
    if (!project) throw noSuchProject(projectId)
    return project
  }

  findAndLock(tx: Tx, projectId: string): Promise<store.Project | undefined> {
    return store.lock(tx, projectId)
  }

  /** Keeps anything from being added to it; throws when it is protected. */
  async lockToDelete(tx: Tx, projectId: string): Promise<store.Project> {
    const project = await store.lockToDelete(tx, projectId)
    if (!project) throw noSuchProject(projectId)
    if (!project.hasDeleteProtection) return project
    throw forbidden('Project delete protection is enabled: take it off before deleting the project')
  }

  async delete(tx: Tx, projectId: string): Promise<void> {
    await store.deleteById(tx, projectId)
  }

  /** Past the cache: for what a transaction has made. */
  async getDetails(db: Db, projectId: string): Promise<store.ProjectDetails> {
    const project = await store.findDetailsById(db, projectId)
    if (!project) throw noSuchProject(projectId)
    return project
  }

  /** What it shows of those who deleted environments grows old with them. */
  #load(key: string, ask: () => Promise<store.ProjectDetails | undefined>): Promise<store.ProjectDetails | undefined> {
    return this.#cache.get(key, [], async (alsoTag) => {
      const project = await ask()
      if (project) alsoTag(`project:${project.id}`, ...deleterTags(project))
      return project
    })
  }

  async #requireAdmin(actor: Actor, projectId: string): Promise<void> {
    const held = { role: 'admin', at: new Date(this.#deps.clock.now()) }
    if (await store.holdsRole(this.#deps.db.pool, projectId, actor, held)) return
    throw forbidden(
      'Only administrators of the project may change what detection ignores and how long audit logs are kept',
    )
  }
}

/** What detection ignores may well be a secret. */
const described = ({ secretDetectionIgnoreValues: ignored, ...changes }: ChangesIn) => ({
  ...changes,
  secretDetectionIgnoreValuesCount: ignored?.length,
})

const deleterTags = ({ deletedEnvironments }: store.ProjectDetails): string[] =>
  deletedEnvironments.flatMap(({ deletedBy }) => (deletedBy ? [`actor:${deletedBy.id}`] : []))

const noSuchProject = (id: string) => notFound(`Project with id '${id}' not found`)
const slugTaken = (slug: string) =>
  badRequest(`The organization has a project with slug '${slug}' already: choose another slug`)
