import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Entered, Environment, Places, Spot } from './places.service.ts'
import { Rights } from './rights.ts'
import type { Secret } from './secret.ts'
import type { SecretBox } from './secret-box.ts'
import { named } from './secret-changes.ts'
import { recordOfOne } from './secret-records.ts'
import * as store from './secret-versions.store.ts'
import { type SecretWriter, withNews } from './secret-writer.ts'
import type { Outcome } from './secret-writes.service.ts'
import { findById } from './secrets.store.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { db: Database; places: Places; box: SecretBox; writer: SecretWriter; audit: AuditLog }
type Home = Entered & { spot: Spot; environment: Environment; latest: number }

/** What is shown to someone who may know that something happened, but not of what it happened to. */
const NAMELESS = { key: '', comment: '', reminderNote: null, reminderRepeatDays: null }

/** What secrets have been, also those that are gone. */
export class SecretVersionService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The newest first. */
  async list(actor: Actor, secretId: string, page: { offset: number; limit: number }): Promise<Outcome> {
    const { project, ability, spot } = await this.#home(actor, secretId, 'read')
    const rows = await store.list(this.#deps.db.pool, secretId, page)
    const own = rows.filter(({ userId }) => userId === null || userId === actor.id)
    const opened = await this.#deps.box.open(this.#deps.db.pool, ownerOf(project), own)
    const last = await this.#last(project, secretId)
    const may = (action: 'describeSecret' | 'readValue', secret: Secret) =>
      secret.userId !== null || ability.present.can(action, 'secrets', fieldsOf(spot, named(secret)))
    // What is kept from someone now is kept in all that it has been.
    const mayEver = (action: 'describeSecret' | 'readValue', secret: Secret) =>
      may(action, secret) && (last === undefined || may(action, last))
    await this.#deps.audit.note(actor, {
      type: 'get-secret-versions',
      projectId: project.id,
      metadata: { environment: spot.environment, secretPath: spot.path, secretId, numberOfVersions: own.length },
    })
    return {
      projectId: project.id,
      environment: spot.environment,
      // wire: in this list each version has an id of its own.
      secrets: opened.map((version) => ({
        secret: { ...version, id: version.versionId, ...(!mayEver('describeSecret', version) && NAMELESS) },
        isReadable: mayEver('describeSecret', version) && mayEver('readValue', version),
      })),
    }
  }

  /** Makes what the secret once was its next version; one that was deleted comes back as a new secret. */
  async rollBack(actor: Actor, secretId: string, version: number): Promise<Outcome> {
    const { project, ability, spot, environment } = await this.#home(actor, secretId, 'perform-rollback')
    const row = await store.find(this.#deps.db.pool, secretId, version)
    if (!row || row.userId !== null) throw notFound(`Version ${version} of the secret not found`)
    const [then] = await this.#deps.box.open(this.#deps.db.pool, ownerOf(project), [row])
    const key = await this.#deps.box.key(this.#deps.db.pool, project.id)
    const present = await findById(this.#deps.db.pool, secretId)
    const last = await this.#last(project, secretId)
    const rights = new Rights(ability)
    const writing = { actor, project, environment, key }

    const secret = await rights.naming(this.#deps.db, async (tx): Promise<Secret> => {
      if (!then) throw notFound(`Version ${version} of the secret not found`)
      const wanted = present ? [{ path: spot.path, key: present.key, value: then.value }] : []
      const { secrets, standing } = await this.#deps.writer.lock(tx, writing, { userId: null, wanted })
      const [before] = secrets
      if (present && before?.id !== secretId) throw badRequest('The secret was changed meanwhile, please try again')
      rights.require(before ? 'edit' : 'create', fieldsOf(spot, named(before ?? then)))
      if (before) requireMayRestore(rights, fieldsOf(spot, named(before)), then.tags)
      else if (last) rights.requireUncoversNothing(fieldsOf(spot, named(last)), fieldsOf(spot, named(then)))
      const telling = withNews(writing)
      const [written]: Secret[] = before
        ? await this.#deps.writer.update(tx, telling, [{ before, after: { ...before, ...contentOf(then) } }], standing)
        : await this.#deps.writer.create(tx, telling, { path: spot.path, userId: null, secrets: [newOf(then)] })
      if (!written) throw new Error('The version was not restored')
      const where = { ...spot, projectId: project.id }
      await this.#deps.audit.record(tx, actor, recordOfOne(before ? 'update' : 'create', where, written))
      return written
    })
    const isReadable = rights.can('readValue', fieldsOf(spot, named(secret)))
    return { projectId: project.id, environment: spot.environment, secrets: [{ secret, isReadable }] }
  }

  /** Takes the value out of an earlier version, for good. */
  async redact(actor: Actor, versionId: string): Promise<void> {
    const row = isUuid(versionId) ? await store.findById(this.#deps.db.pool, versionId) : undefined
    if (!row || (row.userId !== null && row.userId !== actor.id)) throw notFound(`Version '${versionId}' not found`)
    const { project, ability, spot, latest } = await this.#home(actor, row.id, 'read')
    const [version] = await this.#deps.box.open(this.#deps.db.pool, ownerOf(project), [row])
    if (!version) throw notFound(`Version '${versionId}' not found`)
    const last = await this.#last(project, row.id)
    for (const secret of last ? [version, last] : [version]) {
      await ability.require('edit', 'secrets', fieldsOf(spot, named(secret)))
    }
    if (version.version === latest) throw badRequest('The latest version cannot be redacted: update the secret instead')

    const key = await this.#deps.box.key(this.#deps.db.pool, project.id)
    const { value } = this.#deps.box.seal(key, ownerOf(project), { ...version, value: '' })
    await this.#deps.db.transaction(async (tx) => {
      await store.replaceValue(tx, versionId, value)
      await this.#deps.audit.record(tx, actor, {
        type: 'redact-secret-version-value',
        projectId: project.id,
        metadata: {
          environment: spot.environment,
          secretPath: spot.path,
          secretId: version.id,
          secretKey: version.key,
          secretVersionId: versionId,
          secretVersion: version.version,
        },
      })
    })
  }

  /** What it is now, or was last: to delete a secret uncovers nothing of it. */
  async #last(project: Entered['project'], secretId: string): Promise<Secret | undefined> {
    const { pool } = this.#deps.db
    const row = (await findById(pool, secretId)) ?? (await store.list(pool, secretId, { offset: 0, limit: 1 }))[0]
    const [secret] = row ? await this.#deps.box.open(pool, ownerOf(project), [row]) : []
    return secret
  }

  async #home(actor: Actor, secretId: string, action: 'read' | 'perform-rollback'): Promise<Home> {
    const place = isUuid(secretId) ? await store.findPlace(this.#deps.db.pool, secretId) : undefined
    if (!place) throw noSuchSecret(secretId)
    const entered = await this.#deps.places.enterHome(actor, place.projectId, noSuchSecret(secretId))
    const environment = entered.project.environments.find(({ id }) => id === place.environmentId)
    if (!environment) throw noSuchSecret(secretId)
    const spot = { environment: environment.slug, path: place.path }
    await entered.ability.require(action, 'commits', { environment: spot.environment, secretPath: spot.path })
    return { ...entered, spot, environment, latest: place.latest }
  }
}

/** It gets the tags back that it had then. */
const requireMayRestore = (rights: Rights, before: ReturnType<typeof fieldsOf>, tags: Secret['tags']): void => {
  const after = { ...before, secretTags: tags.map(({ slug }) => slug) }
  rights.require('edit', after)
  rights.requireUncoversNothing(before, after)
}

const ownerOf = ({ id, organizationId }: Entered['project']) => ({ projectId: id, organizationId })

const contentOf = ({
  value,
  comment,
  metadata,
  tags,
  skipMultilineEncoding,
  reminderNote,
  reminderRepeatDays,
}: Secret) => ({
  value,
  comment,
  metadata,
  tags,
  skipMultilineEncoding,
  reminderNote,
  reminderRepeatDays,
})

const newOf = (secret: Secret) => ({ ...contentOf(secret), key: secret.key })

const noSuchSecret = (id: string) => notFound(`Secret with id '${id}' not found`)
