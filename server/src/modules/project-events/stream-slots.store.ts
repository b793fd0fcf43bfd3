import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type ProcessTable = { id: string; seenAt: Date }
type CountTable = { projectId: string; processId: string; streams: number }

declare module '../../platform/db/db.ts' {
  interface Tables {
    eventStreamProcesses: ProcessTable
    eventStreamCounts: CountTable
  }
}

type Held = { projectId: string; processId: string }

/** A process is taken for dead when it has not been seen for so long; a database that has just started has seen nobody. */
const ALIVE = sql`(p.seen_at > clock_timestamp() - interval '10 seconds'
  or pg_postmaster_start_time() > clock_timestamp() - interval '10 seconds')`

/** Whoever changes how many streams a project has does so one after the other. Held until the transaction ends. */
export const lockProject = (tx: Tx, projectId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`event-streams ${projectId}`}, 0))`.execute(tx)

/** Streams that other living processes hold. */
export const countElsewhere = async (tx: Tx, { projectId, processId }: Held): Promise<number> => {
  const { rows } = await sql<{ streams: number }>`
    select coalesce(sum(c.streams), 0)::bigint as streams
    from event_stream_counts c join event_stream_processes p on p.id = c.process_id
    where c.project_id = ${projectId} and c.process_id <> ${processId} and ${ALIVE}`.execute(tx)
  return rows[0]?.streams ?? 0
}

/** True when nothing was known of the process, nor of what it holds. */
export const noteAlive = async (db: Db, processId: string): Promise<boolean> => {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into event_stream_processes (id, seen_at) values (${processId}, clock_timestamp())
    on conflict (id) do update set seen_at = excluded.seen_at
    returning xmax = 0 as is_new`.execute(db)
  return rows[0]?.isNew ?? false
}

/** How many this process holds; the process must have been noted. */
export const setCount = async (tx: Tx, { projectId, processId }: Held, streams: number): Promise<void> => {
  if (streams === 0) {
    await tx
      .deleteFrom('eventStreamCounts')
      .where('projectId', '=', projectId)
      .where('processId', '=', processId)
      .execute()
    return
  }
  await tx
    .insertInto('eventStreamCounts')
    .values({ projectId, processId, streams })
    .onConflict((row) => row.columns(['projectId', 'processId']).doUpdateSet({ streams }))
    .execute()
}

export const deleteProcess = (db: Db, processId: string) =>
  db.deleteFrom('eventStreamProcesses').where('id', '=', processId).execute()

/** Long after they stopped counting. */
export const deleteDead = (db: Db) =>
  sql`delete from event_stream_processes where seen_at < clock_timestamp() - interval '5 minutes'`.execute(db)
