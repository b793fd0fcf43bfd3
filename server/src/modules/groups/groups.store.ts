import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type GroupTable = {
  id: string
  organizationId: string
  name: string
  slug: string
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    groups: GroupTable
  }
}

export type Group = Selectable<GroupTable>
/** With the first of its roles in the organization. */
export type GroupWithRole = Group & { role: string | null; customRoleId: string | null; customRoleSlug: string | null }
export type Changes = Pick<Updateable<GroupTable>, 'name' | 'slug'>

const LISTED_MAX = 10_000

/** Undefined when the name or the slug is taken. */
export const insert = (tx: Tx, row: Insertable<GroupTable>): Promise<Group | undefined> =>
  tx
    .insertInto('groups')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (tx: Tx, id: string, changes: Changes): Promise<Group> =>
  tx
    .updateTable('groups')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('groups').where('id', '=', id).execute()

export const find = (db: Db, organizationId: string, id: string): Promise<Group | undefined> =>
  db
    .selectFrom('groups')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()

export const findByName = (db: Db, organizationId: string, name: string): Promise<Group | undefined> =>
  db
    .selectFrom('groups')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst()

export const lock = (tx: Tx, organizationId: string, id: string): Promise<Group | undefined> =>
  tx
    .selectFrom('groups')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const findWithRole = (db: Db, organizationId: string, id: string): Promise<GroupWithRole | undefined> =>
  selectWithRole(db, organizationId).where('group.id', '=', id).executeTakeFirst()

export const listWithRole = (db: Db, organizationId: string): Promise<GroupWithRole[]> =>
  selectWithRole(db, organizationId)
    .orderBy(sql`lower("group".name)`)
    .orderBy('group.id')
    .limit(LISTED_MAX)
    .execute()

const selectWithRole = (db: Db, organizationId: string) =>
  db
    .selectFrom('groups as group')
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom('organizationMemberships as membership')
          .innerJoin('organizationMembershipRoles as held', 'held.membershipId', 'membership.id')
          .leftJoin('organizationRoles as custom', 'custom.id', 'held.customRoleId')
          .select(['held.role', 'held.customRoleId', 'custom.slug as customRoleSlug'])
          .whereRef('membership.groupId', '=', 'group.id')
          .orderBy('held.createdAt')
          .orderBy('held.id')
          .limit(1)
          .as('held'),
      (join) => join.onTrue(),
    )
    .selectAll('group')
    .select(['held.role', 'held.customRoleId', 'held.customRoleSlug'])
    .where('group.organizationId', '=', organizationId)

export const listProjectIds = async (db: Db, id: string): Promise<string[]> => {
  const { rows } = await sql<{ projectId: string }>`
    select project_id from project_memberships where group_id = ${id} order by project_id`.execute(db)
  return rows.map(({ projectId }) => projectId)
}
