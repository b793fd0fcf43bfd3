import { badRequest } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { LoginMethod, type LoginMethodDeps } from '../access-tokens/login-method.ts'
import type { ManagedIdentity } from '../access-tokens/method-access.service.ts'
import { parseTrustedIps } from '../access-tokens/trusted-ips.ts'
import type { Actor } from '../permissions/actor.ts'
import { openCertificate, sealCertificate } from './ca-certificates.ts'
import { type ChangedOidcAuth, type NewOidcAuth, settingsForAudit } from './oidc-auth.schemas.ts'
import * as store from './oidc-auth.store.ts'

type Deps = LoginMethodDeps & { keyring: Keyring; outbound: Outbound }

type OpenConfig = Omit<store.OidcAuthConfig, 'caCertificate'> & { caCertificate: string }

/** OIDC auth: a machine identity logs in with a JWT of an OpenID provider. Here is how it is set up. */
export class OidcAuthService {
  readonly #deps: Deps
  readonly #method: LoginMethod<store.OidcAuthConfig>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#method = new LoginMethod(deps, {
      slug: 'oidc-auth',
      name: 'OIDC auth',
      store,
      settingsForAudit,
      refuseChange: badRequest,
    })
  }

  async attach(actor: Actor, identityId: string, { caCertificate, ...settings }: NewOidcAuth): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = parseTrustedIps(settings.tokenTrustedIps)
    await this.#requireReachable(settings.discoveryUrl)
    const claimMetadataMapping = settings.claimMetadataMapping ?? null
    const row = { id: newId(), identityId: identity.id, ...settings, tokenTrustedIps, claimMetadataMapping }

    const config = await this.#method.attach(actor, identity, async (tx) => {
      const sealed = await this.#seal(tx, caCertificate, { identity, configId: row.id })
      return store.insert(tx, { ...row, caCertificate: sealed })
    })
    return { ...config, caCertificate }
  }

  async update(actor: Actor, identityId: string, changes: ChangedOidcAuth): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit method')
    const tokenTrustedIps = changes.tokenTrustedIps && parseTrustedIps(changes.tokenTrustedIps)
    if (changes.discoveryUrl !== undefined) await this.#requireReachable(changes.discoveryUrl)

    const config = await this.#method.change(actor, identity, changes, async (tx, { id }) => {
      const caCertificate =
        changes.caCertificate === undefined
          ? undefined
          : await this.#seal(tx, changes.caCertificate, { identity, configId: id })
      return store.update(tx, id, { ...changes, tokenTrustedIps, caCertificate })
    })
    return this.#open(config, identity)
  }

  async get(actor: Actor, identityId: string): Promise<OpenConfig> {
    const identity = await this.#deps.access.require(actor, identityId, 'read method')
    return this.#open(await this.#method.get(actor, identity), identity)
  }

  async detach(actor: Actor, identityId: string): Promise<store.OidcAuthConfig> {
    return this.#method.detach(actor, await this.#deps.access.require(actor, identityId, 'detach method'))
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

  async #open(config: store.OidcAuthConfig, { organizationId }: ManagedIdentity): Promise<OpenConfig> {
    const { db, keyring } = this.#deps
    const place = { id: config.id, organizationId }
    const caCertificate = await openCertificate({ db: db.pool, keyring }, config.caCertificate, place)
    return { ...config, caCertificate }
  }
}
