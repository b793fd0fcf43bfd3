import { randomUUID } from 'node:crypto'
import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { about } from '../access-tokens/audit-subject.ts'
import type { ManagedIdentity, MethodAccess } from '../access-tokens/method-access.service.ts'
import { requireTtlWithinMaximum } from '../access-tokens/method-settings.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import * as lockouts from './lockouts.store.ts'
import { type ChangedUniversalAuth, type NewUniversalAuth, settingsForAudit } from './universal-auth.schemas.ts'
import * as store from './universal-auth.store.ts'

type Deps = { db: Database; access: MethodAccess; audit: AuditLog; changes: ChangeFeed; clock: Clock }

/** Universal auth: a machine identity logs in with a client id and a client secret. Here is how it is set up. */
export class UniversalAuthService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async attach(actor: Actor, identityId: string, settings: NewUniversalAuth): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const lists = {
      tokenTrustedIps: parseTrustedIps(settings.tokenTrustedIps),
      clientSecretTrustedIps: parseTrustedIps(settings.clientSecretTrustedIps),
    }
    const row = { id: newId(), identityId: identity.id, clientId: randomUUID(), ...settings, ...lists }

    return this.#deps.db.transaction(async (tx) => {
      await this.#deps.access.hold(tx, identity)
      const config = await store.insert(tx, row)
      if (!config) throw badRequest('The identity has universal auth already')
      await this.#publish(tx, identity)
      const event = about(identity, settingsForAudit(config))
      await this.#deps.audit.record(tx, actor, { type: 'add-identity-universal-auth', ...event })
      return config
    })
  }

  /** Changes what is named; tokens that were issued keep their settings, but for the trusted IPs. */
  async update(actor: Actor, identityId: string, changes: ChangedUniversalAuth): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const lists = {
      tokenTrustedIps: changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps),
      clientSecretTrustedIps: changes.clientSecretTrustedIps && parseTrustedIps(changes.clientSecretTrustedIps),
    }

    return this.#deps.db.transaction(async (tx) => {
      const present = await store.lockByIdentity(tx, identity.id)
      if (!present) throw notAttached()
      if (Object.values(changes).every((value) => value === undefined)) return present
      requireTtlWithinMaximum({
        tokenTtlSeconds: changes.tokenTtlSeconds ?? present.tokenTtlSeconds,
        tokenMaxTtlSeconds: changes.tokenMaxTtlSeconds ?? present.tokenMaxTtlSeconds,
      })
      const config = await store.update(tx, present.id, { ...changes, ...lists })
      if (!config.lockoutEnabled) await lockouts.deleteByConfig(tx, config.id, this.#now())
      await this.#publish(tx, identity)
      const event = about(identity, settingsForAudit(config))
      await this.#deps.audit.record(tx, actor, { type: 'update-identity-universal-auth', ...event })
      return config
    })
  }

  async get(actor: Actor, identityId: string): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'read method')
    const config = await store.findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notAttached()
    await this.#deps.audit.note(actor, { type: 'get-identity-universal-auth', ...about(identity) })
    return config
  }

  /** Ends all its client secrets, and the tokens that were given for them. */
  async detach(actor: Actor, identityId: string): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'detach method')

    return this.#deps.db.transaction(async (tx) => {
      const config = await store.deleteByIdentity(tx, identity.id)
      if (!config) throw withoutMethod()
      await lockouts.deleteByConfig(tx, config.id, this.#now())
      await this.#publish(tx, identity)
      await this.#deps.audit.record(tx, actor, { type: 'revoke-identity-universal-auth', ...about(identity) })
      return config
    })
  }

  /** How many locks and counts there were. */
  async clearLockouts(actor: Actor, identityId: string): Promise<number> {
    const identity = await this.#deps.access.require(actor, identityId, 'clear lockouts')

    return this.#deps.db.transaction(async (tx) => {
      const config = await store.lockByIdentity(tx, identity.id)
      if (!config) throw withoutMethod()
      const deleted = await lockouts.deleteByConfig(tx, config.id, this.#now())
      await this.#deps.audit.record(tx, actor, { type: 'clear-identity-universal-auth-lockouts', ...about(identity) })
      return deleted
    })
  }

  #publish(tx: Tx, identity: ManagedIdentity): Promise<void> {
    return this.#deps.changes.append(tx, { scope: `actor:${identity.id}`, kind: 'auth-method-changed' })
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}

/** Reading and changing it: there is no such thing. */
const notAttached = () => notFound('The identity does not have universal auth')
/** Doing something with it that it takes. */
const withoutMethod = () => badRequest('The identity does not have universal auth')
