import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { LockoutStep } from './lockout.ts'

type LockoutTable = {
  configId: string
  identityId: string | null
  method: string
  failedAttempts: number
  isLocked: boolean
  expiresAt: Date
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    authLockouts: LockoutTable
  }
}

export type LockoutKey = { configId: string; identityId: string | null }

const METHOD = 'universal-auth'

/**
 * Counts one failed login. False when the lock was there already: it is neither counted nor prolongs the lock. The row
 * is locked while it is decided, so however many fail at once, each sees what the others have done.
 */
export const countFailure = async (
  db: Db,
  { configId, identityId }: LockoutKey,
  { now, failuresMax, lockedUntil, countedUntil }: LockoutStep,
): Promise<boolean> => {
  const failures = sql`(case when l.expires_at <= ${now} then 0 else l.failed_attempts end + 1)`
  const isFirstLast = failuresMax <= 1
  const { rows } = await sql`
    insert into auth_lockouts as l (config_id, identity_id, method, failed_attempts, is_locked, expires_at)
    values (${configId}, ${identityId}, ${METHOD}, 1, ${isFirstLast}, ${isFirstLast ? lockedUntil : countedUntil})
    on conflict (config_id) do update set
      failed_attempts = ${failures},
      is_locked = ${failures} >= ${failuresMax}::bigint,
      expires_at = case when ${failures} >= ${failuresMax}::bigint then ${lockedUntil}::timestamptz else ${countedUntil}::timestamptz end
    where not (l.is_locked and l.expires_at > ${now})
    returning config_id`.execute(db)
  return rows.length === 1
}

/** After a good login. A lock that came up meanwhile stays. */
export const deleteCount = (db: Db, configId: string, now: Date) =>
  sql`delete from auth_lockouts where config_id = ${configId} and not (is_locked and expires_at > ${now})`.execute(db)

/** The lock too; how many there were that had not ended by themselves. */
export const deleteByConfig = async (tx: Tx, configId: string, now: Date): Promise<number> => {
  const deleted = await tx.deleteFrom('authLockouts').where('configId', '=', configId).returning('expiresAt').execute()
  return deleted.filter(({ expiresAt }) => expiresAt > now).length
}

export const deleteExpired = (db: Db, now: Date) => db.deleteFrom('authLockouts').where('expiresAt', '<', now).execute()
