import { badRequest, forbidden, unauthenticated } from '../../lib/app-error.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TokenClaims, TokenSigner } from '../../platform/crypto/token.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { IdentityActor, Origin } from '../permissions/actor.ts'
import * as store from './access-tokens.store.ts'
import { claimsOf, IDENTITY_TOKEN_TYPE, type IdentityToken, readClaims } from './claims.ts'
import { lifetimeSeconds, type LifetimeSettings, renewedLifetimeSeconds, statedLifetime } from './lifetime.ts'
import type { TokenSettings } from './method-settings.ts'
import { isBoundTo, newTokenId } from './token-id.ts'
import { isRestricted, trustedIpMatcher } from './trusted-ips.ts'

type Deps = {
  db: Database
  signer: TokenSigner
  changes: ChangeFeed
  audit: AuditLog
  clock: Clock
  /** Told of every request that a token was good for. */
  uses: { note: (token: IdentityToken) => void }
  /** No token lives longer, whatever its method says. */
  tokenAgeSecondsMax: number
}

/** Who gets a token, and by which attachment of which login method. */
export type TokenRequest = {
  identity: { id: string; name: string; organizationId: string }
  membershipId: string
  authMethod: string
  method: TokenSettings & { id: string }
  clientSecretId?: string
  identityAuth?: Record<string, unknown>
}

export type IssuedToken = {
  id: string
  accessToken: string
  expiresInSeconds: number
  maxTtlSeconds: number
  expiresAt: Date
}

type Times = { issuedAtSeconds: number; lifetimeSeconds: number }
type Grant = Pick<IdentityActor, 'name' | 'isInstanceAdmin' | 'metadata'> & {
  admits: (ip: string) => boolean
  usedUpBy: string | null
}

/** About a kilobyte each. */
const CACHED_MAX = 20_000
const PURGE_EVERY_MS = 10_000
/** At once; more than can be made between two runs. */
const PURGED_MAX = 50_000

/** The access tokens of machine identities, whatever method they logged in by. */
export class AccessTokenService {
  readonly #deps: Deps
  readonly #grants: TrustedCache<Grant>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#grants = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** A new token. It leaves no trace in the database: what it is bound to is in its id. */
  async issue({ identity, method, membershipId, ...request }: TokenRequest): Promise<IssuedToken> {
    const token: IdentityToken = {
      id: newTokenId({ methodId: method.id, membershipId }),
      identityId: identity.id,
      identityName: identity.name,
      organizationId: identity.organizationId,
      authMethod: request.authMethod,
      clientSecretId: request.clientSecretId,
      usesLimit: method.tokenUsesLimit,
      identityAuth: request.identityAuth ?? {},
      isIpRestricted: isRestricted(method.tokenTrustedIps),
      createdAtSeconds: this.#nowSeconds(),
    }
    const lifetime = lifetimeSeconds(method, this.#deps.tokenAgeSecondsMax)
    return this.#sign(token, method, { issuedAtSeconds: token.createdAtSeconds, lifetimeSeconds: lifetime })
  }

  /** The identity behind a token whose signature and times are good; takes one use of it where uses are limited. */
  async authenticate(claims: TokenClaims, origin: Origin): Promise<IdentityActor> {
    const token = readClaims(claims)
    const grant = await this.#requireGrant(token, origin.ip)
    if (token.usesLimit > 0) await this.#takeUse(token, claims.exp, origin)
    this.#deps.uses.note(token)
    return actorOf(token, grant, origin)
  }

  /** The same for a request that goes on: takes no use, and throws once another request took the last. */
  async stillHolds(claims: TokenClaims, origin: Origin): Promise<IdentityActor> {
    const token = readClaims(claims)
    const grant = await this.#requireGrant(token, origin.ip)
    if (grant.usedUpBy !== null && grant.usedUpBy !== origin.requestId) throw usedUp()
    return actorOf(token, grant, origin)
  }

  /** The same token with a new end, by the settings that its method has now. The old one lives on to its own end. */
  async renew(accessToken: string, origin: Origin): Promise<IssuedToken> {
    const { token } = await this.#open(accessToken)
    const row = await this.#findGrant(token)
    if (!row) throw revoked()

    const issuedAtSeconds = this.#nowSeconds()
    const age = { createdAtSeconds: token.createdAtSeconds, nowSeconds: issuedAtSeconds }
    const lifetime = renewedLifetimeSeconds(row, this.#deps.tokenAgeSecondsMax, age)
    if (lifetime <= 0) throw unauthenticated('The access token has reached its maximum TTL, please log in again')

    const renewed = { ...token, identityName: row.identityName, isIpRestricted: isRestricted(row.tokenTrustedIps) }
    const issued = await this.#sign(renewed, row, { issuedAtSeconds, lifetimeSeconds: lifetime })
    await this.#deps.db.transaction(async (tx) => {
      const use = { tokenId: token.id, usesLimit: token.usesLimit, expiresAt: issued.expiresAt }
      if (!(await store.noteRenewal(tx, { ...use, renewedAt: new Date(this.#deps.clock.now()) }))) throw usedUp()
      await this.#record(tx, actorOf(token, grantOf(row), origin), 'renew-identity-access-token')
    })
    return issued
  }

  /** Ends a token and all that were renewed from it. To do so again is refused, as any use of it is: clients look for that. */
  async revoke(accessToken: string, origin: Origin): Promise<void> {
    const { token, expiresAt } = await this.#open(accessToken)
    await this.#deps.db.transaction(async (tx) => {
      if (!(await this.revokeById(tx, token.id, expiresAt))) throw revoked()
      await this.#record(tx, actorOf(token, undefined, origin), 'revoke-identity-access-token')
    })
  }

  /** False when it was revoked before. */
  async revokeById(tx: Tx, tokenId: string, expiresAt: Date): Promise<boolean> {
    const isNew = await store.revoke(tx, tokenId, expiresAt)
    if (isNew) await this.#deps.changes.append(tx, { scope: `token:${tokenId}`, kind: 'token-revoked' })
    return isNew
  }

  /** Forgets what is remembered of tokens that have ended. */
  readonly purgeJob: Job = {
    name: 'purge access tokens',
    everyMs: PURGE_EVERY_MS,
    run: async () => {
      await store.deleteExpired(this.#deps.db.pool, new Date(this.#deps.clock.now()), PURGED_MAX)
    },
  }

  /** A refusal that a kept grant leads to is asked again of the database. */
  async #requireGrant(token: IdentityToken, ip: string): Promise<Grant> {
    const kept = this.#grants.peek(token.id)
    if (kept?.admits(ip)) return kept

    const tags = scopesOf(token)
    const load = async () => {
      const row = await this.#findGrant(token)
      return row && grantOf(row)
    }
    const grant = await (kept ? this.#grants.reload(token.id, tags, load) : this.#grants.get(token.id, tags, load))
    if (!grant) throw revoked()
    if (!grant.admits(ip)) throw forbidden(`Access tokens of this identity may not be used from the address '${ip}'`)
    return grant
  }

  async #findGrant(token: IdentityToken): Promise<store.TokenGrantRow | undefined> {
    const row = await store.findGrant(this.#deps.db.pool, token)
    return row && isBoundTo(token.id, row) ? row : undefined
  }

  /** Of the last use everybody is told: what the token has open ends with it. */
  async #takeUse({ id: tokenId, usesLimit }: IdentityToken, expiresAtSeconds: number, origin: Origin): Promise<void> {
    const { db, changes } = this.#deps
    const use = { tokenId, usesLimit, expiresAt: new Date(expiresAtSeconds * 1000) }
    if (usesLimit > 1 && (await store.takeUseBeforeLast(db.pool, use))) return
    await db.transaction(async (tx) => {
      if (!(await store.takeLastUse(tx, { ...use, requestId: origin.requestId }))) throw usedUp()
      await changes.append(tx, { scope: `token:${tokenId}`, kind: 'token-used-up' })
    })
  }

  async #open(accessToken: string): Promise<{ token: IdentityToken; expiresAt: Date }> {
    const claims = await this.#deps.signer.verify(accessToken, this.#deps.clock.now())
    if (claims['authTokenType'] !== IDENTITY_TOKEN_TYPE) {
      throw badRequest('Only access tokens of machine identities can be renewed or revoked here')
    }
    return { token: readClaims(claims), expiresAt: new Date(claims.exp * 1000) }
  }

  async #sign(token: IdentityToken, settings: LifetimeSettings, times: Times): Promise<IssuedToken> {
    const { issuedAtSeconds } = times
    const expiresAtSeconds = issuedAtSeconds + times.lifetimeSeconds
    const claims = claimsOf(token, settings)
    return {
      id: token.id,
      accessToken: await this.#deps.signer.sign(claims, { issuedAtSeconds, expiresAtSeconds }),
      expiresInSeconds: times.lifetimeSeconds,
      maxTtlSeconds: statedLifetime(settings).maxTtlSeconds,
      expiresAt: new Date(expiresAtSeconds * 1000),
    }
  }

  async #record(tx: Tx, actor: IdentityActor, type: string): Promise<void> {
    const metadata = { identityId: actor.id, identityAccessTokenId: actor.tokenId }
    await this.#deps.audit.record(tx, actor, { type, metadata, organizationId: actor.organizationId })
  }

  #nowSeconds(): number {
    return Math.floor(this.#deps.clock.now() / 1000)
  }
}

/** A change of any of these may end the token. */
export const scopesOf = ({ id, identityId, organizationId, clientSecretId }: IdentityToken): string[] => [
  `token:${id}`,
  `actor:${identityId}`,
  `organization:${organizationId}`,
  ...(clientSecretId === undefined ? [] : [`client-secret:${clientSecretId}`]),
]

const grantOf = (row: store.TokenGrantRow): Grant => ({
  name: row.identityName,
  isInstanceAdmin: row.isInstanceAdmin,
  metadata: row.metadata ?? {},
  admits: trustedIpMatcher(row.tokenTrustedIps),
  usedUpBy: row.usedUpBy,
})

const actorOf = (token: IdentityToken, grant: Grant | undefined, origin: Origin): IdentityActor => ({
  type: 'identity',
  id: token.identityId,
  name: grant?.name ?? token.identityName,
  organizationId: token.organizationId,
  authMethod: token.authMethod,
  tokenId: token.id,
  isInstanceAdmin: grant?.isInstanceAdmin ?? false,
  claims: token.identityAuth,
  metadata: grant?.metadata,
  origin,
})

const revoked = () =>
  unauthenticated(
    'The access token has been revoked, or the identity, login method or membership it came from has ended',
  )

const usedUp = () => unauthenticated('The access token has been revoked or has no uses left')
