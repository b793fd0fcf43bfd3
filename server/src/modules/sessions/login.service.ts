import { type AppError, badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Origin, UserActor } from '../permissions/actor.ts'
import type { PasswordHasher } from '../users/password-hasher.ts'
import type { User, UserService } from '../users/users.service.ts'
import type { LoginThrottle } from './login-throttle.service.ts'
import * as store from './login.store.ts'
import type { Session, SessionService, SessionTokens } from './sessions.service.ts'

type Deps = {
  db: Database
  users: UserService
  organizations: OrganizationService
  sessions: SessionService
  hasher: PasswordHasher
  throttle: LoginThrottle
  audit: AuditLog
  clock: Clock
}
type Credentials = { email: string; password: string }

export const EMAIL_METHOD = 'email'
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** How people come in: with their password, and then into one of their organizations. */
export class LoginService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Whatever is wrong, the answer is the same, and takes as long. */
  async logIn({ email, password }: Credentials, origin: Origin): Promise<SessionTokens> {
    const { db, users, hasher, throttle, sessions } = this.#deps
    const user = await users.findWithHash(db.pool, email)
    const isKnownAddress = await store.hasSessionFrom(db.pool, user?.id ?? NOBODY, origin.ip)
    const attempt = { account: email.toLowerCase(), ip: origin.ip, isKnownAddress }

    await throttle.requireOpen(attempt)
    const isRight = await hasher.verify(user?.passwordHash, password, () => throttle.begin(attempt))
    if (!user || !isRight || !(await this.#mayLogIn(user))) throw await this.#refusal(user, origin)

    await throttle.succeed(attempt)
    return sessions.tokensOf(await this.#open(user, origin))
  }

  /** New tokens of the same session, for one organization. An invitation is accepted by its link alone: nobody has proved an address. */
  async selectOrganization(actor: UserActor, organizationId: string): Promise<SessionTokens> {
    const { db, organizations, sessions, clock } = this.#deps
    const organization = isUuid(organizationId) ? await organizations.find(db.pool, organizationId) : undefined
    if (!organization) throw noSuchOrganization(organizationId)

    const member = { organizationId, userId: actor.id }
    const selected = await db.transaction(async (tx) => {
      const membership = await organizations.findMember(tx, member)
      if (!membership) throw noSuchOrganization(organizationId)
      if (!membership.isActive) throw forbidden('Your membership in this organization is not active')
      if (membership.status === 'invited')
        throw forbidden('Open the link of your invitation to this organization first')

      const metadata = { organizationId, organizationName: organization.name }
      await this.#deps.audit.record(tx, actor, { type: 'select-organization', organizationId, metadata })
      return { session: await sessions.get(tx, actor), membershipId: membership.id }
    })
    const { authMethod } = actor
    await organizations.recordLogins([{ membershipId: selected.membershipId, authMethod, at: new Date(clock.now()) }])
    return sessions.tokensOf(selected.session, organizationId)
  }

  /** For whoever runs the server. Everyone who is logged in as this user is logged out. */
  async resetPassword({ email, password }: Credentials): Promise<void> {
    const passwordHash = await this.#deps.hasher.hash(password)
    await this.#deps.db.transaction(async (tx) => {
      const user = await this.#deps.users.find(tx, email)
      if (!user) throw notFound(`User '${email}' not found`)
      if (!user.isAccepted) throw badRequest(`User '${email}' was invited and has no account yet`)
      await this.#deps.users.setPasswordHash(tx, user.id, passwordHash)
      await this.#deps.sessions.endAllOf(tx, user.id)
      const metadata = { userId: user.id, email: user.email }
      await this.#deps.audit.record(tx, { type: 'platform' }, { type: 'reset-user-password', metadata })
    })
  }

  /** Without mail nobody can prove an address: an account begins with an invitation. */
  async signUp(): Promise<never> {
    throw (await store.isSignUpAllowed(this.#deps.db.pool))
      ? badRequest('Signing up takes mail, which is not set up here: ask an administrator for an invitation')
      : forbidden('Signing up is switched off: ask an administrator for an invitation')
  }

  async #mayLogIn({ id, isAccepted, isEmailVerified }: User): Promise<boolean> {
    return isAccepted && isEmailVerified && (await store.mayUsePassword(this.#deps.db.pool, id))
  }

  #open(user: User, origin: Origin): Promise<Session> {
    return this.#deps.db.transaction(async (tx) => {
      const session = await this.#deps.sessions.open(tx, { userId: user.id, authMethod: EMAIL_METHOD, origin })
      const { id, email, username, isInstanceAdmin } = user
      const actor: UserActor = {
        type: 'user',
        id,
        sessionId: session.id,
        email,
        username,
        authMethod: EMAIL_METHOD,
        isInstanceAdmin,
        origin,
      }
      await this.#deps.audit.record(tx, actor, { type: 'user-login', metadata: { userId: id, sessionId: session.id } })
      return session
    })
  }

  /** Of somebody unknown nothing is kept: a password is sometimes typed into the wrong field. */
  async #refusal(user: User | undefined, origin: Origin): Promise<AppError> {
    const metadata = user ? { userId: user.id } : {}
    const anonymous = { type: 'anonymous', origin } as const
    await this.#deps.audit.note(anonymous, { type: 'user-login-failed', metadata, result: 'refused' })
    return badRequest('The email address or the password is wrong')
  }
}

const noSuchOrganization = (id: string) => notFound(`Organization with id '${id}' not found`)
