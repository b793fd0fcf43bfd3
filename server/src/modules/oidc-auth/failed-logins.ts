import type { Clock } from '../../platform/clock.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { Origin } from '../permissions/actor.ts'
import type { LoginRefusal } from './login-refusal.ts'

type Deps = { audit: AuditLog; clock: Clock }
type Target = { identityId: string; organizationId: string; projectId: string | null }

/** Anyone can fail to log in any number of times. Beyond this only the totals are recorded, like any refusal's. */
const RECORDED_PER_PERIOD_MAX = 100
const PERIOD_MS = 10_000

/** Records why logins were refused. */
export class FailedLogins {
  readonly #deps: Deps
  #period = { endsAtMs: 0, recorded: 0 }

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async record({ identityId, organizationId, projectId }: Target, refusal: LoginRefusal, origin: Origin) {
    const nowMs = this.#deps.clock.now()
    if (nowMs >= this.#period.endsAtMs) this.#period = { endsAtMs: nowMs + PERIOD_MS, recorded: 0 }
    if (++this.#period.recorded > RECORDED_PER_PERIOD_MAX) return
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
