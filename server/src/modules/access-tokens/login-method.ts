import { badRequest, notFound } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditActor, AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { about, type AuditSubject } from './audit-subject.ts'
import type { ManagedIdentity, MethodAccess } from './method-access.service.ts'
import { requireTtlWithinMaximum, type TtlChanges, type TtlSettings } from './method-settings.ts'

export type LoginMethodDeps = { db: Database; access: MethodAccess; audit: AuditLog; changes: ChangeFeed }

/** What tells one method from another. */
type Definition<Config> = {
  /** In the audit log. */
  slug: string
  /** In a sentence. */
  name: string
  store: {
    findByIdentity: (db: Db, identityId: string) => Promise<Config | undefined>
    lockByIdentity: (tx: Tx, identityId: string) => Promise<Config | undefined>
    deleteByIdentity: (tx: Tx, identityId: string) => Promise<Config | undefined>
  }
  settingsForAudit: (config: Config) => object
  /** wire: to change a method that is not attached is 404 for some and 400 for others. */
  refuseChange: typeof notFound
}
type Insert<Config> = (tx: Tx) => Promise<Config | undefined>
type Update<Config> = (tx: Tx, present: Config) => Promise<Config>
type CleanUp<Config> = (tx: Tx, config: Config) => Promise<unknown>

/** How a login method is attached to a machine identity, changed, read and detached, by an actor who may do so. */
export class LoginMethod<Config extends TtlSettings> {
  readonly #deps: LoginMethodDeps
  readonly #method: Definition<Config>
  readonly #absence: string

  constructor(deps: LoginMethodDeps, method: Definition<Config>) {
    this.#deps = deps
    this.#method = method
    this.#absence = `The identity does not have ${method.name}`
  }

  attach(actor: Actor, identity: ManagedIdentity, insert: Insert<Config>): Promise<Config> {
    return this.#deps.db.transaction(async (tx) => {
      await this.#deps.access.hold(tx, identity)
      return this.attachWithin(tx, actor, identity, insert)
    })
  }

  async attachWithin(tx: Tx, actor: AuditActor, identity: AuditSubject, insert: Insert<Config>): Promise<Config> {
    const config = await insert(tx)
    if (!config) throw badRequest(`The identity has ${this.#method.name} already`)
    await this.#publish(tx, identity)
    await this.#deps.audit.record(tx, actor, this.#event('add', identity, this.#method.settingsForAudit(config)))
    return config
  }

  /** Tokens that were issued keep their settings, but for the trusted IPs. */
  change(actor: Actor, identity: ManagedIdentity, changes: TtlChanges, update: Update<Config>): Promise<Config> {
    const { store, settingsForAudit, refuseChange } = this.#method
    return this.#deps.db.transaction(async (tx) => {
      const present = await store.lockByIdentity(tx, identity.id)
      if (!present) throw refuseChange(this.#absence)
      if (Object.values(changes).every((value) => value === undefined)) return present
      requireTtlWithinMaximum(present, changes)
      const config = await update(tx, present)
      await this.#publish(tx, identity)
      await this.#deps.audit.record(tx, actor, this.#event('update', identity, settingsForAudit(config)))
      return config
    })
  }

  async get(actor: Actor, identity: ManagedIdentity): Promise<Config> {
    const config = await this.#method.store.findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notFound(this.#absence)
    await this.#deps.audit.note(actor, this.#event('get', identity))
    return config
  }

  /** Ends all tokens that were given for it. */
  detach(actor: Actor, identity: ManagedIdentity, cleanUp?: CleanUp<Config>): Promise<Config> {
    return this.#deps.db.transaction(async (tx) => {
      const config = await this.#method.store.deleteByIdentity(tx, identity.id)
      if (!config) throw badRequest(this.#absence)
      await cleanUp?.(tx, config)
      await this.#publish(tx, identity)
      await this.#deps.audit.record(tx, actor, this.#event('revoke', identity))
      return config
    })
  }

  #publish(tx: Tx, { id }: AuditSubject): Promise<void> {
    return this.#deps.changes.append(tx, { scope: `actor:${id}`, kind: 'auth-method-changed' })
  }

  #event(verb: 'add' | 'update' | 'get' | 'revoke', identity: AuditSubject, settings?: object) {
    return { type: `${verb}-identity-${this.#method.slug}`, ...about(identity, settings) }
  }
}
