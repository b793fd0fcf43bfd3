import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Rule } from '../permissions/rule.ts'

type EnvironmentTable = {
  id: string
  projectId: string
  name: string
  slug: string
  position: number
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  softDeletedAt: Date | null
  deleteAfter: Date | null
  deletedByUserId: string | null
  deletedByIdentityId: string | null
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    environments: EnvironmentTable
  }
}

export type Environment = Selectable<EnvironmentTable>
/** Where it is: an id alone could belong to any project. */
export type EnvironmentKey = { projectId: string; id: string }
type Changes = Omit<Updateable<EnvironmentTable>, 'id' | 'projectId' | 'createdAt' | 'updatedAt'>

/** For a move whose place is left to nobody. */
export const NOWHERE = 2_147_483_647

export const insert = (tx: Tx, rows: readonly Insertable<EnvironmentTable>[]): Promise<Environment[]> =>
  tx.insertInto('environments').values(rows).returningAll().execute()

/** wire: the time of the last update stays that of the creation. */
export const update = (tx: Tx, { id }: EnvironmentKey, changes: Changes): Promise<Environment> =>
  tx.updateTable('environments').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteByKey = (tx: Tx, key: EnvironmentKey): Promise<Environment | undefined> =>
  deletion(tx, key).returningAll().executeTakeFirst()

export const deleteExpired = (tx: Tx, key: EnvironmentKey, at: Date): Promise<Environment | undefined> =>
  deletion(tx, key).where('deleteAfter', '<=', at).returningAll().executeTakeFirst()

const deletion = (tx: Tx, { projectId, id }: EnvironmentKey) =>
  tx.deleteFrom('environments').where('projectId', '=', projectId).where('id', '=', id)

/** Waiting to be deleted or not. */
export const findByKey = (db: Db, { projectId, id }: EnvironmentKey): Promise<Environment | undefined> =>
  db.selectFrom('environments').selectAll().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst()

/** Waiting to be deleted or not. */
export const findBySlug = (db: Db, projectId: string, slug: string): Promise<Environment | undefined> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('slug', '=', slug)
    .executeTakeFirst()

/** In any project of the organization, unless it is waiting to be deleted. */
export const findActive = (db: Db, organizationId: string, id: string): Promise<Environment | undefined> =>
  db
    .selectFrom('environments as environment')
    .innerJoin('projects as project', 'project.id', 'environment.projectId')
    .selectAll('environment')
    .where('project.organizationId', '=', organizationId)
    .where('environment.id', '=', id)
    .where('environment.softDeletedAt', 'is', null)
    .executeTakeFirst()

export const listExpired = (db: Db, at: Date, limit: number): Promise<Environment[]> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('deleteAfter', '<=', at)
    .orderBy('deleteAfter')
    .orderBy('id')
    .limit(limit)
    .execute()

/** How many there are, and the position behind the last; those that wait to be deleted count too. */
export const findExtent = async (tx: Tx, projectId: string): Promise<{ count: number; nextPosition: number }> => {
  const extent = await tx
    .selectFrom('environments')
    .select(({ fn }) => [
      fn.countAll<string>().as('count'),
      sql<number>`coalesce(max(position), 0) + 1`.as('nextPosition'),
    ])
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow()
  return { ...extent, count: Number(extent.count) }
}

type Move = EnvironmentKey & {
  to: number
  /** The place that the mover leaves free. */
  from: number
}

/** If someone stands at `to`, everyone from there on moves up by one, except behind the place that becomes free. */
export const makeRoom = async (tx: Tx, { projectId, id, to, from }: Move): Promise<void> => {
  const until = to < from ? from : NOWHERE
  await sql`
    update environments set position = position + 1
    where project_id = ${projectId} and soft_deleted_at is null and id <> ${id} and position >= ${to} and position < ${until}
      and exists (select from environments other
        where other.project_id = ${projectId} and other.soft_deleted_at is null and other.id <> ${id}
          and other.position = ${to})`.execute(tx)
}

/** A rule, and the role or the privilege of the project that it belongs to. */
export type HeldRule = { kind: 'role' | 'additional privilege'; slug: string; rule: Rule }

/** Those in force, or to be, that speak of environments. */
export const listRulesBySlug = async (db: Db, projectId: string, at: Date): Promise<HeldRule[]> => {
  const { rows } = await sql<HeldRule>`
    select held.kind, held.slug, r.rule
    from (
      select 'role' as kind, slug, permissions from project_roles where project_id = ${projectId}
      union all
      select 'additional privilege', slug, permissions from identity_privileges
      where project_id = ${projectId} and (not is_temporary or temporary_access_end_time > ${at})
    ) held, jsonb_array_elements(held.permissions) as r (rule)
    where r.rule -> 'conditions' ? 'environment'
    order by held.kind desc, held.slug`.execute(db)
  return rows
}
