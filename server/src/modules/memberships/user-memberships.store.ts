import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { heldRoleOf, type HeldRoleText } from '../groups/held-roles.ts'
import { HELD_ROLES, type WithRoles } from './project-members.store.ts'

type Row = {
  id: string
  projectId: string
  userId: string
  username: string
  email: string
  firstName: string | null
  lastName: string | null
  isEmailVerified: boolean
  createdAt: Date
  updatedAt: Date
}

/** A person as a member of a project. */
export type UserMembership = WithRoles<Row>

export type Which = { membershipId: string } | { userId: string } | { names: readonly string[] } | 'all'

const LISTED_MAX = 10_000

/** In the order in which they joined. */
export const list = async (db: Db, projectId: string, which: Which): Promise<UserMembership[]> => {
  const { rows } = await sql<Row & { roles: HeldRoleText[] }>`
    select m.id, m.project_id, m.user_id, u.username, u.email, u.first_name, u.last_name, u.is_email_verified,
      m.created_at, m.updated_at, ${HELD_ROLES} as roles
    from project_memberships m join users u on u.id = m.user_id
    where m.project_id = ${projectId} and ${condition(which)}
    order by m.created_at, m.id limit ${sql.lit(LISTED_MAX)}`.execute(db)
  return rows.map((row) => ({ ...row, roles: row.roles.map(heldRoleOf) }))
}

const condition = (which: Which): RawBuilder<unknown> => {
  if (which === 'all') return sql`true`
  if ('membershipId' in which) return sql`m.id = ${which.membershipId}`
  if ('userId' in which) return sql`m.user_id = ${which.userId}`
  return sql`(u.username = any(${which.names}) or u.email = any(${which.names}))`
}

/** Of these, the ones who belong to the organization. */
export const listOrganizationUsernames = async (
  db: Db,
  organizationId: string,
  usernames: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ username: string }>`
    select u.username from users u join organization_memberships o on o.user_id = u.id
    where o.organization_id = ${organizationId} and u.username = any(${usernames})`.execute(db)
  return rows.map(({ username }) => username)
}
