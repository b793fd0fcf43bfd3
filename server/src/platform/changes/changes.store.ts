import { type Generated, type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/db.ts'
import { WITH_THE_NEXT } from '../db/pooled-connection.ts'
import { statement } from '../db/statement.ts'
import { type Change, serialize } from './change.ts'

type ChangeTable = {
  seq: Generated<number>
  xid: Generated<string>
  scope: string
  kind: string
  body: string | null
  appendedAt: Generated<Date>
}
type ChangesStateTable = {
  isOnly: Generated<boolean>
  incarnation: Generated<string>
  prunedBelow: Generated<string>
  pruneNextBelow: Generated<string>
  pruneNextNotedAt: Generated<Date>
}

declare module '../db/db.ts' {
  interface Tables {
    changes: ChangeTable
    changesState: ChangesStateTable
  }
}

const DELETED_AT_ONCE_MAX = 5_000

/** One text however many `serialize` was given, so that it is prepared; numbered in their order. */
export const inserting = (changes: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into changes (scope, kind, body)
  select change ->> 0, change ->> 1, (change ->> 2)::json
  from json_array_elements(${changes}::json) with ordinality as given (change, position)
  order by position`

const insertAll = statement<unknown, { changes: string }>(
  (value) => sql`${WITH_THE_NEXT}${inserting(value('changes'))}`,
)

export const insert = (tx: Tx, changes: readonly Change[]): Promise<unknown> =>
  insertAll(tx, { changes: serialize(changes) })

/**
 * Ten minutes after a horizon was noted it becomes the mark below which rows may go, and the present one is noted.
 * Every reader has long been beyond it: all xids below were finished when it was noted. A horizon that PostgreSQL has
 * not reached yet came from another cluster with a restore, and says nothing about this one.
 */
export const updatePruneMark = (db: Db) =>
  sql`
    insert into changes_state as state (is_only) values (true)
    on conflict (is_only) do update set
      pruned_below = case
        when state.prune_next_below <= pg_snapshot_xmin(pg_current_snapshot()) then state.prune_next_below
        else '0'
      end,
      prune_next_below = pg_snapshot_xmin(pg_current_snapshot()),
      prune_next_noted_at = clock_timestamp()
    where state.prune_next_noted_at not between clock_timestamp() - interval '10 minutes' and clock_timestamp()`.execute(
    db,
  )

/** The mark was committed before, so a reader that misses a row sees in the same snapshot why. */
export const deleteBelowPruneMark = (db: Db): Promise<number> =>
  deleteSome(
    db,
    sql`xid < (select pruned_below from changes_state where pruned_below <= pg_snapshot_xmin(pg_current_snapshot()))`,
  )

/** Rows of transactions that this cluster has yet to begin came with a restore; their time must never come. */
export const deleteFromOtherCluster = (db: Db): Promise<number> =>
  deleteSome(db, sql`xid >= pg_snapshot_xmax(pg_current_snapshot())`)

const deleteSome = async (db: Db, condition: RawBuilder<unknown>): Promise<number> => {
  let total = 0
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from changes where (xid, seq) in (
        select xid, seq from changes where ${condition}
        order by xid limit ${DELETED_AT_ONCE_MAX} for update skip locked
      )`.execute(db)
    total += Number(numAffectedRows ?? 0)
    if (Number(numAffectedRows ?? 0) < DELETED_AT_ONCE_MAX) return total
  }
}
