import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { NewRole, RoleChanges, RoleColumns } from '../permissions/custom-role.ts'

type ProjectRoleTable = RoleColumns & { projectId: string }

declare module '../../platform/db/db.ts' {
  interface Tables {
    projectRoles: ProjectRoleTable
  }
}

export type ProjectRole = Selectable<ProjectRoleTable>
type NewRow = NewRole & { id: string; projectId: string }

const LISTED_MAX = 10_000

/** Undefined when the project has a role with that slug. */
export const insert = (tx: Tx, { permissions, ...row }: NewRow): Promise<ProjectRole | undefined> =>
  tx
    .insertInto('projectRoles')
    .values({ ...row, permissions: JSON.stringify(permissions) })
    .onConflict((conflict) => conflict.columns(['projectId', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (tx: Tx, id: string, { permissions, ...changes }: RoleChanges): Promise<ProjectRole> =>
  tx
    .updateTable('projectRoles')
    .set({ ...changes, permissions: permissions && JSON.stringify(permissions), updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('projectRoles').where('id', '=', id).execute()

/** In any project of the organization. */
export const findById = (db: Db, organizationId: string, id: string): Promise<ProjectRole | undefined> =>
  db
    .selectFrom('projectRoles as role')
    .innerJoin('projects as project', 'project.id', 'role.projectId')
    .selectAll('role')
    .where('project.organizationId', '=', organizationId)
    .where('role.id', '=', id)
    .executeTakeFirst()

export const findBySlug = (db: Db, projectId: string, slug: string): Promise<ProjectRole | undefined> =>
  db
    .selectFrom('projectRoles')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('slug', '=', slug)
    .executeTakeFirst()

/** Nobody can be given it, and nobody else can change it, until the end of the transaction. */
export const lock = (tx: Tx, projectId: string, id: string): Promise<ProjectRole | undefined> =>
  tx
    .selectFrom('projectRoles')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** They keep their slugs, and exist, until the end of the transaction. In one order, so that nobody waits in a circle. */
export const holdBySlugs = (
  tx: Tx,
  projectId: string,
  slugs: readonly string[],
): Promise<Pick<ProjectRole, 'id' | 'slug' | 'name'>[]> =>
  tx
    .selectFrom('projectRoles')
    .select(['id', 'slug', 'name'])
    .where('projectId', '=', projectId)
    .where('slug', '=', sql<string>`any(${slugs})`)
    .orderBy('id')
    .forKeyShare()
    .execute()

export const list = (db: Db, projectId: string): Promise<Omit<ProjectRole, 'permissions'>[]> =>
  db
    .selectFrom('projectRoles')
    .select(['id', 'projectId', 'slug', 'name', 'description', 'createdAt', 'updatedAt'])
    .where('projectId', '=', projectId)
    .orderBy('slug')
    .limit(LISTED_MAX)
    .execute()

/** Users, machine identities and groups alike. */
export const countHolders = async (db: Db, id: string): Promise<number> => {
  const { rows } = await sql<{ holders: number }>`
    select count(distinct membership_id)::int as holders from project_membership_roles
    where custom_role_id = ${id}`.execute(db)
  return rows[0]?.holders ?? 0
}
