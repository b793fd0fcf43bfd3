import { notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import type { AccessTokenService, IssuedToken } from '../access-tokens/access-tokens.service.ts'
import type { LoginRecorder } from '../access-tokens/login-recorder.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin } from '../permissions/actor.ts'
import type { ClientSecretService } from './client-secrets.service.ts'
import { FailedLogins } from './failed-logins.service.ts'
import type { Credentials } from './login.schemas.ts'
import * as store from './login.store.ts'
import { judgeLogin } from './login-verdict.ts'

type Deps = {
  db: Database
  clientSecrets: ClientSecretService
  accessTokens: AccessTokenService
  logins: LoginRecorder
  audit: AuditLog
  clock: Clock
}

type Admitted = { candidate: store.LoginCandidate; secret: NonNullable<store.LoginCandidate['secret']> }

const AUTH_METHOD = 'universal-auth'
/** Asked for in place of what cannot be a client id, so that every login asks the same. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Logging in with a client id and a client secret. */
export class UniversalAuthLogin {
  readonly purgeJob: Job
  readonly #deps: Deps
  readonly #failures: FailedLogins

  constructor(deps: Deps) {
    this.#deps = deps
    this.#failures = new FailedLogins(deps)
    this.purgeJob = this.#failures.purgeJob
  }

  async login({ clientId, clientSecret, organizationSlug }: Credentials, origin: Origin): Promise<IssuedToken> {
    const nowMs = this.#deps.clock.now()
    const attempt = { clientId, origin, nowMs }
    const candidate = await this.#find(clientId, clientSecret, nowMs)
    const verdict = judgeLogin(candidate, { ip: origin.ip, nowMs })
    if ('refusal' in verdict) throw await this.#failures.refuse(attempt, candidate, verdict)

    if (organizationSlug !== undefined) requireOrganization(verdict.candidate, organizationSlug)
    if (!(await this.#count(verdict, nowMs))) {
      const refused = { refusal: 'client_secret_usage_limit_reached', isCounted: false } as const
      throw await this.#failures.refuse(attempt, { ...verdict.candidate, isLocked: null }, refused)
    }
    return this.#admit(verdict, origin)
  }

  /** Counts the use of the secret and forgets the failures before it. False when it has no use left. */
  async #count({ candidate, secret }: Admitted, nowMs: number): Promise<boolean> {
    if (secret.usesLeft !== null) {
      const use = { secretId: secret.id, configId: candidate.id, now: new Date(nowMs) }
      return store.takeUse(this.#deps.db.pool, use)
    }
    this.#deps.clientSecrets.noteUse(secret.id)
    await this.#failures.forget(candidate, nowMs)
    return true
  }

  async #find(clientId: string, secret: string, nowMs: number): Promise<store.LoginCandidate | undefined> {
    const code = await this.#deps.clientSecrets.codeOf(clientId, secret)
    const presented = { clientId: isUuid(clientId) ? clientId : NOBODY, code, now: new Date(nowMs) }
    return store.findCandidate(this.#deps.db.pool, presented)
  }

  /** Nobody gets a token of which the log says nothing. */
  async #admit({ candidate, secret }: Admitted, origin: Origin): Promise<IssuedToken> {
    const { identityId, identityName, organizationId, projectId, membershipId } = candidate
    const token = await this.#deps.accessTokens.issue({
      identity: { id: identityId, name: identityName, organizationId },
      membershipId,
      authMethod: AUTH_METHOD,
      method: candidate,
      clientSecretId: secret.id,
    })
    this.#deps.logins.note(membershipId, AUTH_METHOD, this.#deps.clock.now())
    await this.#deps.audit.note(
      {
        type: 'identity',
        ...{ id: identityId, name: identityName, organizationId, authMethod: AUTH_METHOD, tokenId: token.id },
        ...{ isInstanceAdmin: false, claims: {}, origin },
      },
      {
        type: 'login-identity-universal-auth',
        projectId: projectId ?? undefined,
        metadata: {
          clientSecretId: secret.id,
          identityId,
          identityAccessTokenId: token.id,
          identityUniversalAuthId: candidate.id,
        },
      },
    )
    return token
  }
}

const requireOrganization = ({ organizationSlug }: store.LoginCandidate, slug: string): void => {
  if (slug !== organizationSlug) throw notFound(`Organization with slug '${slug}' not found`)
}
