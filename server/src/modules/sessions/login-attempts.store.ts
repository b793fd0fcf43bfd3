import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type LoginAttemptTable = { key: Buffer; attempts: number; endsAt: Date }

declare module '../../platform/db/db.ts' {
  interface Tables {
    loginAttempts: LoginAttemptTable
  }
}

export type Counted = { key: Buffer; attempts: number; endsAt: Date }

/** Those whose window has not ended. */
export const list = (db: Db, keys: readonly Buffer[], now: Date): Promise<Counted[]> =>
  db.selectFrom('loginAttempts').selectAll().where('key', 'in', keys).where('endsAt', '>', now).execute()

/** Counts one attempt under each key, in one order, so that two of them never wait for each other. */
export const add = async (tx: Tx, keys: readonly Buffer[], { now, endsAt }: { now: Date; endsAt: Date }) => {
  const { rows } = await sql<Counted>`
    insert into login_attempts (key, attempts, ends_at)
    select key, 1, ${endsAt} from unnest(${keys}::bytea[]) as given (key) order by key
    on conflict (key) do update set
      attempts = case when login_attempts.ends_at <= ${now} then 1 else login_attempts.attempts + 1 end,
      ends_at = case when login_attempts.ends_at <= ${now} then excluded.ends_at else login_attempts.ends_at end
    returning key, attempts, ends_at`.execute(tx)
  return rows
}

/** In the order in which they are counted. */
export const lock = (tx: Tx, keys: readonly Buffer[]): Promise<unknown> =>
  tx.selectFrom('loginAttempts').select('key').where('key', 'in', keys).orderBy('key').forUpdate().execute()

export const takeBack = (tx: Tx, keys: readonly Buffer[]): Promise<unknown> =>
  tx
    .updateTable('loginAttempts')
    .set({ attempts: sql`greatest(attempts - 1, 0)` })
    .where('key', 'in', keys)
    .execute()

export const forget = (tx: Tx, key: Buffer): Promise<unknown> =>
  tx.deleteFrom('loginAttempts').where('key', '=', key).execute()

export const deleteEnded = async (db: Db, now: Date, max: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('loginAttempts')
    .where('key', 'in', (query) =>
      query.selectFrom('loginAttempts').select('key').where('endsAt', '<=', now).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
