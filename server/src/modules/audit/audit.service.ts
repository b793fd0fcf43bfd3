import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/db/db.ts'
import type { AuditActor, AuditEvent } from './audit-event.ts'
import { auditRow } from './audit-row.ts'
import * as store from './audit.store.ts'
import { GroupInsert } from './group-insert.ts'
import { type CountedRefusal, type Refusal, RefusalWindow } from './refusal-window.ts'

export type { Anonymous, AuditActor, AuditEvent, Platform } from './audit-event.ts'

type Deps = { db: Database; clock: Clock; refusalWindowMs?: number }

const REFUSED = 'refuse-request'

/** Records who did what and who was not let do it. */
export class AuditLog {
  readonly #group: GroupInsert
  readonly #refusals: RefusalWindow

  constructor({ db, clock, refusalWindowMs }: Deps) {
    this.#group = new GroupInsert((rows) => store.insert(db.pool, { rows }))
    this.#refusals = new RefusalWindow({
      clock,
      windowMs: refusalWindowMs,
      write: (refusal) => this.note({ type: 'anonymous', origin: refusal.origin }, refusalEvent(refusal)),
    })
  }

  /** A change: recorded in its own transaction, so that there is never one without the other. */
  async record(tx: Tx, actor: AuditActor, ...events: AuditEvent[]): Promise<void> {
    if (events.length === 0) return
    await store.insert(tx, { rows: `[${events.map((event) => auditRow(actor, event)).join()}]` })
  }

  /** What changes nothing: a read, a login. Not inside a transaction. Whoever shows secrets waits for it first. */
  note(actor: AuditActor, event: AuditEvent): Promise<void> {
    return this.#group.add(auditRow(actor, event))
  }

  /** A request of someone known that was answered 401 or 403. */
  refused(actor: AuditActor, refusal: { projectId?: string | undefined; metadata: object }): Promise<void> {
    return this.note(actor, { type: REFUSED, result: 'refused', ...refusal })
  }

  /** The same of nobody known: counted, and written once in a while, since anyone can send any number of them. */
  refusedAnonymously(refusal: Refusal): void {
    this.#refusals.add(refusal)
  }

  /** Writes what is still counted or waiting. */
  async close(): Promise<void> {
    await this.#refusals.close()
    await this.#group.settled()
  }
}

const refusalEvent = (refusal: CountedRefusal): AuditEvent => {
  const { method, route, statusCode, error, count, firstAt, lastAt } = refusal
  return { type: REFUSED, result: 'refused', metadata: { method, route, statusCode, error, count, firstAt, lastAt } }
}
