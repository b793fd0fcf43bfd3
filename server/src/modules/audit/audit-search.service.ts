import { AppError } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'
import type { PermissionService } from '../permissions/permissions.service.ts'
import { periodOf } from './audit-period.ts'
import type { AuditLogQuery } from './audit.schemas.ts'
import type { AuditLog } from './audit.service.ts'
import * as store from './audit.store.ts'
import { KNOWN_EVENT_TYPES } from './event-types.ts'

type Deps = { db: Database; permissions: PermissionService; audit: AuditLog; clock: Clock; retentionDays: number }

const DAY_MS = 86_400_000

/** Reading the log, of a whole organization or of one project. */
export class AuditSearch {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async list(actor: Actor, { startDate, endDate, ...query }: AuditLogQuery) {
    const { db, clock, audit } = this.#deps
    await this.#requireRead(actor, query.projectId)
    const period = periodOf(startDate, endDate, clock.now())
    await this.#requireKnown(actor.organizationId, query.eventType ?? [])
    if (query.offset === 0) {
      await audit.note(actor, { type: 'view-audit-logs', metadata: {}, projectId: query.projectId })
    }
    if (query.actor !== undefined && !isUuid(query.actor)) return []

    // Without an end there is none: the clock counts in milliseconds, and what was just written belongs here.
    const filter = { ...query, organizationId: actor.organizationId, from: period.from, to: endDate && period.to }
    const rows = await store.list(db.pool, filter)
    const projectIds = [...new Set(rows.flatMap((row) => row.projectId ?? []))]
    const names = await store.findProjectNames(db.pool, actor.organizationId, projectIds)
    return rows.map((row) => this.#shown(row, names))
  }

  async #requireRead(actor: Actor, projectId: string | undefined): Promise<void> {
    const { permissions } = this.#deps
    if (projectId === undefined) await (await permissions.inOrganization(actor)).require('read', 'audit-logs')
    else await (await permissions.inProject(actor, projectId)).require('read', 'audit-logs')
  }

  async #requireKnown(organizationId: string | undefined, types: readonly string[]): Promise<void> {
    const others = types.filter((type) => !KNOWN_EVENT_TYPES.has(type))
    if (others.length === 0) return
    const seen = await store.listSeenEventTypes(this.#deps.db.pool, organizationId, others)
    const unknown = others.find((type) => !seen.includes(type))
    if (unknown !== undefined) throw new AppError('invalid-input', `There is no event type '${unknown}'`)
  }

  #shown(row: store.FoundLog, projectNames: ReadonlyMap<string, string>) {
    const { id, ipAddress, userAgent, userAgentType, createdAt, projectId } = row
    return {
      ...{ id, ipAddress, userAgent, userAgentType, createdAt, projectId },
      updatedAt: createdAt,
      expiresAt: new Date(createdAt.getTime() + this.#deps.retentionDays * DAY_MS),
      orgId: row.organizationId,
      projectName: projectNames.get(projectId ?? '') ?? null,
      event: { type: row.eventType, metadata: { ...row.eventMetadata } },
      actor: { type: row.actorType, metadata: { ...row.actorMetadata } },
    }
  }
}
