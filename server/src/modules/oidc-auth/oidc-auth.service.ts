import { badRequest, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { about } from '../access-tokens/audit-subject.ts'
import type { ManagedIdentity, MethodAccess } from '../access-tokens/method-access.service.ts'
import { requireTtlWithinMaximum } from '../access-tokens/method-settings.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { openCertificate, sealCertificate } from './ca-certificates.ts'
import { type ChangedOidcAuth, type NewOidcAuth, settingsForAudit } from './oidc-auth.schemas.ts'
import * as store from './oidc-auth.store.ts'

type Deps = {
  db: Database
  access: MethodAccess
  audit: AuditLog
  changes: ChangeFeed
  keyring: Keyring
  outbound: Outbound
}

type OpenConfig = Omit<store.OidcAuthConfig, 'caCertificate'> & { caCertificate: string }

/** OIDC auth: a machine identity logs in with a JWT of an OpenID provider. Here is how it is set up. */
export class OidcAuthService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async attach(actor: Actor, identityId: string, { caCertificate, ...settings }: NewOidcAuth): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = parseTrustedIps(settings.tokenTrustedIps)
    await this.#requireReachable(settings.discoveryUrl)
    const claimMetadataMapping = settings.claimMetadataMapping ?? null
    const row = { id: newId(), identityId: identity.id, ...settings, tokenTrustedIps, claimMetadataMapping }

    return this.#deps.db.transaction(async (tx) => {
      await this.#deps.access.hold(tx, identity)
      const sealed = await this.#seal(tx, caCertificate, { identity, configId: row.id })
      const config = await store.insert(tx, { ...row, caCertificate: sealed })
      if (!config) throw badRequest('The identity has OIDC auth already')
      await this.#publish(tx, identity)
      const event = about(identity, settingsForAudit(config))
      await this.#deps.audit.record(tx, actor, { type: 'add-identity-oidc-auth', ...event })
      return { ...config, caCertificate }
    })
  }

  /** Changes what is named; tokens that were issued keep their settings, but for the trusted IPs. */
  async update(actor: Actor, identityId: string, changes: ChangedOidcAuth): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps)
    if (changes.discoveryUrl !== undefined) await this.#requireReachable(changes.discoveryUrl)

    return this.#deps.db.transaction(async (tx) => {
      const present = await store.lockByIdentity(tx, identity.id)
      if (!present) throw withoutMethod()
      if (Object.values(changes).every((value) => value === undefined)) return this.#open(tx, present, identity)
      requireTtlWithinMaximum({
        tokenTtlSeconds: changes.tokenTtlSeconds ?? present.tokenTtlSeconds,
        tokenMaxTtlSeconds: changes.tokenMaxTtlSeconds ?? present.tokenMaxTtlSeconds,
      })
      const caCertificate =
        changes.caCertificate === undefined
          ? undefined
          : await this.#seal(tx, changes.caCertificate, { identity, configId: present.id })
      const config = await store.update(tx, present.id, { ...changes, tokenTrustedIps, caCertificate })
      await this.#publish(tx, identity)
      const event = about(identity, settingsForAudit(config))
      await this.#deps.audit.record(tx, actor, { type: 'update-identity-oidc-auth', ...event })
      return this.#open(tx, config, identity)
    })
  }

  async get(actor: Actor, identityId: string): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'read method')
    const config = await store.findByIdentity(this.#deps.db.pool, identity.id)
    if (!config) throw notFound('The identity does not have OIDC auth')
    await this.#deps.audit.note(actor, { type: 'get-identity-oidc-auth', ...about(identity) })
    return this.#open(this.#deps.db.pool, config, identity)
  }

  /** Ends all tokens that were given for it. */
  async detach(actor: Actor, identityId: string): Promise<store.OidcAuthConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'detach method')

    return this.#deps.db.transaction(async (tx) => {
      const config = await store.deleteByIdentity(tx, identity.id)
      if (!config) throw withoutMethod()
      await this.#publish(tx, identity)
      await this.#deps.audit.record(tx, actor, { type: 'revoke-identity-oidc-auth', ...about(identity) })
      return config
    })
  }

  async #requireReachable(discoveryUrl: string): Promise<void> {
    try {
      await this.#deps.outbound.check(discoveryUrl)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw badRequest(`The discovery URL cannot be used: ${error.message}`, { cause: error })
    }
  }

  #seal(tx: Tx, certificate: string, { identity, configId }: { identity: ManagedIdentity; configId: string }) {
    const place = { id: configId, organizationId: identity.organizationId }
    return sealCertificate({ db: tx, keyring: this.#deps.keyring }, certificate, place)
  }

  async #open(db: Db, config: store.OidcAuthConfig, { organizationId }: ManagedIdentity): Promise<OpenConfig> {
    const place = { id: config.id, organizationId }
    const caCertificate = await openCertificate({ db, keyring: this.#deps.keyring }, config.caCertificate, place)
    return { ...config, caCertificate }
  }

  #publish(tx: Tx, identity: ManagedIdentity): Promise<void> {
    return this.#deps.changes.append(tx, { scope: `actor:${identity.id}`, kind: 'auth-method-changed' })
  }
}

const withoutMethod = () => badRequest('The identity does not have OIDC auth')
