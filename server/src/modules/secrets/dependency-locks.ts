import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import { LOCAL } from './reference-targets.ts'

/** By the hashes of their names: folders that are written to, and folders that something comes to depend on. */
export type Touched = { organizationId: string; written: readonly string[]; dependedOn: readonly string[] }

/** Few, so that a transaction that touches a whole project does not fill the table of locks. */
const STRIPES = 64
/**
 * For what follows in the transaction. To the planner the search for dependents looks costly enough to be compiled; and
 * while there are few secrets it would read them all, by a plan that is kept when there are many.
 */
const PLANNED_FOR_MANY = sql`set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`

/**
 * Whoever writes into a folder tells those who depend on it; whoever comes to depend on a folder must either be told, or
 * find it as it was written. So writers of a folder share a lock which those who begin to depend on it have alone. The
 * order in which everything here is locked: these, by number; folders, by id; secrets, by folder and key. Where only the
 * locked rows say what else is needed, it is locked late, and PostgreSQL ends a deadlock, whose loser begins anew.
 */
export const locking = (value: (name: keyof Locks) => RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`locking as materialized (
    select count(held), ${PLANNED_FOR_MANY} from (
      select (case when is_alone then pg_advisory_xact_lock(hashtext(${value('organizationId')}), stripe)
        else pg_advisory_xact_lock_shared(hashtext(${value('organizationId')}), stripe) end) is null as held
      from unnest(${value('stripes')}::int[], ${value('areAlone')}::boolean[]) as wanted (stripe, is_alone)) as taken)`

/** What `locking` is given. */
export type Locks = { organizationId: string; stripes: number[]; areAlone: boolean[] }

export const locksOf = (touched: Touched): Locks => {
  const stripes = stripesOf(touched)
  return {
    organizationId: touched.organizationId,
    stripes: stripes.map(([stripe]) => stripe),
    areAlone: stripes.map(([, isAlone]) => isAlone),
  }
}

const lockAlone = statement<unknown, Locks>((value) => sql`with ${locking(value)} select from locking`)

export const lockTouched = async (tx: Tx, touched: Touched): Promise<void> => {
  if (touched.written.length + touched.dependedOn.length > 0) await lockAlone(tx, locksOf(touched))
}

/** For changes of whole branches of folders: nobody comes to depend on anything in the organization meanwhile. */
export const lockAll = async (tx: Tx, organizationId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock_shared(hashtext(${organizationId}), stripe), ${PLANNED_FOR_MANY}
    from generate_series(0, ${STRIPES - 1}::int) as stripe`.execute(tx)
}

/**
 * Before all else by whoever gives secrets other names or places: only then is it known which others follow, and two that
 * lock those late would wait for each other.
 */
export const lockRenamings = async (tx: Tx, projectId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`secret-renamings ${projectId}`}, 0))`.execute(tx)
}

const stripesOf = ({ written, dependedOn }: Touched): [number, boolean][] => {
  const stripes = new Map(written.map((name) => [stripeOf(name), false]))
  for (const name of dependedOn) if (name !== LOCAL) stripes.set(stripeOf(name), true)
  return [...stripes].sort(([a], [b]) => a - b)
}

const stripeOf = (name: string): number => Number.parseInt(name.slice(0, 8), 16) % STRIPES
