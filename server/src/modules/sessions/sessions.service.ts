import { forbidden, notFound, unauthenticated } from '../../lib/app-error.ts'
import { isUuid, newId } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin, UserActor } from '../permissions/actor.ts'
import * as store from './sessions.store.ts'
import { type AccessClaims, readAccessClaims, REFRESH_SECONDS, type UserTokens } from './user-tokens.ts'

export type { Session } from './sessions.store.ts'

type Deps = { db: Database; tokens: UserTokens; audit: AuditLog; changes: ChangeFeed; clock: Clock }
type Device = { userId: string; authMethod: string; origin: Origin }
type Ending = { type: string; sessionId?: string }

export type SessionTokens = { accessToken: string; refreshToken: string }

/** A few hundred bytes each. */
const CACHED_MAX = 20_000
const SESSIONS_PER_DEVICE_MAX = 100
/** The last use of a session is told this coarsely, so that not every request writes. */
const LAST_USE_PRECISION_MS = 5 * 60_000
const PURGE_BATCH_MAX = 10_000

/** The sessions of people: one for each time somebody logs in, until it ends or is not refreshed for 90 days. */
export class SessionService {
  readonly #deps: Deps
  readonly #grants: TrustedCache<store.SessionGrant>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#grants = new TrustedCache(deps.changes, CACHED_MAX)
  }

  async open(tx: Tx, { userId, authMethod, origin: { ip, userAgent } }: Device): Promise<store.Session> {
    const lastUsedAt = this.#now()
    const expiresAt = new Date(lastUsedAt.getTime() + REFRESH_SECONDS * 1000)
    const device = { userId, ip, userAgent }
    const session = await store.insert(tx, { ...device, id: newId(), authMethod, lastUsedAt, expiresAt })
    await this.#announceEnd(tx, await store.deleteOldest(tx, device, SESSIONS_PER_DEVICE_MAX))
    return session
  }

  /** The actor's own. */
  async get(db: Db, { sessionId }: UserActor): Promise<store.Session> {
    const session = await store.findById(db, sessionId)
    if (!session || session.endedAt !== null) throw unauthenticated('The session has ended, please log in again')
    return session
  }

  /** Not inside a transaction: the key may have to be fetched. */
  async tokensOf(session: store.Session, organizationId?: string): Promise<SessionTokens> {
    const source = { ...session, sessionId: session.id, organizationId }
    const [accessToken, refreshToken] = await Promise.all([
      this.#deps.tokens.access(source),
      this.#deps.tokens.refresh(source),
    ])
    return { accessToken, refreshToken }
  }

  /** The user behind an access token whose signature and times are good. */
  async authenticate(claims: Readonly<Record<string, unknown>>, origin: Origin): Promise<UserActor> {
    const token = readAccessClaims(claims)
    const grant = await this.#requireGrant(token)
    await this.#noteUse(token.tokenVersionId, grant)
    return actorOf(token, grant, origin)
  }

  /** The same for a request that goes on. */
  async stillHolds(claims: Readonly<Record<string, unknown>>, origin: Origin): Promise<UserActor> {
    const token = readAccessClaims(claims)
    return actorOf(token, await this.#requireGrant(token), origin)
  }

  /** Ends the sessions of those tokens that are still good; that there is none is no error. */
  async logOut(given: { accessToken?: string | undefined; refreshToken?: string | undefined }, origin: Origin) {
    const { tokens } = this.#deps
    const read = await Promise.allSettled([
      given.accessToken === undefined ? undefined : tokens.readAccess(given.accessToken),
      given.refreshToken === undefined ? undefined : tokens.readRefresh(given.refreshToken),
    ])
    for (const outcome of read) {
      if (outcome.status === 'rejected' || !outcome.value) continue
      const { userId, tokenVersionId: sessionId } = outcome.value
      const grant = await store.findGrant(this.#deps.db.pool, { sessionId, userId })
      if (!grant) continue
      const actor = actorOf(outcome.value, grant, origin)
      await this.#deps.db.transaction((tx) => this.#end(tx, actor, { type: 'user-logout', sessionId }))
    }
  }

  list(actor: UserActor): Promise<store.Session[]> {
    return store.list(this.#deps.db.pool, actor.id, this.#now())
  }

  async end(actor: UserActor, sessionId: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const ended = isUuid(sessionId) ? await this.#end(tx, actor, { type: 'delete-user-session', sessionId }) : 0
      if (ended === 0) throw notFound(`Session with id '${sessionId}' not found`)
    })
  }

  async endAll(actor: UserActor): Promise<void> {
    await this.#deps.db.transaction((tx) => this.#end(tx, actor, { type: 'delete-user-sessions' }))
  }

  /** For whoever changes what a user must know to come in. */
  async endAllOf(tx: Tx, userId: string): Promise<void> {
    await this.#announceEnd(tx, await store.end(tx, { userId, now: this.#now() }))
  }

  /** Forgets sessions that nobody can use any more. A job. */
  async purge(): Promise<void> {
    while ((await store.deleteExpired(this.#deps.db.pool, this.#now(), PURGE_BATCH_MAX)) === PURGE_BATCH_MAX);
  }

  /** A refusal that a kept grant leads to is asked again of the database. */
  async #requireGrant(token: AccessClaims): Promise<store.SessionGrant> {
    const { userId, tokenVersionId: sessionId, organizationId } = token
    const key = `${sessionId} ${userId} ${organizationId ?? ''}`
    const kept = this.#grants.peek(key)
    if (kept && isGood(token, kept)) return kept

    const tags = scopesOf(token)
    const load = () => store.findGrant(this.#deps.db.pool, { sessionId, userId, organizationId })
    const grant = await (kept ? this.#grants.reload(key, tags, load) : this.#grants.get(key, tags, load))
    requireGood(token, grant)
    return grant
  }

  async #noteUse(sessionId: string, grant: store.SessionGrant): Promise<void> {
    const now = this.#now()
    if (now.getTime() - grant.lastUsedAt.getTime() < LAST_USE_PRECISION_MS) return
    grant.lastUsedAt = now
    await store.touch(this.#deps.db.pool, sessionId, now)
  }

  async #end(tx: Tx, actor: UserActor, { type, sessionId }: Ending): Promise<number> {
    const ended = await store.end(tx, { userId: actor.id, id: sessionId, now: this.#now() })
    await this.#announceEnd(tx, ended)
    const metadata = { userId: actor.id, ...(sessionId === undefined ? { sessions: ended.length } : { sessionId }) }
    if (ended.length > 0) await this.#deps.audit.record(tx, actor, { type, metadata })
    return ended.length
  }

  #announceEnd(tx: Tx, sessionIds: readonly string[]): Promise<void> {
    return this.#deps.changes.append(tx, ...sessionIds.map((id) => ({ scope: `session:${id}`, kind: 'session-ended' })))
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}

/** A change of any of these may end what the token lets in. */
export const scopesOf = ({ tokenVersionId, userId, organizationId }: AccessClaims): string[] => [
  `session:${tokenVersionId}`,
  `actor:${userId}`,
  ...(organizationId === undefined ? [] : [`organization:${organizationId}`]),
]

type Token = Pick<AccessClaims, 'userId' | 'tokenVersionId' | 'organizationId' | 'authMethod'>

const actorOf = (
  token: Token,
  { email, username, isInstanceAdmin }: store.SessionGrant,
  origin: Origin,
): UserActor => ({
  type: 'user',
  id: token.userId,
  organizationId: token.organizationId,
  sessionId: token.tokenVersionId,
  email,
  username,
  authMethod: token.authMethod,
  isInstanceAdmin,
  origin,
})

const isGood = (token: AccessClaims, grant: store.SessionGrant): boolean =>
  grant.accessVersion === token.accessVersion &&
  grant.isAccepted &&
  (token.organizationId === undefined || isMember(grant))

const isMember = ({ membershipStatus, isMembershipActive }: store.SessionGrant): boolean =>
  membershipStatus === 'accepted' && isMembershipActive === true

function requireGood(token: AccessClaims, grant: store.SessionGrant | undefined): asserts grant {
  if (!grant) throw unauthenticated('The session does not exist any more, please log in again')
  if (grant.accessVersion !== token.accessVersion) {
    throw unauthenticated('The session has ended, please log in again', { code: 'StaleSession' })
  }
  if (!grant.isAccepted) throw unauthenticated('The account has not been completed')
  if (isGood(token, grant)) return
  throw grant.membershipStatus === 'accepted'
    ? forbidden('Your membership in this organization is not active')
    : forbidden(`You are not a member of the organization with id '${token.organizationId ?? ''}'`)
}
