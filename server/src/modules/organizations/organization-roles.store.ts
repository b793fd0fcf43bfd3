import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { NewRole, RoleChanges, RoleColumns } from '../permissions/custom-role.ts'

type OrganizationRoleTable = RoleColumns & { organizationId: string }

declare module '../../platform/db/db.ts' {
  interface Tables {
    organizationRoles: OrganizationRoleTable
  }
}

export type OrganizationRole = Selectable<OrganizationRoleTable>
type NewRow = NewRole & { id: string; organizationId: string }

const LISTED_MAX = 10_000

/** Undefined when the organization has a role with that slug. */
export const insert = (tx: Tx, { permissions, ...row }: NewRow): Promise<OrganizationRole | undefined> =>
  tx
    .insertInto('organizationRoles')
    .values({ ...row, permissions: JSON.stringify(permissions) })
    .onConflict((conflict) => conflict.columns(['organizationId', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (tx: Tx, id: string, { permissions, ...changes }: RoleChanges): Promise<OrganizationRole> =>
  tx
    .updateTable('organizationRoles')
    .set({ ...changes, permissions: permissions && JSON.stringify(permissions), updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('organizationRoles').where('id', '=', id).execute()

export const findById = (db: Db, organizationId: string, id: string): Promise<OrganizationRole | undefined> =>
  db
    .selectFrom('organizationRoles')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Keeps it from being deleted or given away under another name until the end of the transaction. */
export const lockById = (tx: Tx, organizationId: string, id: string): Promise<OrganizationRole | undefined> =>
  tx
    .selectFrom('organizationRoles')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const findBySlug = (db: Db, organizationId: string, slug: string): Promise<OrganizationRole | undefined> =>
  db
    .selectFrom('organizationRoles')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('slug', '=', slug)
    .executeTakeFirst()

export const list = (db: Db, organizationId: string): Promise<Omit<OrganizationRole, 'permissions'>[]> =>
  db
    .selectFrom('organizationRoles')
    .select(['id', 'organizationId', 'slug', 'name', 'description', 'createdAt', 'updatedAt'])
    .where('organizationId', '=', organizationId)
    .orderBy('slug')
    .limit(LISTED_MAX)
    .execute()

export const isHeld = async (db: Db, id: string): Promise<boolean> => {
  const held = await db
    .selectFrom('organizationMembershipRoles')
    .select('id')
    .where('customRoleId', '=', id)
    .limit(1)
    .executeTakeFirst()
  return held !== undefined
}
