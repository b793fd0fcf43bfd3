import { type AppError, forbidden, unauthenticated } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import { FailureRecords } from '../access-tokens/failure-records.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin } from '../permissions/actor.ts'
import { decoyOf } from './decoys.ts'
import { idleStep, lockoutStep } from './lockout.ts'
import * as lockouts from './lockouts.store.ts'
import type { LoginCandidate } from './login.store.ts'
import type { Refusal, Refused } from './login-verdict.ts'

type Deps = { db: Database; audit: AuditLog; clock: Clock }
export type Attempt = { clientId: string; origin: Origin; nowMs: number }

const PURGE_EVERY_MS = 60_000

/** What follows when a login is refused: the count that leads to a lock, the record, and the error. */
export class FailedLogins {
  readonly #deps: Deps
  readonly #records = new FailureRecords()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Counts and records the failure; the error is for the caller to throw. */
  async refuse(attempt: Attempt, candidate: LoginCandidate | undefined, refused: Refused): Promise<AppError> {
    const isFirst = await this.#count(attempt, candidate, refused)
    const refusal = isFirst ? refused.refusal : 'temporarily_locked'
    const error = errorOf(refusal)
    if (this.#records.mayRecord(candidate?.identityId, attempt.nowMs)) {
      await this.#record(attempt, candidate, { refusal, message: error.message })
    }
    return error
  }

  /** After a login with the right secret. */
  async forget({ id, isLocked }: LoginCandidate, nowMs: number): Promise<void> {
    if (isLocked !== null) await lockouts.deleteCount(this.#deps.db.pool, id, new Date(nowMs))
  }

  /** Removes the counts and locks that have ended. */
  readonly purgeJob: Job = {
    name: 'purge lockouts',
    everyMs: PURGE_EVERY_MS,
    run: async () => {
      await lockouts.deleteExpired(this.#deps.db.pool, new Date(this.#deps.clock.now()))
    },
  }

  /** False when failures of others have led to a lock just now. Whoever knows the secret is not guessing. */
  async #count(attempt: Attempt, candidate: LoginCandidate | undefined, refused: Refused): Promise<boolean> {
    const { db } = this.#deps
    if (candidate && refused.isCounted) {
      const key = { configId: candidate.id, identityId: candidate.identityId }
      return lockouts.countFailure(db.pool, key, lockoutStep(candidate, attempt.nowMs))
    }
    if (candidate && provesTheSecret(refused.refusal)) await this.forget(candidate, attempt.nowMs)
    else await lockouts.countFailure(db.pool, decoyOf(attempt.clientId), idleStep(attempt.nowMs))
    return true
  }

  async #record(
    { clientId, origin }: Attempt,
    candidate: LoginCandidate | undefined,
    { refusal, message }: { refusal: Refusal; message: string },
  ): Promise<void> {
    await this.#deps.audit.note(
      { type: 'anonymous', origin },
      {
        type: 'login-identity-universal-auth-failed',
        result: 'refused',
        organizationId: candidate?.organizationId,
        projectId: candidate?.projectId ?? undefined,
        metadata: {
          // Someone may have sent the secret in its place.
          clientId: isUuid(clientId) ? clientId : undefined,
          identityId: candidate?.identityId,
          reasonCode: refusal,
          message,
        },
      },
    )
  }
}

const provesTheSecret = (refusal: Refusal): boolean =>
  refusal === 'client_secret_expired' || refusal === 'client_secret_usage_limit_reached'

const errorOf = (refusal: Refusal): AppError => {
  switch (refusal) {
    case 'client_id_not_found':
    case 'invalid_client_secret':
      return unauthenticated('Invalid credentials')
    case 'ip_not_trusted':
      return forbidden('The client secret may not be used from this address')
    case 'temporarily_locked':
      return unauthenticated('Too many logins have failed, universal auth of this identity is locked for a while')
    case 'client_secret_expired':
      return unauthenticated('The client secret has expired')
    case 'client_secret_usage_limit_reached':
      return unauthenticated('The client secret has no uses left')
  }
}
