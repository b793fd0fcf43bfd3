import type { Logger } from 'pino'
import { badRequest, forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/job-runner.ts'
import type { AuditLog, Platform } from '../audit/audit.service.ts'
import type { Actor } from '../permissions/actor.ts'
import { concerning, type HeldLicense, type Holdings, holdingsOf } from './held-licenses.ts'
import { EVENT_SUBSCRIPTIONS, type License, type TrustedKeys, verifyLicense } from './license.ts'
import { type LicenseSettings, loadLicense } from './license-settings.ts'
import * as store from './licenses.store.ts'
import { dayOf, rightTo, stateOf, warningOf } from './validity.ts'

export type { HeldLicense } from './held-licenses.ts'

type Deps = {
  db: Database
  changes: ChangeFeed
  clock: Clock
  audit: AuditLog
  log: Logger
  config: { license: LicenseSettings; database: { url?: string | undefined } }
}

/** What licences are announced under when they come or go. */
export const SCOPE = 'license'

const DAY_MS = 86_400_000
/** A licence is some hundred bytes. */
const CACHED_MAX = 5_000
const HOW_TO_GET_ONE =
  'whoever runs this server installs a licence with `npx holdfast license install`, and issues one with `npx holdfast license issue`'

/** What organizations may use beyond what everyone may: told by signed licences, without asking anyone outside. */
export class LicenseService {
  readonly #deps: Deps
  readonly #keys: TrustedKeys
  readonly #configured: License | undefined
  readonly #cache: TrustedCache<Holdings>

  /** Throws OperatorError when the configured licence is not one, or is not trusted. */
  constructor(deps: Deps) {
    this.#deps = deps
    const { keys, license } = loadLicense(deps.config.license)
    this.#keys = keys
    this.#configured = license
    this.#cache = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** Once there is a database. The evaluation begins with the first start, and never again. */
  async prepare(): Promise<void> {
    if (this.#mayEvaluate) await store.beginEvaluation(this.#deps.db.pool)
  }

  /** When the right to subscribe to events ends; undefined when there is none now. */
  async eventSubscriptions(organizationId: string): Promise<{ endsAt: number } | undefined> {
    const kept = this.#cache.peek(organizationId)
    const right = kept && this.#rightIn(kept, organizationId)
    return right ?? this.#rightIn(await this.#reload(organizationId), organizationId)
  }

  async requireEventSubscriptions(organizationId: string): Promise<{ endsAt: number }> {
    const right = await this.eventSubscriptions(organizationId)
    if (right) return right
    throw badRequest(`Event subscriptions are not available on your current plan: ${HOW_TO_GET_ONE}`)
  }

  /** For every member of an organization: which licences concern it, and what they give. */
  async describe({ organizationId = '' }: Actor) {
    const { held, untrustedIds } = await this.#reload(organizationId)
    const now = this.#deps.clock.now()
    const licenses = concerning(held, organizationId)
    const features = new Set(
      licenses.flatMap((license) => (stateOf(license, now) === 'active' ? license.features : [])),
    )
    const untrusted = untrustedIds.length > 0 ? untrustedNotice(untrustedIds) : undefined
    return {
      organizationId,
      features: [...features].sort(),
      eventSubscriptionsEndAt: rightTo(EVENT_SUBSCRIPTIONS, licenses, now)?.endsAt ?? null,
      warning: warningOf(licenses, now) ?? untrusted ?? null,
      licenses: licenses.map((license) => this.stated(license)),
    }
  }

  /** Installing one again changes nothing. */
  async install(actor: Actor | Platform, token: string): Promise<HeldLicense> {
    requireInstanceAdmin(actor)
    const license = verifyLicense(token.trim(), this.#keys)
    if (stateOf(license, this.#deps.clock.now()) === 'expired') {
      throw badRequest(`The licence ended on ${dayOf(license.endsAt)}`)
    }
    return this.#deps.db.transaction(async (tx) => {
      await this.#insert(tx, actor, { license, token: token.trim() })
      return { ...license, source: 'installed', installedAt: await store.getInstalledAt(tx, license.id) }
    })
  }

  async remove(actor: Actor | Platform, id: string): Promise<void> {
    requireInstanceAdmin(actor)
    await this.#deps.db.transaction(async (tx) => {
      const removed = isUuid(id) ? await store.deleteById(tx, id) : undefined
      if (!removed) throw notFound(`There is no installed licence with id '${id}'`)
      await this.#announce(tx, actor, { type: 'remove-license', id, organizationId: removed.organizationId })
    })
  }

  stated<L extends License>(license: L) {
    return { ...license, state: stateOf(license, this.#deps.clock.now()) }
  }

  /** For the person who starts the server: what holds for every organization, if there is anything to say of it. */
  async notices(): Promise<string[]> {
    const { held } = await this.#holdings(await store.listAll(this.#deps.db.pool))
    const now = this.#deps.clock.now()
    const forAll = concerning(held, undefined)
    const right = rightTo(EVENT_SUBSCRIPTIONS, forAll, now)
    const warning = warningOf(forAll, now)
    if (warning !== undefined) return [`${warning}: ${HOW_TO_GET_ONE}`]
    const isEvaluating = forAll.every(({ source }) => source === 'evaluation')
    if (!right) return []
    return [
      isEvaluating
        ? `This is an evaluation of 30 days: event subscriptions work until ${dayOf(right.endsAt)} without a licence`
        : `Event subscriptions are licensed until ${dayOf(right.endsAt)}`,
    ]
  }

  /** Once a day it says which licences end soon. */
  get reminderJob(): Job {
    return { name: 'remind of licences that end', everyMs: DAY_MS, run: () => this.#remind() }
  }

  async #remind(): Promise<void> {
    const { log, clock, db } = this.#deps
    const { held, untrustedIds } = await this.#holdings(await store.listAll(db.pool))
    for (const organizationId of new Set(held.map((license) => license.organizationId))) {
      const warning = warningOf(concerning(held, organizationId), clock.now())
      if (warning !== undefined) log.warn({ organizationId: organizationId ?? 'every organization' }, warning)
    }
    if (untrustedIds.length > 0) log.warn(untrustedNotice(untrustedIds))
  }

  /** Whoever brings no database of their own is trying things out. */
  get #mayEvaluate(): boolean {
    return this.#deps.config.database.url === undefined
  }

  #rightIn({ held }: Holdings, organizationId: string): { endsAt: number } | undefined {
    return rightTo(EVENT_SUBSCRIPTIONS, concerning(held, organizationId), this.#deps.clock.now())
  }

  async #reload(organizationId: string): Promise<Holdings> {
    const load = async () => this.#holdings(await store.listFor(this.#deps.db.pool, organizationId))
    return (await this.#cache.reload(organizationId, [SCOPE], load)) ?? load()
  }

  async #holdings(installed: readonly store.InstalledRow[]): Promise<Holdings> {
    const evaluationStart = this.#mayEvaluate ? await store.findEvaluationStart(this.#deps.db.pool) : undefined
    return holdingsOf({ keys: this.#keys, configured: this.#configured, installed, evaluationStart })
  }

  async #insert(tx: Tx, actor: Actor | Platform, { license, token }: { license: License; token: string }) {
    const { id, organizationId = null, licensee, endsAt } = license
    if (organizationId !== null && !(await store.hasOrganization(tx, organizationId))) {
      throw notFound(`The licence is for the organization with id '${organizationId}', which is not here`)
    }
    await store.lockAll(tx)
    if (!(await store.insert(tx, { id, organizationId, token }))) return
    if ((await store.count(tx, organizationId)) > store.INSTALLED_MAX) {
      throw badRequest(`${store.INSTALLED_MAX} licences are installed for this, please remove one`)
    }
    const details = { licensee, endsAt: new Date(endsAt).toISOString() }
    await this.#announce(tx, actor, { type: 'install-license', id, organizationId, details })
  }

  async #announce(
    tx: Tx,
    actor: Actor | Platform,
    {
      type,
      id,
      organizationId,
      details,
    }: { type: string; id: string; organizationId: string | null; details?: object },
  ): Promise<void> {
    const metadata = { licenseId: id, organizationId: organizationId ?? '*', ...details }
    await this.#deps.audit.record(tx, actor, { type, metadata, organizationId: organizationId ?? undefined })
    await this.#deps.changes.append(tx, { scope: SCOPE, kind: 'license-changed' })
  }
}

const requireInstanceAdmin = (actor: Actor | Platform): void => {
  if (actor.type === 'platform' || actor.isInstanceAdmin) return
  throw forbidden('Only an administrator of the instance may do this')
}

const untrustedNotice = (ids: readonly string[]): string =>
  `Installed licences that no key of HOLDFAST_LICENSE_PUBLIC_KEYS has signed do not count: ${ids.join(', ')}`
