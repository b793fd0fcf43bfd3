import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../src/platform/db/db.ts'

const ROUNDS_MAX = 2_000

/** Resolves when as many others wait for locks in this database; `db` must be a connection that waits for nothing. */
export const lockWaits = async (db: Db, howMany = 1): Promise<void> => {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length >= howMany) return
    await setImmediate()
  }
  throw new Error(`Fewer than ${howMany} wait for a lock`)
}
