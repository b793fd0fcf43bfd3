import type { Generated, Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type OrganizationTable = {
  id: string
  name: string
  slug: string
  defaultMembershipRole: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    organizations: OrganizationTable
  }
}

export type Organization = Selectable<OrganizationTable>
export type OrganizationOfUser = Organization & { userRole: string; joinedAt: Date }

const LISTED_MAX = 1_000

/** Undefined when the slug is taken. */
export const insert = (tx: Tx, row: Insertable<OrganizationTable>): Promise<Organization | undefined> =>
  tx
    .insertInto('organizations')
    .values(row)
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findById = (db: Db, id: string): Promise<Organization | undefined> =>
  db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()

/** Whoever changes who its administrators are does so one after the other. */
export const lock = (tx: Tx, id: string): Promise<Organization | undefined> =>
  tx.selectFrom('organizations').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Those that the user has accepted, and may enter. */
export const listOfUser = (db: Db, userId: string): Promise<OrganizationOfUser[]> =>
  db
    .selectFrom('organizationMemberships as membership')
    .innerJoin('organizations as organization', 'organization.id', 'membership.organizationId')
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom('organizationMembershipRoles as held')
          .leftJoin('organizationRoles as custom', 'custom.id', 'held.customRoleId')
          .select((columns) => columns.fn.coalesce('custom.slug', 'held.role').as('slug'))
          .whereRef('held.membershipId', '=', 'membership.id')
          .orderBy('held.createdAt')
          .orderBy('held.id')
          .limit(1)
          .as('role'),
      (join) => join.onTrue(),
    )
    .selectAll('organization')
    .select((columns) => [
      columns.fn.coalesce('role.slug', columns.val('no-access')).as('userRole'),
      'membership.createdAt as joinedAt',
    ])
    .where('membership.userId', '=', userId)
    .where('membership.status', '=', 'accepted')
    .where('membership.isActive', '=', true)
    .orderBy('organization.createdAt')
    .orderBy('organization.id')
    .limit(LISTED_MAX)
    .execute()
