import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import type { AuditActor, AuditLog } from '../audit/audit.service.ts'
import type { Environment, EnvironmentKey, EnvironmentService } from '../environments/environments.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import type { Project, ProjectService } from '../projects/projects.service.ts'
import type { FolderTree } from '../secrets/folder-tree.ts'
import type { FolderService } from '../secrets/folders.service.ts'
import { Rights } from '../secrets/rights.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  projects: ProjectService
  environments: EnvironmentService
  folders: FolderService
  tree: FolderTree
  audit: AuditLog
  changes: ChangeFeed
}

type NewEnvironment = Parameters<EnvironmentService['insert']>[2]
type EnvironmentChanges = Parameters<EnvironmentService['update']>[2]
type Ability = Awaited<ReturnType<PermissionService['inProject']>>
type Work<T> = (tx: Tx, project: Project, by: { ability: Ability; rights: Rights }) => Promise<T>
type Question = { projectId: string; action: 'create' | 'edit' | 'delete' }

/** What the log and the feed say of one change. */
type News = {
  type: string
  kind: string
  metadata: object
  environment: Environment
  oldSlug?: string
  organizationId?: string
}

const PURGE_EVERY_MS = 5 * 60_000
const PURGED_AT_ONCE = 100

/** Changes of the environments of a project, made one after the other, with everything that hangs on them. */
export class EnvironmentLifecycleService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  create(actor: Actor, projectId: string, environment: NewEnvironment): Promise<Environment> {
    return this.#change(actor, { projectId, action: 'create' }, async (tx) => {
      const created = await this.#deps.environments.insert(tx, projectId, environment)
      await this.#deps.folders.createRoots(tx, projectId, [created])
      const { name, slug } = created
      await this.#announce(tx, actor, {
        type: 'create-environment',
        kind: 'environment-created',
        metadata: { name, slug },
        environment: created,
      })
      return created
    })
  }

  update(actor: Actor, key: EnvironmentKey, changes: EnvironmentChanges): Promise<Environment> {
    return this.#change(actor, { projectId: key.projectId, action: 'edit' }, async (tx, project, by) => {
      const contents = changes.slug === undefined ? undefined : await this.#lockContents(tx, project, key)
      if (contents && changes.slug !== undefined) {
        await this.#deps.tree.requireUncoversNothing(tx, contents.filled, changes.slug, by.rights)
      }
      const mayReadRoles = by.ability.present.can('read', 'role')
      const { before, after } = await this.#deps.environments.update(tx, key, changes, { mayReadRoles })
      if (isSame(before, after)) return after
      if (before.slug !== after.slug && contents) {
        await this.#deps.tree.announceContents(tx, contents.filled, { from: before.slug, to: after.slug })
      }
      await this.#announce(tx, actor, {
        type: 'update-environment',
        kind: 'environment-changed',
        metadata: {
          oldName: before.name,
          oldSlug: before.slug,
          oldPos: before.position,
          newName: after.name,
          newSlug: after.slug,
          newPos: after.position,
        },
        environment: after,
        oldSlug: before.slug,
      })
      return after
    })
  }

  /** Hides it for the time in which it can be restored. */
  softDelete(actor: Actor, key: EnvironmentKey): Promise<Environment> {
    return this.#change(actor, { projectId: key.projectId, action: 'delete' }, async (tx, project) => {
      const contents = await this.#lockContents(tx, project, key)
      const environment = await this.#deps.environments.softDelete(tx, key, actor)
      if (contents) await this.#deps.tree.announceContents(tx, contents.filled, { from: environment.slug })
      await this.#announceDeleted(tx, actor, environment, { hardDelete: false })
      return environment
    })
  }

  /** For good, also one that is hidden already. */
  delete(actor: Actor, key: EnvironmentKey): Promise<Environment> {
    return this.#change(actor, { projectId: key.projectId, action: 'delete' }, async (tx, project) => {
      const contents = await this.#lockContents(tx, project, key)
      if (contents && !contents.isHidden) await this.#deps.tree.announceEnd(tx, contents.filled)
      const environment = await this.#deps.environments.remove(tx, key)
      await this.#announceDeleted(tx, actor, environment, { hardDelete: true })
      return environment
    })
  }

  /** Whoever may delete it may take that back. */
  restore(actor: Actor, key: EnvironmentKey): Promise<Environment> {
    return this.#change(actor, { projectId: key.projectId, action: 'delete' }, async (tx, project) => {
      const contents = await this.#lockContents(tx, project, key)
      const environment = await this.#deps.environments.restore(tx, key)
      if (contents) await this.#deps.tree.announceContents(tx, contents.filled, { to: environment.slug })
      const { slug, name } = environment
      await this.#announce(tx, actor, {
        type: 'restore-environment',
        kind: 'environment-restored',
        metadata: { slug, name },
        environment,
      })
      return environment
    })
  }

  readonly purgeJob: Job = {
    name: 'purge deleted environments',
    everyMs: PURGE_EVERY_MS,
    run: () => this.purgeExpired(),
  }

  /** Removes for good what can no longer be restored. */
  async purgeExpired(): Promise<void> {
    for (;;) {
      const expired = await this.#deps.environments.listExpired(PURGED_AT_ONCE)
      for (const environment of expired) await this.#purge(environment)
      if (expired.length < PURGED_AT_ONCE) return
    }
  }

  async #purge({ projectId, id }: Environment): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const project = await this.#deps.projects.findAndLock(tx, projectId)
      const environment = project && (await this.#deps.environments.removeExpired(tx, { projectId, id }))
      if (!environment) return
      const { organizationId } = project
      await this.#announceDeleted(tx, { type: 'platform' }, environment, { hardDelete: true, organizationId })
    })
  }

  /** Before the environment itself is touched: those who write into it have locked their folder and not it. */
  async #lockContents(tx: Tx, project: Project, key: EnvironmentKey) {
    const environment = await this.#deps.environments.findIn(tx, key)
    if (!environment) return undefined
    const filled = await this.#deps.tree.lockContents(tx, project, environment)
    return { filled, isHidden: environment.softDeletedAt !== null }
  }

  async #change<T>(actor: Actor, { projectId, action }: Question, work: Work<T>): Promise<T> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require(action, 'environments')
    const rights = new Rights(ability)
    return rights.transaction(this.#deps.db, async (tx) =>
      work(tx, await this.#deps.projects.lock(tx, projectId), { ability, rights }),
    )
  }

  #announceDeleted(
    tx: Tx,
    actor: AuditActor,
    environment: Environment,
    { hardDelete, ...where }: { hardDelete: boolean; organizationId?: string },
  ): Promise<void> {
    const { slug, name } = environment
    const metadata = { slug, name, hardDelete }
    return this.#announce(tx, actor, {
      type: 'delete-environment',
      kind: 'environment-deleted',
      metadata,
      environment,
      ...where,
    })
  }

  async #announce(tx: Tx, actor: AuditActor, news: News): Promise<void> {
    const { type, kind, metadata, organizationId } = news
    const { id, slug, projectId } = news.environment
    await this.#deps.audit.record(tx, actor, { type, projectId, organizationId, metadata })
    await this.#deps.changes.append(tx, {
      scope: `project:${projectId}`,
      kind,
      body: { environmentId: id, slug, oldSlug: news.oldSlug },
    })
  }
}

const isSame = (before: Environment, after: Environment): boolean =>
  before.name === after.name && before.slug === after.slug && before.position === after.position
