import { AppError } from '../../../lib/app-error.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { Job } from '../../../platform/jobs/job-runner.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import * as store from './authorities.store.ts'
import type { AuthorityRow } from './authorities.store.ts'
import * as certificates from './authority-certificates.store.ts'
import type { AuthorityCertificateService } from './authority-certificates.service.ts'
import { type AuthorityLookup, noSuchAuthority } from './authority-lookup.service.ts'
import { wholeSeconds } from './authority-rules.ts'

type Deps = {
  db: Database
  audit: AuditLog
  clock: Clock
  authorityLookup: AuthorityLookup
  authorityCertificates: AuthorityCertificateService
}

export type AutoRenewalChanges = {
  autoRenewalEnabled?: boolean | undefined
  autoRenewalDaysBeforeExpiry?: number | undefined
}

const CHECK_EVERY_MS = 60_000
const RETRY_AFTER_MS = 60 * 60_000
/** At one check; the rest have to wait for the next. */
const RENEWALS_MAX = 50
const DAYS_DEFAULT = 30
const PLATFORM = { type: 'platform' } as const

/** Renews the certificates of authorities before they end, where that is wanted. */
export class AutoRenewalService {
  readonly #deps: Deps
  readonly job: Job = { name: 'renew certificate authorities', everyMs: CHECK_EVERY_MS, run: () => this.renewDue() }

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get(actor: Actor, caId: string): Promise<AuthorityRow> {
    return this.#deps.authorityLookup.get(actor, caId, 'read')
  }

  async update(actor: Actor, caId: string, changes: AutoRenewalChanges): Promise<AuthorityRow> {
    const { projectId } = await this.#deps.authorityLookup.get(actor, caId, 'edit')
    return this.#deps.db.transaction(async (tx) => {
      const before = await store.lock(tx, caId)
      if (!before) throw noSuchAuthority(caId)
      const after = settingsAfter(before, changes)
      await store.update(tx, caId, after)
      const metadata = { caId, name: before.name, ...after }
      await this.#deps.audit.record(tx, actor, { type: 'update-certificate-authority', projectId, metadata })
      return { ...before, ...after }
    })
  }

  async renewDue(): Promise<void> {
    for (let renewed = 0; renewed < RENEWALS_MAX; renewed++) {
      const at = new Date(this.#deps.clock.now())
      const triedBefore = new Date(at.getTime() - RETRY_AFTER_MS)
      const caId = await store.claimDueForRenewal(this.#deps.db.pool, { at, triedBefore })
      if (caId === undefined) return
      const failure = await this.#renew(caId, at)
      await this.#deps.db.transaction((tx) => note(tx, caId, failure))
    }
  }

  /** For as long again, but no longer than whoever signs it. Returns why it could not be. */
  async #renew(caId: string, at: Date): Promise<string | undefined> {
    const ca = await store.findById(this.#deps.db.pool, caId)
    const current = await certificates.findActive(this.#deps.db.pool, caId)
    if (!ca || !current) return 'There is nothing to renew'
    const parent = current.parentCaId
      ? await certificates.findActive(this.#deps.db.pool, current.parentCaId)
      : undefined
    const lifetimeMs = current.notAfter.getTime() - current.notBefore.getTime()
    const endsAt = Math.min(at.getTime() + lifetimeMs, parent?.notAfter.getTime() ?? Infinity)
    try {
      await this.#deps.authorityCertificates.renewAs(PLATFORM, ca, wholeSeconds(new Date(endsAt)))
      return undefined
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }
}

const settingsAfter = (before: AuthorityRow, changes: AutoRenewalChanges) => ({
  autoRenewalEnabled: changes.autoRenewalEnabled ?? before.autoRenewalEnabled,
  autoRenewalDaysBeforeExpiry:
    changes.autoRenewalDaysBeforeExpiry ??
    before.autoRenewalDaysBeforeExpiry ??
    (changes.autoRenewalEnabled ? DAYS_DEFAULT : null),
})

const note = (tx: Tx, caId: string, failure: string | undefined) =>
  store.update(tx, caId, {
    lastRenewalStatus: failure === undefined ? 'success' : 'failed',
    lastRenewalMessage: failure ?? null,
  })
