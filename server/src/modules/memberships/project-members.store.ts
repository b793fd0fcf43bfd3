import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { HeldRole } from '../groups/held-roles.ts'
import type { TermColumns } from '../permissions/term.ts'

type ProjectMembershipTable = {
  id: string
  projectId: string
  organizationId: string
  userId: string | null
  identityId: string | null
  groupId: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

type ProjectMembershipRoleTable = TermColumns & {
  id: string
  membershipId: string
  position: Generated<number>
  role: string
  customRoleId: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    projectMemberships: ProjectMembershipTable
    projectMembershipRoles: ProjectMembershipRoleTable
  }
}

export type ProjectMembership = Selectable<ProjectMembershipTable>
export type MembershipRole = Selectable<ProjectMembershipRoleTable>
export type MemberKey = { userId: string } | { identityId: string } | { groupId: string }

/** Undefined when it is a member already. */
export const insert = (
  tx: Tx,
  row: { id: string; organizationId: string; projectId: string } & MemberKey,
): Promise<ProjectMembership | undefined> =>
  tx
    .insertInto('projectMemberships')
    .values({ userId: null, identityId: null, groupId: null, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const insertRoles = (
  tx: Tx,
  rows: readonly Insertable<ProjectMembershipRoleTable>[],
): Promise<MembershipRole[]> => tx.insertInto('projectMembershipRoles').values(rows).returningAll().execute()

export const deleteRoles = (tx: Tx, membershipId: string): Promise<unknown> =>
  tx.deleteFrom('projectMembershipRoles').where('membershipId', '=', membershipId).execute()

export const touch = (tx: Tx, id: string): Promise<ProjectMembership> =>
  tx
    .updateTable('projectMemberships')
    .set({ updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('projectMemberships').where('id', '=', id).execute()

export const find = (db: Db, projectId: string, member: MemberKey): Promise<ProjectMembership | undefined> => {
  const memberships = db.selectFrom('projectMemberships').selectAll().where('projectId', '=', projectId)
  if ('userId' in member) return memberships.where('userId', '=', member.userId).executeTakeFirst()
  if ('identityId' in member) return memberships.where('identityId', '=', member.identityId).executeTakeFirst()
  return memberships.where('groupId', '=', member.groupId).executeTakeFirst()
}

export const findById = (db: Db, organizationId: string, id: string): Promise<ProjectMembership | undefined> =>
  db
    .selectFrom('projectMemberships')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()

/**
 * Memberships that hold the role `admin` for good and by which someone can come in now: a machine identity's, that of a
 * person who has accepted and is active, or that of a group with such a member. Two are enough to know.
 */
export const listAdmins = async (tx: Tx, projectId: string): Promise<string[]> => {
  const isUsable = (member: 'm' | 'g') => sql`(${sql.ref(`${member}.identity_id`)} is not null or exists (
    select from organization_memberships o
    where o.organization_id = m.organization_id and o.user_id = ${sql.ref(`${member}.user_id`)}
      and o.status = 'accepted' and o.is_active))`
  const { rows } = await sql<{ id: string }>`
    select m.id from project_memberships m
    where m.project_id = ${projectId}
      and exists (select from project_membership_roles r
        where r.membership_id = m.id and r.role = 'admin' and not r.is_temporary)
      and (${isUsable('m')}
        or exists (select from group_members g where g.group_id = m.group_id and ${isUsable('g')}))
    order by m.id limit 2`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Of a membership `m`, as JSON: see `heldRoleOf`. */
export const HELD_ROLES = sql`(
  select coalesce(json_agg(json_build_object(
    'id', r.id, 'role', r.role, 'customRoleId', c.id, 'customRoleName', c.name, 'customRoleSlug', c.slug,
    'isTemporary', r.is_temporary, 'temporaryMode', r.temporary_mode, 'temporaryRange', r.temporary_range,
    'temporaryAccessStartTime', r.temporary_access_start_time, 'temporaryAccessEndTime', r.temporary_access_end_time,
    'createdAt', r.created_at, 'updatedAt', r.updated_at) order by r.position, r.id), '[]')
  from project_membership_roles r left join project_roles c on c.id = r.custom_role_id
  where r.membership_id = m.id)`

/** Whether a membership `m` holds one of these roles. */
export const holdsOneOf = (slugs: readonly string[]) => sql`exists (
  select from project_membership_roles r left join project_roles c on c.id = r.custom_role_id
  where r.membership_id = m.id and coalesce(c.slug, r.role) = any(${slugs}))`

export type WithRoles<Row> = Row & { roles: HeldRole[] }
