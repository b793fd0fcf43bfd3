import { type Generated, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { WITH_THE_NEXT } from '../../platform/db/pooled-connection.ts'
import { statement } from '../../platform/db/statement.ts'

export type AuditLogTable = {
  seq: Generated<number>
  id: string
  xid: Generated<string>
  createdAt: Generated<Date>
  organizationId: string | null
  projectId: string | null
  eventType: string
  eventMetadata: object
  actorType: string
  actorId: string | null
  actorMetadata: object
  ipAddress: string | null
  userAgent: string | null
  userAgentType: string | null
  requestId: string | null
  result: 'success' | 'refused'
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    auditLogs: AuditLogTable
  }
}

const COLUMNS = sql.raw(
  'id, organization_id, project_id, event_type, event_metadata, actor_type, actor_id, actor_metadata, ip_address, user_agent, user_agent_type, request_id, result',
)

/**
 * One statement of one text and one parameter, a JSON array, however many rows they are, so that it is prepared. In a
 * transaction it goes with the commit.
 */
export const insert: (db: Db, given: { rows: string }) => Promise<unknown> = statement(
  (value) => sql`${WITH_THE_NEXT}insert into audit_logs (${COLUMNS})
    select ${COLUMNS}
    from json_to_recordset(${value('rows')}::json) as given (
      id uuid, organization_id uuid, project_id uuid, event_type text, event_metadata jsonb, actor_type text,
      actor_id uuid, actor_metadata jsonb, ip_address text, user_agent text, user_agent_type text, request_id text,
      result text
    )`,
)

export type LogFilter = {
  /** Undefined finds nothing. */
  organizationId: string | undefined
  from: Date
  to?: Date | undefined
  projectId?: string | undefined
  environment?: string | undefined
  secretPath?: string | undefined
  secretKey?: string | undefined
  actorType?: string | undefined
  actor?: string | undefined
  eventType?: readonly string[] | undefined
  userAgentType?: string | undefined
  eventMetadata?: readonly { key: string; value: string }[] | undefined
  offset: number
  limit: number
}

export type FoundLog = Awaited<ReturnType<typeof list>>[number]

/** Newest first. */
export const list = (db: Db, filter: LogFilter) =>
  db
    .selectFrom('auditLogs')
    .select(['id', 'createdAt', 'projectId', 'eventType', 'eventMetadata', 'actorType', 'actorMetadata'])
    .select(['ipAddress', 'userAgent', 'userAgentType'])
    .select(sql<string>`organization_id`.as('organizationId'))
    .where('organizationId', '=', filter.organizationId ?? null)
    .where('createdAt', '>=', filter.from)
    .where((row) => row.and(conditionsOf(filter)))
    .orderBy('createdAt', 'desc')
    .orderBy('seq', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()

const conditionsOf = (filter: LogFilter) => [
  ...given(filter.to, (to) => sql<boolean>`created_at <= ${to}`),
  ...given(filter.projectId, (id) => sql<boolean>`project_id = ${id}`),
  ...given(filter.actorType, (type) => sql<boolean>`actor_type = ${type}`),
  ...given(filter.actor, (id) => sql<boolean>`actor_id = ${id}`),
  ...given(filter.eventType, (types) => sql<boolean>`event_type = any (${types}::text[])`),
  ...given(filter.userAgentType, (type) => sql<boolean>`user_agent_type = ${type}`),
  ...given(filter.environment, (slug) => hasMetadata('environment', slug)),
  ...given(filter.secretPath, (path) => hasMetadata('secretPath', path)),
  ...given(filter.secretKey, concernsSecret),
  ...(filter.eventMetadata ?? []).map(({ key, value }) => hasMetadata(key, value)),
]

const given = <T>(value: T | undefined, condition: (value: T) => RawBuilder<boolean>): RawBuilder<boolean>[] =>
  value === undefined ? [] : [condition(value)]

const hasMetadata = (key: string, value: string) => sql<boolean>`event_metadata ->> ${key} = ${value}`

/** Alone, or among the secrets of a batch. */
const concernsSecret = (key: string) => {
  const batch = JSON.stringify({ secrets: [{ secretKey: key }] })
  return sql<boolean>`(${hasMetadata('secretKey', key)} or event_metadata @> ${batch}::jsonb)`
}

/** Those of the types of which the organization has a row. */
export const listSeenEventTypes = async (db: Db, organizationId: string | undefined, types: readonly string[]) => {
  const { rows } = await sql<{ type: string }>`select type from unnest(${types}::text[]) as given (type)
    where exists (select from audit_logs where organization_id = ${organizationId ?? null}::uuid and event_type = type)`.execute(
    db,
  )
  return rows.map(({ type }) => type)
}

/** By id, of the organization's own projects: a refused request may have named any. One that was deleted has none any more. */
export const findProjectNames = async (
  db: Db,
  organizationId: string | undefined,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from projects
    where organization_id = ${organizationId ?? null}::uuid and id = any (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
