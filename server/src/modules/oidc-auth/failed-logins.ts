import type { Clock } from '../../platform/clock.ts'
import { FailureRecords } from '../access-tokens/failure-records.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin } from '../permissions/actor.ts'
import type { LoginRefusal } from './login-refusal.ts'

type Deps = { audit: AuditLog; clock: Clock }
type Target = { identityId: string; organizationId: string; projectId: string | null }

/** Records why logins were refused. */
export class FailedLogins {
  readonly #deps: Deps
  readonly #records = new FailureRecords()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async record({ identityId, organizationId, projectId }: Target, refusal: LoginRefusal, origin: Origin) {
    if (!this.#records.mayRecord(identityId, this.#deps.clock.now())) return
    await this.#deps.audit.note(
      { type: 'anonymous', origin },
      {
        type: 'login-identity-oidc-auth-failed',
        result: 'refused',
        organizationId,
        projectId: projectId ?? undefined,
        metadata: { identityId, reasonCode: refusal.reason, message: refusal.message },
      },
    )
  }
}
