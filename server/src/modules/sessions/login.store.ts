import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** Whether the user has been logged in from that address. */
export const hasSessionFrom = async (db: Db, userId: string, ip: string): Promise<boolean> => {
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('ip', '=', ip)
    .limit(1)
    .executeTakeFirst()
  return session !== undefined
}

/** Where the instance has turned passwords off, administrators of organizations may use theirs all the same. */
export const mayUsePassword = async (db: Db, userId: string): Promise<boolean> => {
  const { rows } = await sql<{ isAllowed: boolean }>`
    select coalesce('email' = any(enabled_login_methods), true) or exists (
      select from organization_memberships m join organization_membership_roles r on r.membership_id = m.id
      where m.user_id = ${userId} and m.is_active and m.status = 'accepted' and r.role = 'admin'
    ) as is_allowed
    from instance_settings`.execute(db)
  return rows[0]?.isAllowed ?? false
}

export const isSignUpAllowed = async (db: Db): Promise<boolean> => {
  const settings = await db.selectFrom('instanceSettings').select('isSignUpAllowed').executeTakeFirst()
  return settings?.isSignUpAllowed ?? false
}
