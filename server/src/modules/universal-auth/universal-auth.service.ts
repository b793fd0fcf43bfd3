import { randomUUID } from 'node:crypto'
import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import { about } from '../access-tokens/audit-subject.ts'
import { LoginMethod, type LoginMethodDeps } from '../access-tokens/login-method.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { Actor } from '../permissions/actor.ts'
import * as lockouts from './lockouts.store.ts'
import { type ChangedUniversalAuth, type NewUniversalAuth, settingsForAudit } from './universal-auth.schemas.ts'
import * as store from './universal-auth.store.ts'

type Deps = LoginMethodDeps & { clock: Clock }

/** Universal auth: a machine identity logs in with a client id and a client secret. Here is how it is set up. */
export class UniversalAuthService {
  readonly #deps: Deps
  readonly #method: LoginMethod<store.UniversalAuthConfig>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#method = new LoginMethod(deps, {
      slug: 'universal-auth',
      name: 'universal auth',
      store,
      settingsForAudit,
      refuseChange: notFound,
    })
  }

  async attach(actor: Actor, identityId: string, settings: NewUniversalAuth): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const lists = {
      tokenTrustedIps: parseTrustedIps(settings.tokenTrustedIps),
      clientSecretTrustedIps: parseTrustedIps(settings.clientSecretTrustedIps),
    }
    const row = { id: newId(), identityId: identity.id, clientId: randomUUID(), ...settings, ...lists }
    return this.#method.attach(actor, identity, (tx) => store.insert(tx, row))
  }

  async update(actor: Actor, identityId: string, changes: ChangedUniversalAuth): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const lists = {
      tokenTrustedIps: changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps),
      clientSecretTrustedIps: changes.clientSecretTrustedIps && parseTrustedIps(changes.clientSecretTrustedIps),
    }
    return this.#method.change(actor, identity, changes, async (tx, { id }) => {
      const config = await store.update(tx, id, { ...changes, ...lists })
      if (!config.lockoutEnabled) await lockouts.deleteByConfig(tx, id, this.#now())
      return config
    })
  }

  async get(actor: Actor, identityId: string): Promise<store.UniversalAuthConfig> {
    return this.#method.get(actor, await this.#deps.access.require(actor, identityId, 'read method'))
  }

  /** Ends all its client secrets too. */
  async detach(actor: Actor, identityId: string): Promise<store.UniversalAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'detach method')
    return this.#method.detach(actor, identity, (tx, { id }) => lockouts.deleteByConfig(tx, id, this.#now()))
  }

  /** How many locks and counts there were. */
  async clearLockouts(actor: Actor, identityId: string): Promise<number> {
    const identity = await this.#deps.access.require(actor, identityId, 'clear lockouts')

    return this.#deps.db.transaction(async (tx) => {
      const config = await store.lockByIdentity(tx, identity.id)
      if (!config) throw badRequest('The identity does not have universal auth')
      const deleted = await lockouts.deleteByConfig(tx, config.id, this.#now())
      await this.#deps.audit.record(tx, actor, { type: 'clear-identity-universal-auth-lockouts', ...about(identity) })
      return deleted
    })
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}
