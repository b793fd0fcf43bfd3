import { notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { AuditSubject } from '../access-tokens/audit-subject.ts'
import { LoginMethod, type LoginMethodDeps } from '../access-tokens/login-method.ts'
import type { MethodAccess } from '../access-tokens/method-access.service.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { AuditActor } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { type ChangedTokenAuth, type NewTokenAuth, settingsForAudit } from './token-auth.schemas.ts'
import * as store from './token-auth.store.ts'

type Attachment = { identity: AuditSubject; settings: NewTokenAuth }

/** Token auth: access tokens that someone makes for a machine identity by hand. Here is how it is set up. */
export class TokenAuthService {
  readonly #access: MethodAccess
  readonly #method: LoginMethod<store.TokenAuthConfig>

  constructor(deps: LoginMethodDeps) {
    this.#access = deps.access
    this.#method = new LoginMethod(deps, {
      slug: 'token-auth',
      name: 'token auth',
      store,
      settingsForAudit,
      refuseChange: notFound,
    })
  }

  async attach(actor: Actor, identityId: string, settings: NewTokenAuth): Promise<store.TokenAuthConfig> {
    const identity = await this.#access.require(actor, identityId, 'edit method')
    return this.#method.attach(actor, identity, (tx) => insert(tx, { identity, settings }))
  }

  /** A part of something larger, which has asked for permission. */
  attachWithin(tx: Tx, actor: AuditActor, attachment: Attachment): Promise<store.TokenAuthConfig> {
    return this.#method.attachWithin(tx, actor, attachment.identity, () => insert(tx, attachment))
  }

  async update(actor: Actor, identityId: string, changes: ChangedTokenAuth): Promise<store.TokenAuthConfig> {
    const identity = await this.#access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps)
    return this.#method.change(actor, identity, changes, (tx, { id }) =>
      store.update(tx, id, { ...changes, tokenTrustedIps }),
    )
  }

  async get(actor: Actor, identityId: string): Promise<store.TokenAuthConfig> {
    return this.#method.get(actor, await this.#access.require(actor, identityId, 'read method'))
  }

  async detach(actor: Actor, identityId: string): Promise<store.TokenAuthConfig> {
    return this.#method.detach(actor, await this.#access.require(actor, identityId, 'detach method'))
  }
}

const insert = (tx: Tx, { identity, settings }: Attachment) => {
  const tokenTrustedIps = parseTrustedIps(settings.tokenTrustedIps)
  return store.insert(tx, { id: newId(), identityId: identity.id, ...settings, tokenTrustedIps })
}
