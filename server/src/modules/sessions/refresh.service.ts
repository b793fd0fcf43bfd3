import { notFound, unauthenticated } from '../../lib/app-error.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Origin } from '../permissions/actor.ts'
import type { SessionService } from './sessions.service.ts'
import * as store from './sessions.store.ts'
import { invalidRefreshToken, REFRESH_SECONDS, type RefreshClaims, type UserTokens } from './user-tokens.ts'

type Deps = {
  db: Database
  tokens: UserTokens
  sessions: SessionService
  organizations: OrganizationService
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
}

/** Without a refresh token of its own, the one that was sent has been replaced a moment ago. */
export type Refreshed = { accessToken: string; refreshToken?: string; organizationId?: string }

/** So long a token that was just replaced is taken once more: two tabs refresh at the same time. */
const GRACE_MS = 10_000

/** New access tokens for refresh tokens, each of which is good once. */
export class RefreshService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** One that had been replaced before is in the wrong hands, or was: it ends the session for everyone. */
  async refresh(refreshToken: string | undefined, origin: Origin): Promise<Refreshed> {
    if (!refreshToken) throw notFound('There is no refresh token, please log in', { code: 'AuthTokenNotFound' })
    const claims = await this.#deps.tokens.readRefresh(refreshToken)
    const outcome = await this.#deps.db.transaction((tx) => this.#use(tx, claims, origin))
    if (!outcome) {
      throw unauthenticated('The refresh token was used before, so the session has been ended: please log in again', {
        code: 'TokenReuse',
      })
    }

    const organizationId = await this.#stillMemberOf(claims)
    const tokens = await this.#deps.sessions.tokensOf(outcome.session, organizationId)
    return {
      accessToken: tokens.accessToken,
      ...(outcome.isReplaced && { refreshToken: tokens.refreshToken }),
      ...(organizationId !== undefined && { organizationId }),
    }
  }

  /** Undefined when the session had to be ended. */
  async #use(
    tx: Tx,
    { tokenVersionId: id, userId, refreshVersion }: RefreshClaims,
    origin: Origin,
  ): Promise<{ session: store.Session; isReplaced: boolean } | undefined> {
    const now = new Date(this.#deps.clock.now())
    const session = await store.lock(tx, id)
    if (session?.userId !== userId || session.endedAt !== null || session.expiresAt <= now) throw invalidRefreshToken()

    if (refreshVersion === session.refreshVersion) {
      const expiresAt = new Date(now.getTime() + REFRESH_SECONDS * 1000)
      return { session: await store.rotate(tx, id, { now, expiresAt }), isReplaced: true }
    }
    const isRecent = now.getTime() - (session.refreshedAt?.getTime() ?? 0) <= GRACE_MS
    if (refreshVersion === session.refreshVersion - 1 && isRecent) return { session, isReplaced: false }

    await store.end(tx, { userId, id, now })
    await this.#deps.changes.append(tx, { scope: `session:${id}`, kind: 'session-ended' })
    const anonymous = { type: 'anonymous', origin } as const
    const metadata = { userId, sessionId: id }
    await this.#deps.audit.record(tx, anonymous, { type: 'user-refresh-token-reused', metadata, result: 'refused' })
    return undefined
  }

  /** Whoever has left an organization goes on without it, and may select another. */
  async #stillMemberOf({ organizationId, userId }: RefreshClaims): Promise<string | undefined> {
    if (organizationId === undefined) return undefined
    const membership = await this.#deps.organizations.findMember(this.#deps.db.pool, { organizationId, userId })
    return membership?.status === 'accepted' && membership.isActive ? organizationId : undefined
  }
}
