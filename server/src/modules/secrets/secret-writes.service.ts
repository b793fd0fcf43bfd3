import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { lockRenamings } from './dependency-locks.ts'
import { type Entered, type Places, type ProjectChoice, type Spot, spotOf } from './places.service.ts'
import { requireDescribable } from './reference-guard.ts'
import type { ReferenceKeeper } from './reference-keeper.ts'
import { Rights } from './rights.ts'
import type { Secret, Tag } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import * as changing from './secret-changes.ts'
import type { Change, WantedChange, WantedSecret } from './secret-changes.ts'
import { recordOfMany, recordOfOne, type WriteVerb } from './secret-records.ts'
import { requireKey, requireMetadata } from './secret-rules.ts'
import type { Change as Update, Located, NewSecret, SecretWriter, Telling, Writing } from './secret-writer.ts'
import { NamesTaken, noSuchSecret, withNews } from './secret-writer.ts'
import type { Snapshots } from './snapshots.service.ts'
import { listByIds } from './tags.store.ts'
import type { Standing } from './standing.store.ts'
import { fieldsOf } from './visibility.ts'

type Deps = {
  db: Database
  places: Places
  snapshots: Snapshots
  box: SecretBox
  writer: SecretWriter
  keeper: ReferenceKeeper
  audit: AuditLog
}

export type Target = ProjectChoice & { environment: string; secretPath: string }
export type SecretType = 'shared' | 'personal'

export type { WantedChange, WantedSecret } from './secret-changes.ts'
export type UpdateMode = 'failOnNotFound' | 'ignore' | 'upsert'

/** Secrets that were written, and whether the writer may read each. */
export type Outcome = { projectId: string; environment: string; secrets: { secret: Secret; isReadable: boolean }[] }

type Prepared = Entered & { actor: Actor; spot: Spot; rights: Rights; userId: string | null; isBatch: boolean }
type Options = { type?: SecretType; isBatch?: boolean }

const UPSERT_ROUNDS_MAX = 3

/** Writing secrets, one or several together: all of them or none. */
export class SecretWriteService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Of several with the same key the last is meant. */
  async create(actor: Actor, target: Target, wanted: readonly WantedSecret[], options: Options = {}): Promise<Outcome> {
    const prepared = await this.#prepare(actor, target, options)
    const { project, spot, rights, userId } = prepared
    const secrets = [...new Map(await this.#drafts(prepared, wanted)).values()]
    const writing = await this.#writing(prepared)

    const created = await rights.naming(this.#deps.db, async (tx) => {
      if (userId !== null) await this.#requireShared(tx, writing, spot, secrets)
      const written = await this.#deps.writer.create(tx, withNews(writing), { path: spot.path, userId, secrets })
      await this.#record(tx, prepared, 'create', written)
      return written
    })
    return {
      projectId: project.id,
      environment: spot.environment,
      secrets: created.map((secret) => ({ secret, isReadable: true })),
    }
  }

  async update(
    actor: Actor,
    target: Target,
    wanted: readonly WantedChange[],
    { mode = 'failOnNotFound', ...options }: Options & { mode?: UpdateMode } = {},
  ): Promise<Outcome> {
    const prepared = await this.#prepare(actor, target, options)
    const changes = await this.#resolve(prepared, wanted)
    const writing = await this.#writing(prepared)
    const { rights, project } = prepared

    const write = async (tx: Tx) => {
      if (changes.some(({ newKey }) => newKey !== undefined)) await lockRenamings(tx, project.id)
      const telling = withNews(writing)
      const { updates, missing, standing } = await this.#lock(tx, prepared, { writing, changes })
      if (missing.length > 0 && mode === 'failOnNotFound') throw noneOf(missing, prepared)
      const updated = await this.#deps.writer.update(tx, telling, updates, standing)
      await this.#followRenamed(tx, telling, updates)
      const created = mode === 'upsert' ? await this.#createMissing(tx, prepared, { telling, missing }) : []
      await this.#record(tx, prepared, 'update', updated)
      await this.#record(tx, prepared, 'create', created)
      return [...updated, ...created]
    }
    const written = await untilFound(() => rights.naming(this.#deps.db, write))
    return this.#outcome(prepared, written)
  }

  async delete(
    actor: Actor,
    target: Target,
    wanted: readonly { key: string; type: SecretType }[],
    options: Options = {},
  ): Promise<Outcome> {
    const prepared = await this.#prepare(actor, target, options)
    const { spot, rights } = prepared
    for (const { key } of wanted) await rights.mayBeAllowed('delete', fieldsOf(spot, { key, tags: [] }))
    const writing = await this.#writing(prepared)

    const deleted = await rights.transaction(this.#deps.db, async (tx) => {
      const { found, standing } = await this.#lockToDelete(tx, prepared, { writing, wanted })
      for (const secret of found) rights.require('delete', fieldsOf(spot, changing.named(secret)))
      await this.#deps.writer.delete(tx, withNews(writing), found, standing)
      await this.#record(tx, prepared, 'delete', found)
      return found
    })
    return this.#outcome(prepared, deleted)
  }

  async #prepare(actor: Actor, target: Target, { type = 'shared', isBatch = false }: Options): Promise<Prepared> {
    const entered = await this.#deps.places.enter(actor, target)
    if (type === 'personal' && actor.type !== 'user') throw badRequest('Only a person can have personal secrets')
    const userId = type === 'personal' ? actor.id : null
    return { ...entered, actor, spot: spotOf(target), rights: new Rights(entered.ability), userId, isBatch }
  }

  async #writing({ actor, project, spot }: Prepared): Promise<Writing> {
    const environment = await this.#deps.places.getEnvironment(project, spot.environment)
    return { actor, project, environment, key: await this.#deps.box.key(this.#deps.db.pool, project.id) }
  }

  async #drafts(prepared: Prepared, wanted: readonly WantedSecret[]): Promise<[string, NewSecret][]> {
    const { project, ability, spot } = prepared
    const tags = await this.#tags(prepared, wanted)
    const drafts = wanted.map((secret) => changing.draftOf(secret, tags))
    for (const draft of drafts) {
      await ability.require('create', 'secrets', fieldsOf(spot, changing.named(draft)))
      requireKey(project, draft.key)
      requireMetadata(project, draft.metadata)
      await requireDescribable(this.#deps, prepared, { value: draft.value, home: spot })
    }
    return drafts.map((draft) => [draft.key, draft])
  }

  /** By id; throws when one is missing. */
  async #tags({ project }: Prepared, wanted: readonly { tagIds?: string[] | undefined }[]): Promise<Map<string, Tag>> {
    const ids = [...new Set(wanted.flatMap(({ tagIds = [] }) => tagIds))]
    if (ids.length === 0) return new Map()
    const found = await listByIds(this.#deps.db.pool, project.id, ids.filter(isUuid))
    if (found.length < ids.length) throw notFound(`Tag not found. Found ${found.map(({ slug }) => slug).join()}`)
    return new Map(found.map(({ id, slug, color }) => [id, { id, slug, color }]))
  }

  /** What can be refused before anything is locked. */
  async #resolve(prepared: Prepared, wanted: readonly WantedChange[]): Promise<Change[]> {
    const { project, rights, spot, userId } = prepared
    const tags = await this.#tags(prepared, wanted)
    for (const { key, newKey, value, metadata = [], path = spot.path } of wanted) {
      const home = { environment: spot.environment, path }
      await rights.mayBeAllowed('edit', fieldsOf(home, { key, tags: [] }))
      if (newKey !== undefined && userId !== null) throw badRequest('A personal secret cannot get another name')
      if (newKey !== undefined) requireKey(project, newKey)
      requireMetadata(project, metadata)
      await requireDescribable(this.#deps, prepared, { value: value ?? '', home })
    }
    return wanted.map(({ path = spot.path, ...change }) => ({ ...change, path, tags: changing.tagsOf(change, tags) }))
  }

  async #lock(
    tx: Tx,
    { rights, spot, userId }: Prepared,
    { writing, changes }: { writing: Writing; changes: readonly Change[] },
  ) {
    const { secrets, standing } = await this.#deps.writer.lock(tx, writing, { userId, wanted: changes })
    const found = new Map(secrets.map((secret) => [`${secret.path} ${secret.key}`, secret]))
    const updates = new Map<string, Update & { change: Change }>()
    const missing: Change[] = []
    for (const change of changes) {
      const before = found.get(`${change.path} ${change.key}`)
      if (before) updates.set(before.id, { before, after: changing.changed(before, change), change })
      else missing.push(change)
    }
    for (const { before, after, change } of updates.values()) {
      const home = { environment: spot.environment, path: before.path }
      const [was, becomes] = [fieldsOf(home, changing.named(before)), fieldsOf(home, changing.named(after))]
      rights.require('edit', was)
      rights.require('edit', becomes)
      if (userId === null && change.value === undefined) rights.requireUncoversNothing(was, becomes)
    }
    return { updates: [...updates.values()], missing, standing }
  }

  async #followRenamed(tx: Tx, telling: Telling, updates: readonly Update[]): Promise<void> {
    const { slug: environment } = telling.environment
    const renamed = updates.filter(({ before, after }) => before.key !== after.key)
    const folders = new Map(renamed.map(({ before }) => [before.folderId, before.path]))
    for (const [folderId, path] of folders) {
      const named = ({ key }: Located) => ({ environment, path, key })
      const some = renamed.filter(({ before }) => before.folderId === folderId)
      const renamings = some.map(({ before, after }) => ({ from: named(before), to: named(after) }))
      await this.#deps.keeper.follow(tx, telling, { folderId, environment, path }, renamings)
    }
  }

  async #createMissing(
    tx: Tx,
    { rights, spot, userId, project }: Prepared,
    { telling, missing }: { telling: Telling; missing: readonly Change[] },
  ): Promise<Located[]> {
    const created: Located[] = []
    for (const path of [...new Set(missing.map((change) => change.path))].sort()) {
      const drafts = new Map<string, NewSecret>()
      for (const change of missing.filter((one) => one.path === path)) {
        const draft = {
          ...changing.EMPTY,
          ...changing.defined(change),
          key: change.newKey ?? change.key,
          tags: change.tags ?? [],
        }
        requireKey(project, draft.key)
        rights.require('create', fieldsOf({ environment: spot.environment, path }, changing.named(draft)))
        drafts.set(draft.key, draft)
      }
      const secrets = await this.#deps.writer.create(tx, telling, { path, userId, secrets: [...drafts.values()] })
      created.push(...secrets.map((secret) => ({ ...secret, path })))
    }
    return created
  }

  async #lockToDelete(
    tx: Tx,
    { actor, spot, isBatch }: Prepared,
    { writing, wanted }: { writing: Writing; wanted: readonly { key: string; type: SecretType }[] },
  ): Promise<{ found: Located[]; standing: Standing }> {
    const keysOf = (type: SecretType) =>
      wanted.filter((one) => one.type === type).map(({ key }) => ({ path: spot.path, key }))
    const { writer } = this.#deps
    const { secrets: found, standing } = await writer.lock(tx, writing, { userId: null, wanted: keysOf('shared') })
    const personal = actor.type === 'user' ? keysOf('personal') : []
    if (personal.length > 0) {
      found.push(...(await writer.lock(tx, writing, { userId: actor.id, wanted: personal })).secrets)
    }
    const isFound = ({ key, type }: { key: string; type: SecretType }) =>
      found.some((secret) => secret.key === key && (secret.userId !== null) === (type === 'personal'))
    const missing = wanted.filter((one) => !isFound(one))
    if (missing[0] && !isBatch) throw noSuchSecret(missing[0].key)
    if (missing.length === 0) return { found, standing }
    throw notFound(`One or more secrets do not exist: ${missing.map(({ key }) => key).join(', ')}`)
  }

  /** One that overrides must have something to override. */
  async #requireShared(tx: Tx, writing: Writing, { path }: Spot, secrets: readonly NewSecret[]): Promise<void> {
    const wanted = secrets.map(({ key }) => ({ path, key }))
    const shared = await this.#deps.writer.lock(tx, writing, { userId: null, wanted })
    if (shared.secrets.length === wanted.length) return
    throw badRequest('A personal secret needs a shared secret of the same name, which it overrides')
  }

  async #record(tx: Tx, prepared: Prepared, verb: WriteVerb, secrets: readonly (Secret & { path?: string })[]) {
    const [first] = secrets
    if (!first) return
    const { actor, project, spot, isBatch } = prepared
    const where = { ...spot, projectId: project.id }
    const event = isBatch ? recordOfMany(verb, where, secrets) : recordOfOne(verb, where, first)
    await this.#deps.audit.record(tx, actor, event)
  }

  #outcome({ project, spot, rights }: Prepared, written: readonly Located[]): Outcome {
    const isReadable = (secret: Located) =>
      secret.userId !== null ||
      rights.can('readValue', fieldsOf({ environment: spot.environment, path: secret.path }, changing.named(secret)))
    const secrets = written.map((secret) => ({ secret, isReadable: isReadable(secret) }))
    return { projectId: project.id, environment: spot.environment, secrets }
  }
}

/** What others create after it was looked for, and before it is created here, is found the next time. */
const untilFound = async <T>(upsert: () => Promise<T>): Promise<T> => {
  for (let round = 1; ; round++) {
    try {
      return await upsert()
    } catch (error) {
      if (!(error instanceof NamesTaken) || round === UPSERT_ROUNDS_MAX) throw error
    }
  }
}

const noneOf = (missing: readonly Change[], { isBatch, spot }: Prepared) => {
  const keys = missing.map(({ key }) => key)
  return isBatch
    ? notFound(`Secret does not exist: ${keys.join(', ')} in path ${missing[0]?.path ?? spot.path}`)
    : noSuchSecret(keys[0] ?? '')
}
