import { badRequest, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import type { AccessTokenService, IssuedToken } from '../access-tokens/access-tokens.service.ts'
import { about } from '../access-tokens/audit-subject.ts'
import type { ManagedIdentity, MethodAccess } from '../access-tokens/method-access.service.ts'
import type { MethodOperation } from '../access-tokens/method-operations.ts'
import type { AuditActor, AuditLog } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import type { NewToken, Page } from './listed-tokens.schemas.ts'
import * as store from './listed-tokens.store.ts'

type Deps = { db: Database; access: MethodAccess; accessTokens: AccessTokenService; audit: AuditLog; clock: Clock }
type CreatedToken = { issued: IssuedToken; token: store.ListedToken }
type Creation = NewToken & { identity: { id: string; organizationId: string; projectId: string | null } }
type Found = { token: store.ListedToken; identity: ManagedIdentity }

export const AUTH_METHOD = 'token-auth'
const PURGE_EVERY_MS = 60_000
const PURGED_MAX = 10_000
/** What has ended stays in the list for a while, for whoever wonders why it no longer works. */
const KEPT_AFTER_END_MS = 30 * 24 * 3_600_000

/** The tokens of token auth. They are listed, named and revoked, unlike those that a login gives. */
export class ListedTokenService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, identityId: string, { name, organizationSlug }: NewToken): Promise<CreatedToken> {
    const identity = await this.#deps.access.require(actor, identityId, 'edit tokens')

    return this.#deps.db.transaction((tx) => this.createWithin(tx, actor, { identity, name, organizationSlug }))
  }

  /** A part of something larger, which has asked for permission. */
  async createWithin(tx: Tx, actor: AuditActor, { identity, name, organizationSlug }: Creation): Promise<CreatedToken> {
    const issuer = await store.lockIssuer(tx, identity.id)
    if (!issuer) throw badRequest('The identity does not have token auth')
    if (organizationSlug !== undefined && organizationSlug !== issuer.organizationSlug) {
      throw notFound(`Organization with slug '${organizationSlug}' not found`)
    }
    const created = await this.#issue(tx, issuer, name)
    const event = about(identity, { tokenId: created.token.id })
    await this.#deps.audit.record(tx, actor, { type: 'create-token-identity-token-auth', ...event })
    return created
  }

  async list(actor: Actor, identityId: string, page: Page): Promise<store.ListedToken[]> {
    const identity = await this.#deps.access.require(actor, identityId, 'read tokens')
    const tokens = await store.list(this.#deps.db.pool, identity.id, page)
    await this.#deps.audit.note(actor, { type: 'get-tokens-identity-token-auth', ...about(identity) })
    return tokens
  }

  /** `identityId`: whose it must be, where that is said. */
  async get(actor: Actor, tokenId: string, identityId?: string): Promise<store.ListedToken> {
    const { token, identity } = await this.#require(actor, tokenId, 'read tokens')
    if (identityId !== undefined && identityId !== token.identityId) throw noSuchToken(tokenId)
    const event = about(identity, { tokenId: token.id })
    await this.#deps.audit.note(actor, { type: 'get-token-identity-token-auth', ...event })
    return token
  }

  async rename(actor: Actor, tokenId: string, name: string | undefined): Promise<store.ListedToken> {
    const { token, identity } = await this.#require(actor, tokenId, 'edit tokens')
    if (name === undefined) return token

    return this.#deps.db.transaction(async (tx) => {
      await store.rename(tx, token.id, name)
      const renamed = await store.findById(tx, token.id)
      if (!renamed) throw noSuchToken(tokenId)
      const event = about(identity, { tokenId: token.id, name })
      await this.#deps.audit.record(tx, actor, { type: 'update-token-identity-token-auth', ...event })
      return renamed
    })
  }

  async revoke(actor: Actor, tokenId: string): Promise<void> {
    const { token, identity } = await this.#require(actor, tokenId, 'revoke token')

    await this.#deps.db.transaction(async (tx) => {
      if (!(await this.#deps.accessTokens.revokeById(tx, token.id, token.expiresAt))) throw noSuchToken(tokenId)
      await store.touch(tx, token.id)
      const event = about(identity, { tokenId: token.id })
      await this.#deps.audit.record(tx, actor, { type: 'revoke-token-identity-token-auth', ...event })
    })
  }

  /** Removes tokens from the list that ended long ago. */
  readonly purgeJob: Job = {
    name: 'purge listed tokens',
    everyMs: PURGE_EVERY_MS,
    run: async () => {
      const time = new Date(this.#deps.clock.now() - KEPT_AFTER_END_MS)
      await store.deleteEndedBefore(this.#deps.db.pool, time, PURGED_MAX)
    },
  }

  /** A token of another organization is one that does not exist. */
  async #require(actor: Actor, tokenId: string, operation: MethodOperation): Promise<Found> {
    const token = isUuid(tokenId) ? await store.findById(this.#deps.db.pool, tokenId) : undefined
    if (!token) throw noSuchToken(tokenId)
    const identity = await this.#deps.access.find(actor, token.identityId)
    if (!identity) throw noSuchToken(tokenId)
    await this.#deps.access.permit(actor, identity, operation)
    return { token, identity }
  }

  async #issue(tx: Tx, issuer: store.Issuer, name: string | undefined): Promise<CreatedToken> {
    const { identityId, identityName, organizationId, membershipId } = issuer
    const issued = await this.#deps.accessTokens.issue({
      identity: { id: identityId, name: identityName, organizationId },
      membershipId,
      authMethod: AUTH_METHOD,
      method: { ...issuer, tokenPeriodSeconds: 0 },
    })
    await store.insert(tx, {
      ...{ id: issued.id, configId: issuer.id, name: name ?? null, expiresAt: issued.expiresAt },
      ...{ ttlSeconds: issuer.tokenTtlSeconds, maxTtlSeconds: issuer.tokenMaxTtlSeconds },
      usesLimit: issuer.tokenUsesLimit,
    })
    const token = await store.findById(tx, issued.id)
    if (!token) throw new Error('A token that was just stored is not there')
    return { issued, token }
  }
}

const noSuchToken = (id: string) => notFound(`Token with id '${id}' not found`)
