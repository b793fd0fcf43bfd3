import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import * as store from './environments.store.ts'
import type { Environment, EnvironmentKey } from './environments.store.ts'
import { isUndoneBy } from './rules-by-slug.ts'

export type { Environment, EnvironmentKey } from './environments.store.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; clock: Clock }
type NewEnvironment = { name: string; slug: string; position?: number | undefined }
/** Whether who renames it may be told which rule is in the way. */
type Renamer = { mayReadRoles: boolean }
type EnvironmentChanges = { [Field in keyof NewEnvironment]?: NewEnvironment[Field] | undefined }

const DEFAULTS = [
  { name: 'Development', slug: 'dev' },
  { name: 'Staging', slug: 'staging' },
  { name: 'Production', slug: 'prod' },
]
/** A project is shown with all of its environments. */
const PER_PROJECT_MAX = 500
const GRACE_MS = 14 * 24 * 60 * 60 * 1_000

/**
 * The environments of projects. Whoever calls what takes a transaction has asked whether the actor may, and holds the
 * lock of the project.
 */
export class EnvironmentService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(actor: Actor, id: string): Promise<Environment> {
    const { organizationId = '' } = actor
    const environment = isUuid(id) ? await store.findActive(this.#deps.db.pool, organizationId, id) : undefined
    if (!environment) throw notFound(`Environment with id '${id}' not found`)
    const ability = await this.#deps.permissions.inProject(actor, environment.projectId)
    await ability.require('read', 'environments')
    return this.#noted(actor, environment)
  }

  async getBySlug(actor: Actor, projectId: string, slug: string): Promise<Environment> {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'environments')
    const environment = await store.findBySlug(this.#deps.db.pool, projectId, slug)
    if (!environment || isSoftDeleted(environment)) {
      throw notFound(`Environment with slug '${slug}' in project with ID ${projectId} not found`)
    }
    return this.#noted(actor, environment)
  }

  /** Waiting to be deleted or not. */
  async findIn(tx: Tx, key: EnvironmentKey): Promise<Environment | undefined> {
    return find(tx, key)
  }

  /** Those that a new project begins with. */
  async insertDefaults(tx: Tx, projectId: string): Promise<Environment[]> {
    return store.insert(
      tx,
      DEFAULTS.map((environment, index) => ({ ...environment, id: newId(), projectId, position: index + 1 })),
    )
  }

  /** At the end, or where it was asked to be: those who stand there move up. */
  async insert(tx: Tx, projectId: string, { name, slug, position }: NewEnvironment): Promise<Environment> {
    const { count, nextPosition } = await store.findExtent(tx, projectId)
    if (count >= PER_PROJECT_MAX) throw badRequest(`A project can have at most ${PER_PROJECT_MAX} environments`)
    await requireFreeSlug(tx, { projectId, slug, code: 'CreateEnvironment' })

    const row = { id: newId(), projectId, name, slug, position: position ?? nextPosition }
    if (position !== undefined) await store.makeRoom(tx, { ...row, to: position, from: store.NOWHERE })
    const [environment] = await store.insert(tx, [row])
    if (!environment) throw new Error('The environment was not stored')
    return environment
  }

  /** What is undefined stays as it is. */
  async update(tx: Tx, key: EnvironmentKey, { name, slug, position }: EnvironmentChanges, renamer: Renamer) {
    const before = await requireActive(tx, key)
    if (slug !== undefined && slug !== before.slug) {
      await requireFreeSlug(tx, { ...key, slug, code: 'UpdateEnvironment' })
      await this.#requireStaysHidden(tx, key.projectId, { from: before.slug, to: slug, ...renamer })
    }
    if (position !== undefined && position !== before.position) {
      await store.makeRoom(tx, { ...key, to: position, from: before.position })
    }
    const isNamed = name !== undefined || slug !== undefined || position !== undefined
    return { before, after: isNamed ? await store.update(tx, key, { name, slug, position }) : before }
  }

  /** Hides it. It can be restored until its time is over. */
  async softDelete(tx: Tx, key: EnvironmentKey, actor: Actor): Promise<Environment> {
    await requireActive(tx, key)
    const now = this.#deps.clock.now()
    return store.update(tx, key, {
      softDeletedAt: new Date(now),
      deleteAfter: new Date(now + GRACE_MS),
      deletedByUserId: actor.type === 'user' ? actor.id : null,
      deletedByIdentityId: actor.type === 'identity' ? actor.id : null,
    })
  }

  /** For good, with everything in it, whether it was waiting for that or not. */
  async remove(tx: Tx, key: EnvironmentKey): Promise<Environment> {
    const environment = isUuid(key.id) ? await store.deleteByKey(tx, key) : undefined
    if (!environment) throw noSuchEnvironment(key)
    return environment
  }

  /** Behind all others. */
  async restore(tx: Tx, key: EnvironmentKey): Promise<Environment> {
    const environment = await find(tx, key)
    if (!environment?.deleteAfter) {
      throw notFound(`Deleted environment with id '${key.id}' in project with id '${key.projectId}' not found`)
    }
    if (environment.deleteAfter.getTime() <= this.#deps.clock.now()) {
      throw badRequest('The environment can no longer be restored: the time for that is over')
    }
    const { nextPosition } = await store.findExtent(tx, key.projectId)
    const restored = { softDeletedAt: null, deleteAfter: null, deletedByUserId: null, deletedByIdentityId: null }
    return store.update(tx, key, { ...restored, position: nextPosition })
  }

  /** Those that can no longer be restored, the oldest first. */
  listExpired(limit: number): Promise<Environment[]> {
    return store.listExpired(this.#deps.db.pool, new Date(this.#deps.clock.now()), limit)
  }

  /** Undefined when someone else has removed it, or restored it in the last moment. */
  removeExpired(tx: Tx, key: EnvironmentKey): Promise<Environment | undefined> {
    return store.deleteExpired(tx, key, new Date(this.#deps.clock.now()))
  }

  /** Rules know environments by their slugs: a new one must not let in whom the old one kept out. */
  async #requireStaysHidden(
    tx: Tx,
    projectId: string,
    { from, to, mayReadRoles }: Renamer & { from: string; to: string },
  ): Promise<void> {
    const rules = await store.listRulesBySlug(tx, projectId, new Date(this.#deps.clock.now()))
    const undone = rules.find(({ rule }) => isUndoneBy(rule, { from, to }))
    if (!undone) return
    const holder = mayReadRoles ? `The ${undone.kind} '${undone.slug}'` : 'A role or an additional privilege'
    throw badRequest(
      `${holder} has a rule that may keep its holders out of '${from}' and not out of '${to}': ` +
        `change the rule so that it keeps them out of both, then rename the environment`,
      { code: 'UpdateEnvironment' },
    )
  }

  async #noted(actor: Actor, environment: Environment): Promise<Environment> {
    const { id, projectId } = environment
    await this.#deps.audit.note(actor, { type: 'get-environment', projectId, metadata: { id } })
    return environment
  }
}

const isSoftDeleted = ({ softDeletedAt }: Environment): boolean => softDeletedAt !== null

const find = async (tx: Tx, key: EnvironmentKey): Promise<Environment | undefined> =>
  isUuid(key.id) ? store.findByKey(tx, key) : undefined

const requireActive = async (tx: Tx, key: EnvironmentKey): Promise<Environment> => {
  const environment = await find(tx, key)
  if (!environment || isSoftDeleted(environment)) throw noSuchEnvironment(key)
  return environment
}

const noSuchEnvironment = ({ projectId, id }: EnvironmentKey) =>
  notFound(`Environment with id '${id}' in project with id '${projectId}' not found`)

type WantedSlug = { projectId: string; slug: string; code: string }

const requireFreeSlug = async (tx: Tx, { projectId, slug, code }: WantedSlug): Promise<void> => {
  const holder = await store.findBySlug(tx, projectId, slug)
  if (!holder) return
  if (!isSoftDeleted(holder)) throw badRequest(`The project has an environment with slug '${slug}' already`, { code })
  throw badRequest(
    `The slug '${slug}' is held by an environment that waits to be deleted: restore it or delete it for good first`,
    { code },
  )
}
