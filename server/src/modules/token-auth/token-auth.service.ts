import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import { about } from '../access-tokens/audit-subject.ts'
import type { MethodAccess } from '../access-tokens/method-access.service.ts'
import { requireTtlWithinMaximum } from '../access-tokens/method-settings.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { AuditActor, AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { type ChangedTokenAuth, type NewTokenAuth, settingsForAudit } from './token-auth.schemas.ts'
import * as store from './token-auth.store.ts'

type Deps = { db: Database; access: MethodAccess; audit: AuditLog; changes: ChangeFeed }
type Attachment = {
  identity: { id: string; organizationId: string; projectId: string | null }
  settings: NewTokenAuth
}

/** Token auth: access tokens that someone makes for a machine identity by hand. Here is how it is set up. */
export class TokenAuthService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async attach(actor: Actor, identityId: string, settings: NewTokenAuth): Promise<store.TokenAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')

    return this.#deps.db.transaction(async (tx) => {
      await this.#deps.access.hold(tx, identity)
      return this.attachWithin(tx, actor, { identity, settings })
    })
  }

  /** A part of something larger, which has asked for permission. */
  async attachWithin(tx: Tx, actor: AuditActor, { identity, settings }: Attachment): Promise<store.TokenAuthConfig> {
    const tokenTrustedIps = parseTrustedIps(settings.tokenTrustedIps)
    const config = await store.insert(tx, { id: newId(), identityId: identity.id, ...settings, tokenTrustedIps })
    if (!config) throw badRequest('The identity has token auth already')
    await this.#publish(tx, identity.id)
    const event = about(identity, settingsForAudit(config))
    await this.#deps.audit.record(tx, actor, { type: 'add-identity-token-auth', ...event })
    return config
  }

  /** Changes what is named; tokens that were issued keep their settings, but for the trusted IPs. */
  async update(actor: Actor, identityId: string, changes: ChangedTokenAuth): Promise<store.TokenAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps)

    return this.#deps.db.transaction(async (tx) => {
      const present = await store.lockByIdentity(tx, identity.id)
      if (!present) throw notAttached()
      if (Object.values(changes).every((value) => value === undefined)) return present
      requireTtlWithinMaximum({
        tokenTtlSeconds: changes.tokenTtlSeconds ?? present.tokenTtlSeconds,
        tokenMaxTtlSeconds: changes.tokenMaxTtlSeconds ?? present.tokenMaxTtlSeconds,
      })
      const config = await store.update(tx, present.id, { ...changes, tokenTrustedIps })
      await this.#publish(tx, identity.id)
      const event = about(identity, settingsForAudit(config))
      await this.#deps.audit.record(tx, actor, { type: 'update-identity-token-auth', ...event })
      return config
    })
  }

  async get(actor: Actor, identityId: string): Promise<store.TokenAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'read method')
    const config = await store.findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notAttached()
    await this.#deps.audit.note(actor, { type: 'get-identity-token-auth', ...about(identity) })
    return config
  }

  /** Ends all tokens that were made with it. */
  async detach(actor: Actor, identityId: string): Promise<store.TokenAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'detach method')

    return this.#deps.db.transaction(async (tx) => {
      const config = await store.deleteByIdentity(tx, identity.id)
      if (!config) throw badRequest('The identity does not have token auth')
      await this.#publish(tx, identity.id)
      await this.#deps.audit.record(tx, actor, { type: 'revoke-identity-token-auth', ...about(identity) })
      return config
    })
  }

  #publish(tx: Tx, identityId: string): Promise<void> {
    return this.#deps.changes.append(tx, { scope: `actor:${identityId}`, kind: 'auth-method-changed' })
  }
}

const notAttached = () => notFound('The identity does not have token auth')
