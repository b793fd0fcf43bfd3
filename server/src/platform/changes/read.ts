import type pg from 'pg'
import type { Change } from './change.ts'

/** A change as it was read, with its number, and its transaction and time: after a crash a number may be given again. */
export type ReadChange = Change & { seq: number; origin: string }

/** What one statement has seen. */
export type Read = {
  /** The very snapshot it saw through: what a later read leaves out. */
  snapshot: string
  databaseMs: number
  incarnation: string | null
  /** Rows that should have been read may have been pruned. */
  isBehind: boolean
  /** The database has forgotten transactions it had finished before. */
  wentBack: boolean
  /** There is more than anyone should hold in memory; no changes are given. */
  isTooMuch: boolean
  /** In the order of seq. */
  changes: ReadChange[]
}

type Row = Omit<Read, 'changes'> & { changes: [number, string, string, string, Change['body'] | null][] | null }

const ROWS_MAX = 100_000
const BYTES_MAX = 64 * 1_024 * 1_024

/**
 * Every row that is visible now and was not at the time of the snapshot $1, in one index range and one probe for each
 * transaction that was open then. This is the rule "visible, xid at or above the horizon, not yet seen", decided by
 * PostgreSQL: what a snapshot did not show is exactly what began after it (at or above its xmax) and what it lists as
 * under way (xip, whole transactions, like our xid), and MVCC itself rests on that. So a foreign transaction, which
 * holds the horizon (xmin) for as long as it stays open, costs one empty probe instead of all rows since it began.
 * Without a snapshot it reads no row, only where things stand. Rows of xids this cluster has not reached are not its own.
 */
const READ = `
  with unseen as materialized (
    select seq, xid, appended_at, scope, kind, body from changes
    where xid >= pg_snapshot_xmax($1::pg_snapshot) and xid < pg_snapshot_xmax(pg_current_snapshot())
    union all
    select seq, xid, appended_at, scope, kind, body from changes
    where xid = any (array(select pg_snapshot_xip($1::pg_snapshot)))
  ), backlog as (
    select count(*) > ${ROWS_MAX} or coalesce(sum(octet_length(body::text)), 0) > ${BYTES_MAX} as is_too_much from unseen
  )
  select
    pg_current_snapshot()::text as snapshot,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as "databaseMs",
    state.incarnation,
    coalesce(
      pg_snapshot_xmin($1::pg_snapshot) < state.pruned_below
        and state.pruned_below <= pg_snapshot_xmin(pg_current_snapshot()),
      false
    ) as "isBehind",
    coalesce(
      pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmin($1::pg_snapshot)
        or pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot),
      false
    ) as "wentBack",
    backlog.is_too_much as "isTooMuch",
    case when not backlog.is_too_much then (
      select json_agg(json_build_array(seq, concat(xid, '/', extract(epoch from appended_at)), scope, kind, body) order by seq) from unseen
    ) end as changes
  from backlog left join changes_state state on true`

export const readSince = async (client: pg.Client, snapshot: string | undefined): Promise<Read> => {
  const { rows } = await client.query<Row>({ name: 'read_changes', text: READ, values: [snapshot ?? null] })
  const [row] = rows
  if (!row) throw new Error('Reading the changes gave no row')
  return { ...row, changes: (row.changes ?? []).map(toChange) }
}

/** When its transaction appended it, in the database's time. */
export const appendedAtMs = ({ origin }: ReadChange): number => Number(origin.slice(origin.indexOf('/') + 1)) * 1000

const toChange = ([seq, origin, scope, kind, body]: NonNullable<Row['changes']>[number]): ReadChange => ({
  seq,
  origin,
  scope,
  kind,
  ...(body === null ? {} : { body }),
})
