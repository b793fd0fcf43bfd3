import { forbidden, notFound } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { OrganizationService } from '../organizations/organizations.service.ts'
import type { Actor } from '../permissions/actor.ts'
import * as store from './instance.store.ts'

type Deps = { db: Database; changes: ChangeFeed; organizations: OrganizationService; audit: AuditLog }

/** What the settings are announced under when they change. */
export const SCOPE = 'instance'

/** What the installation says of itself, and what its administrators may change of it. */
export class InstanceService {
  readonly #deps: Deps
  readonly #settings: TrustedCache<store.InstanceSettings>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#settings = new TrustedCache(deps.changes, 1)
  }

  async settings(): Promise<store.InstanceSettings> {
    const read = () => store.get(this.#deps.db.pool)
    return this.#settings.peek(SCOPE) ?? (await this.#settings.get(SCOPE, [SCOPE], read)) ?? read()
  }

  /** Undefined for anyone but an administrator of the instance. */
  async adminIdentityIds(actor: Actor | undefined): Promise<string[] | undefined> {
    return actor?.isInstanceAdmin ? store.listAdminIdentityIds(this.#deps.db.pool) : undefined
  }

  async update(actor: Actor, changes: store.SettingsChanges): Promise<store.InstanceSettings> {
    if (!actor.isInstanceAdmin) throw forbidden('Only an administrator of the instance may do this')
    return this.#deps.db.transaction(async (tx) => {
      const { defaultOrganizationId: id } = changes
      const isKnown = typeof id !== 'string' || (isUuid(id) && (await this.#deps.organizations.find(tx, id)))
      if (!isKnown) throw notFound(`Organization with id '${id}' not found`)
      await store.update(tx, changes)
      await this.#deps.audit.record(tx, actor, { type: 'update-instance-settings', metadata: changes })
      await this.#deps.changes.append(tx, { scope: SCOPE, kind: 'instance-settings-changed' })
      return store.get(tx)
    })
  }
}
