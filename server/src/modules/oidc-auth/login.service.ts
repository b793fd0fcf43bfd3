import { notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AccessTokenService, IssuedToken } from '../access-tokens/access-tokens.service.ts'
import type { LoginRecorder } from '../access-tokens/login-recorder.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin } from '../permissions/actor.ts'
import { type Claims, pickMetadata, requireBounds } from './bound-claims.ts'
import { openCertificate } from './ca-certificates.ts'
import { FailedLogins } from './failed-logins.ts'
import { type PresentedJwt, readJwt, verifyJwt } from './jwt.ts'
import { LoginRefusal } from './login-refusal.ts'
import type { PresentedIdentity } from './login.schemas.ts'
import * as store from './login.store.ts'
import type { ProviderKeys } from './provider-keys.ts'
import { pickKey, type SigningKey } from './signing-keys.ts'

type Deps = {
  db: Database
  keyring: Keyring
  providerKeys: ProviderKeys
  accessTokens: AccessTokenService
  logins: LoginRecorder
  audit: AuditLog
  clock: Clock
}

/** Someone whose JWT was verified and is within all bounds. */
type Admitted = { candidate: store.LoginCandidate; claims: Claims; metadata: Record<string, string> }

const AUTH_METHOD = 'oidc-auth'
const AUDITED_CLAIMS_LENGTH_MAX = 32_768

/** Logging in with a JWT of an OpenID provider. */
export class OidcAuthLogin {
  readonly #deps: Deps
  readonly #failures: FailedLogins

  constructor(deps: Deps) {
    this.#deps = deps
    this.#failures = new FailedLogins(deps)
  }

  async login({ identityId, jwt, organizationSlug }: PresentedIdentity, origin: Origin): Promise<IssuedToken> {
    const candidate = isUuid(identityId) ? await store.findCandidate(this.#deps.db.pool, identityId) : undefined
    if (!candidate) throw notFound('There is no such identity, or it does not have OIDC auth')

    const admitted = await this.#judge(candidate, jwt).catch(async (error: unknown) => {
      if (error instanceof LoginRefusal) await this.#failures.record(candidate, error, origin)
      throw error
    })
    if (organizationSlug !== undefined) requireOrganization(candidate, organizationSlug)
    return this.#admit(admitted, origin)
  }

  async #judge(candidate: store.LoginCandidate, text: string): Promise<Admitted> {
    const { boundIssuer: issuer } = candidate
    const jwt = readJwt(text)
    if (jwt.issuer !== issuer) {
      throw new LoginRefusal('jwt_verification_failed', 'The JWT is not of the issuer that the identity is bound to')
    }
    const key = await this.#findKey(candidate, jwt)
    const claims = verifyJwt(jwt, key, { issuer, nowMs: this.#deps.clock.now() })
    requireBounds(claims, candidate)
    return { candidate, claims, metadata: pickMetadata(claims, candidate.claimMetadataMapping) }
  }

  async #findKey(candidate: store.LoginCandidate, jwt: PresentedJwt): Promise<SigningKey> {
    const { db, keyring, providerKeys } = this.#deps
    const provider = {
      discoveryUrl: candidate.discoveryUrl,
      caCertificate: await openCertificate({ db: db.pool, keyring }, candidate.caCertificate, candidate),
    }
    const key = await providerKeys.find(provider, ({ issuer, keys }) => {
      if (issuer === candidate.boundIssuer) return pickKey(keys, jwt)
      throw new LoginRefusal('issuer_mismatch', 'The identity provider is another than the identity is bound to')
    })
    if (!key) throw new LoginRefusal('signing_key_not_found', 'The identity provider has no such key')
    return key
  }

  /** Nobody gets a token of which the log says nothing. */
  async #admit({ candidate, claims, metadata }: Admitted, origin: Origin): Promise<IssuedToken> {
    const { identityId, identityName, organizationId, projectId, membershipId } = candidate
    const identityAuth = { oidc: { claims: metadata } }
    const token = await this.#deps.accessTokens.issue({
      identity: { id: identityId, name: identityName, organizationId },
      membershipId,
      authMethod: AUTH_METHOD,
      method: candidate,
      identityAuth,
    })
    this.#deps.logins.note(membershipId, AUTH_METHOD, this.#deps.clock.now())
    await this.#deps.audit.note(
      {
        type: 'identity',
        ...{ id: identityId, name: identityName, organizationId, authMethod: AUTH_METHOD, tokenId: token.id },
        ...{ isInstanceAdmin: candidate.isInstanceAdmin, claims: identityAuth, origin },
      },
      {
        type: 'login-identity-oidc-auth',
        projectId: projectId ?? undefined,
        metadata: {
          identityId,
          identityAccessTokenId: token.id,
          identityOidcAuthId: candidate.id,
          oidcClaimsReceived: auditable(claims),
        },
      },
    )
    return token
  }
}

const auditable = (claims: Claims): unknown =>
  JSON.stringify(claims).length < AUDITED_CLAIMS_LENGTH_MAX ? claims : { error: 'The claims are too large to be kept' }

const requireOrganization = ({ organizationSlug }: store.LoginCandidate, slug: string): void => {
  if (slug !== organizationSlug) throw notFound(`Organization with slug '${slug}' not found`)
}
