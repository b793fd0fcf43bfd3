import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { MemberOrder, type Place } from './member-order.ts'

/** Whom a list of a group shows, and where they stand in it. */
export type Roll = {
  organizationId: string
  groupId: string
  /** Tells it from every other of the group. */
  key: string
  /** Selects `id` and `sort_key` of all of them or, without looking at the others, of some. */
  places: (ids?: readonly string[]) => RawBuilder<unknown>
}

/** Undefined when there is no such group. One value instead of a row each: there may be very many. */
export const loadOrder = async (
  db: Db,
  { organizationId, groupId, places }: Roll,
): Promise<MemberOrder | undefined> => {
  const { rows } = await sql<{ ids: Buffer; sortKeys: string[] }>`
    select o.ids, o.sort_keys from groups g cross join lateral (
      select coalesce(string_agg(uuid_send(p.id), ''::bytea), ''::bytea) as ids, coalesce(json_agg(p.sort_key), '[]') as sort_keys
      from (select id, sort_key from (${places()}) p order by sort_key, id) p
    ) o
    where g.id = ${groupId} and g.organization_id = ${organizationId}`.execute(db)
  return rows[0] && new MemberOrder(rows[0].ids, rows[0].sortKeys)
}

/** Of these, the ones that are on it now. */
export const listPlaces = async (db: Db, { places }: Roll, ids: readonly string[]): Promise<Place[]> => {
  const { rows } = await sql<Place>`select id, sort_key from (${places(ids)}) p`.execute(db)
  return rows
}
