import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { heldRoleOf, type HeldRoleText } from '../groups/held-roles.ts'
import { HELD_ROLES, type WithRoles } from './project-members.store.ts'

type Row = {
  id: string
  projectId: string
  organizationId: string
  groupId: string
  name: string
  slug: string
  createdAt: Date
  updatedAt: Date
}

/** A group as a member of a project. */
export type GroupMembership = WithRoles<Row>

const LISTED_MAX = 10_000

/** By name. */
export const list = async (db: Db, projectId: string, groupId?: string): Promise<GroupMembership[]> => {
  const { rows } = await sql<Row & { roles: HeldRoleText[] }>`
    select m.id, m.project_id, m.organization_id, m.group_id, g.name, g.slug, m.created_at, m.updated_at, ${HELD_ROLES} as roles
    from project_memberships m join groups g on g.id = m.group_id
    where m.project_id = ${projectId} ${groupId === undefined ? sql`` : sql`and m.group_id = ${groupId}`}
    order by lower(g.name), m.id limit ${sql.lit(LISTED_MAX)}`.execute(db)
  return rows.map((row) => ({ ...row, roles: row.roles.map(heldRoleOf) }))
}
