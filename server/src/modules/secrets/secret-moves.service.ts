import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { lockRenamings } from './dependency-locks.ts'
import { lockByKeys } from './folders.store.ts'
import { type Entered, noSuchFolder, type Place, type Places, type ProjectChoice, type Spot } from './places.service.ts'
import type { ReferenceKeeper } from './reference-keeper.ts'
import { Rights } from './rights.ts'
import { named } from './secret-changes.ts'
import type { SecretBox } from './secret-box.ts'
import {
  type Located,
  type NewSecret,
  type SecretWriter,
  type Telling,
  withNews,
  type Writing,
} from './secret-writer.ts'
import type { Standing } from './standing.store.ts'
import { fieldsOf } from './visibility.ts'

type Deps = {
  db: Database
  places: Places
  box: SecretBox
  writer: SecretWriter
  keeper: ReferenceKeeper
  audit: AuditLog
}
/** From where to where, and which. */
export type Transfer = ProjectChoice & {
  source: Spot
  destination: Spot
  secretIds: string[]
  shouldOverwrite: boolean
}
type Attribute = 'value' | 'comment' | 'tags' | 'metadata' | 'skipMultilineEncoding'
export type Attributes = Record<Attribute, boolean>
type Prepared = Entered & { actor: Actor; rights: Rights; from: Place; to: Place; writing: Writing; target: Writing }
/** `present` and how its folder stands: in the destination. */
type Found = { sources: Located[]; present: Map<string, Located>; standing: Standing }

/** Secrets that go, or are copied, to another folder. */
export class SecretMoveService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What has the same value there already counts as moved. */
  async move(actor: Actor, transfer: Transfer): Promise<void> {
    const prepared = await this.#prepare(actor, transfer)
    const { rights, from, to, target } = prepared
    await rights.naming(this.#deps.db, async (tx) => {
      await lockRenamings(tx, target.project.id)
      const found = await this.#lock(tx, prepared, transfer)
      const { sources } = found
      for (const source of sources) {
        rights.require('delete', fieldsOf(from, named(source)))
        rights.requireUncoversNothing(fieldsOf(from, named(source)), fieldsOf(to, named(source)))
      }
      await this.#move(tx, withNews(target), prepared, { ...found, ...transfer })
      await this.#deps.audit.record(tx, actor, {
        type: 'move-secrets',
        projectId: target.project.id,
        metadata: {
          sourceEnvironment: from.environment,
          sourceSecretPath: from.path,
          destinationEnvironment: to.environment,
          destinationSecretPath: to.path,
          secretIds: sources.map(({ id }) => id),
        },
      })
    })
  }

  async #move(
    tx: Tx,
    telling: Telling,
    prepared: Prepared,
    { sources, shouldOverwrite, ...found }: Found & Pick<Transfer, 'shouldOverwrite'>,
  ): Promise<void> {
    const { from, to, writing, rights } = prepared
    // Only to those who may read it: to all others the answer would tell whether they guessed a value.
    const isThere = ({ key, value }: Located) => {
      const other = found.present.get(key)
      return other?.value === value && rights.can('readValue', fieldsOf(to, named(other)))
    }
    const wanted = sources.filter((source) => !isThere(source))
    if (wanted.length === 0) throw badRequest('Selected secrets already exist in the destination.')
    await this.#put(tx, telling, prepared, { wanted, ...found, shouldOverwrite })
    const standing = await this.#deps.writer.standing(tx, writing, [from.path])
    await this.#deps.writer.delete(tx, { ...telling, ...writing }, sources, standing)
    const renamings = sources.map(({ key }) => ({ from: { ...from, key }, to: { ...to, key } }))
    await this.#deps.keeper.follow(tx, telling, from, renamings)
  }

  /** Only what is asked for is copied; the rest begins empty. */
  async duplicate(actor: Actor, transfer: Transfer, attributes: Attributes) {
    const prepared = await this.#prepare(actor, transfer)
    const { rights, from, target } = prepared
    return rights.naming(this.#deps.db, async (tx) => {
      const found = await this.#lock(tx, prepared, transfer)
      const { sources, present } = found
      for (const source of sources) {
        rights.require('describeSecret', fieldsOf(from, named(source)))
        if (attributes.value) rights.require('readValue', fieldsOf(from, named(source)))
      }
      const wanted = sources.map((source) => copied(source, present.get(source.key), attributes))
      const { shouldOverwrite } = transfer
      const ids = await this.#put(tx, withNews(target), prepared, { wanted, ...found, shouldOverwrite })
      const results = sources.map(({ id, key }) => ({
        sourceSecretId: id,
        sourceSecretKey: key,
        destinationSecretId: ids.get(key) ?? '',
      }))
      await this.#deps.audit.record(
        tx,
        actor,
        ...results.map((result) => recordOf(prepared, transfer, { result, attributes })),
      )
      return results
    })
  }

  async #prepare(actor: Actor, { source, destination, ...choice }: Transfer): Promise<Prepared> {
    const entered = await this.#deps.places.enter(actor, choice)
    const { project } = entered
    const from = await this.#deps.places.get(project, source)
    const to = await this.#deps.places.get(project, destination)
    if (from.folderId === to.folderId) throw badRequest('The source and the destination are the same folder')
    const key = await this.#deps.box.key(this.#deps.db.pool, project.id)
    const writingIn = async ({ environment }: Spot): Promise<Writing> => ({
      actor,
      project,
      environment: await this.#deps.places.getEnvironment(project, environment),
      key,
    })
    const [writing, target] = [await writingIn(from), await writingIn(to)]
    return { ...entered, actor, rights: new Rights(entered.ability), from, to, writing, target }
  }

  /** The folders first, in an order that all movers share. */
  async #lock(tx: Tx, { from, to, writing, target }: Prepared, { secretIds }: Transfer): Promise<Found> {
    await this.#deps.writer.lockTouched(tx, writing, [from])
    await this.#deps.writer.lockTouched(tx, target, [to])
    const folders = new Set((await lockByKeys(tx, [from, to])).map(({ id }) => id))
    // Someone may have moved them, or others into their place, while this waited.
    for (const place of [from, to]) if (!folders.has(place.folderId)) throw noSuchFolder(place)
    const ids = [...new Set(secretIds)]
    const locked = ids.every(isUuid) ? await this.#deps.writer.lockByIds(tx, writing, from.folderId, ids) : []
    if (locked.length < ids.length) throw notFound('Some of the secrets are not in the source folder')
    const sources = locked.map((secret) => ({ ...secret, path: from.path }))
    const wanted = sources.map(({ key }) => ({ path: to.path, key }))
    const { secrets, standing } = await this.#deps.writer.lock(tx, target, { userId: null, wanted })
    return { sources, present: new Map(secrets.map((secret) => [secret.key, secret])), standing }
  }

  /** By key: the ids of what is now there. */
  async #put(
    tx: Tx,
    telling: Telling,
    { rights, to }: Prepared,
    {
      wanted,
      present,
      standing,
      shouldOverwrite,
    }: Omit<Found, 'sources'> & { wanted: readonly NewSecret[]; shouldOverwrite: boolean },
  ): Promise<Map<string, string>> {
    const clashes = wanted.filter(({ key }) => present.has(key))
    if (clashes.length > 0 && !shouldOverwrite) {
      for (const secret of clashes) rights.require('create', fieldsOf(to, named(secret)))
      throw badRequest(`These secrets already exist in the destination: ${clashes.map(({ key }) => key).join(', ')}`)
    }
    const updates = clashes.flatMap((secret) => {
      const before = present.get(secret.key)
      if (!before) return []
      rights.require('edit', fieldsOf(to, named(before)))
      rights.require('edit', fieldsOf(to, named(secret)))
      return [{ before, after: { ...before, ...contentOf(secret) } }]
    })
    const creates = wanted.filter(({ key }) => !present.has(key))
    for (const secret of creates) rights.require('create', fieldsOf(to, named(secret)))
    await this.#deps.writer.lockTouched(
      tx,
      telling,
      wanted.map(({ value }) => ({ path: to.path, value })),
    )
    const created =
      creates.length === 0
        ? []
        : await this.#deps.writer.create(tx, telling, { path: to.path, userId: null, secrets: creates.map(newOf) })
    const updated = await this.#deps.writer.update(tx, telling, updates, standing)
    return new Map([...created, ...updated].map(({ key, id }) => [key, id]))
  }
}

const contentOf = ({
  value,
  comment,
  metadata,
  tags,
  skipMultilineEncoding,
  reminderNote,
  reminderRepeatDays,
}: NewSecret) => ({
  value,
  comment,
  metadata,
  tags,
  skipMultilineEncoding,
  reminderNote,
  reminderRepeatDays,
})

const newOf = (secret: NewSecret): NewSecret => ({ ...contentOf(secret), key: secret.key })

const copied = (source: Located, present: Located | undefined, attributes: Attributes): NewSecret => ({
  key: source.key,
  value: attributes.value ? source.value : (present?.value ?? ''),
  comment: attributes.comment ? source.comment : (present?.comment ?? ''),
  metadata: attributes.metadata ? source.metadata : (present?.metadata ?? []),
  tags: attributes.tags ? source.tags : (present?.tags ?? []),
  skipMultilineEncoding: attributes.skipMultilineEncoding
    ? source.skipMultilineEncoding
    : (present?.skipMultilineEncoding ?? null),
  reminderNote: present?.reminderNote ?? null,
  reminderRepeatDays: present?.reminderRepeatDays ?? null,
})

type Result = { sourceSecretId: string; sourceSecretKey: string; destinationSecretId: string }

const recordOf = (
  { project, from, to }: Prepared,
  { shouldOverwrite }: Transfer,
  { result, attributes }: { result: Result; attributes: Attributes },
) => ({
  type: 'duplicate-secret',
  projectId: project.id,
  metadata: {
    ...result,
    sourceEnvironment: from.environment,
    sourceSecretPath: from.path,
    destinationEnvironment: to.environment,
    destinationSecretPath: to.path,
    shouldOverwrite,
    attributesCopied: attributes,
  },
})
