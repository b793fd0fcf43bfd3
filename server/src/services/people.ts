import { InviteService } from '../modules/sessions/invites.service.ts'
import { LoginThrottle } from '../modules/sessions/login-throttle.service.ts'
import { LoginService } from '../modules/sessions/login.service.ts'
import { RefreshService } from '../modules/sessions/refresh.service.ts'
import { SessionService } from '../modules/sessions/sessions.service.ts'
import { SignUpService } from '../modules/sessions/sign-up.service.ts'
import { UserTokens } from '../modules/sessions/user-tokens.ts'
import { PasswordHasher } from '../modules/users/password-hasher.ts'
import type { Base } from './base.ts'

/** How people come in. */
export const createPeople = (base: Base) => {
  const hasher = new PasswordHasher()
  const tokens = new UserTokens(base)
  const throttle = new LoginThrottle(base)
  const sessions = new SessionService({ ...base, tokens })
  const shared = { ...base, hasher, tokens, throttle, sessions, siteUrl: base.config.siteUrl }
  return {
    hasher,
    throttle,
    sessions,
    logins: new LoginService(shared),
    refreshes: new RefreshService(shared),
    invites: new InviteService(shared),
    signUps: new SignUpService(shared),
  }
}
