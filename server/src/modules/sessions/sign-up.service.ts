import { badRequest } from '../../lib/app-error.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Origin } from '../permissions/actor.ts'
import type { PasswordHasher } from '../users/password-hasher.ts'
import type { User, UserService } from '../users/users.service.ts'
import { EMAIL_METHOD } from './login.service.ts'
import type { SessionService, SessionTokens } from './sessions.service.ts'
import type { UserTokens } from './user-tokens.ts'

type Deps = {
  db: Database
  users: UserService
  organizations: OrganizationService
  sessions: SessionService
  hasher: PasswordHasher
  tokens: UserTokens
  audit: AuditLog
}
type Account = { email: string; firstName: string; lastName?: string | undefined; password: string }

/** Makes somebody who was invited a user. */
export class SignUpService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async completeAccount(
    signUpToken: string,
    { email, firstName, lastName, password }: Account,
    origin: Origin,
  ): Promise<SessionTokens & { user: User }> {
    const { db, users, organizations, sessions } = this.#deps
    const { userId, membershipId } = await this.#deps.tokens.readSignUp(signUpToken)
    const passwordHash = await this.#deps.hasher.hash(password)

    const { user, session } = await db.transaction(async (tx) => {
      const invited = await users.lock(tx, userId)
      const membership = await organizations.findMembership(tx, membershipId)
      if (invited?.email !== email.toLowerCase() || membership?.userId !== userId) throw notInvited()
      if (invited.isAccepted) throw badRequest('The account has been completed before: log in instead')

      const member = { organizationId: membership.organizationId, userId }
      const completed = await users.completeAccount(tx, userId, { firstName, lastName, passwordHash })
      await organizations.updateMember(tx, member, { status: 'accepted' })
      await organizations.dropOtherInvitations(tx, member)
      const opened = await sessions.open(tx, { userId, authMethod: EMAIL_METHOD, origin })
      await this.#deps.audit.record(
        tx,
        { type: 'anonymous', origin },
        {
          type: 'user-signup',
          organizationId: member.organizationId,
          metadata: { userId, email: invited.email, membershipId },
        },
      )
      return { user: completed, session: opened }
    })
    return { ...(await sessions.tokensOf(session)), user }
  }
}

const notInvited = () => badRequest('The invitation is not for this address, or has been withdrawn')
