import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'

type ProjectTable = {
  id: string
  organizationId: string
  name: string
  slug: string
  type: Generated<string>
  description: string | null
  defaultProduct: string | null
  autoCapitalization: Generated<boolean>
  hasDeleteProtection: Generated<boolean>
  secretSharing: Generated<boolean>
  showSnapshotsLegacy: Generated<boolean>
  enforceEncryptedMetadata: boolean | null
  secretDetectionIgnoreValues: string[] | null
  pitVersionLimit: Generated<number>
  auditLogsRetentionDays: number | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    projects: ProjectTable
  }
}

export type Project = Selectable<ProjectTable>
export type NewRow = Insertable<ProjectTable>
export type Changes = Omit<Updateable<ProjectTable>, 'id' | 'organizationId' | 'type' | 'createdAt' | 'updatedAt'>

export type EnvironmentSummary = { id: string; name: string; slug: string }
export type ListedProject = Project & { environments: EnvironmentSummary[] }

export type Deleter =
  | { type: 'identity'; id: string; name: string }
  | {
      type: 'user'
      id: string
      email: string | null
      username: string | null
      firstName: string | null
      lastName: string | null
    }

type DeletedEnvironment<When> = EnvironmentSummary & {
  deleteAfter: When
  softDeletedAt: When
  deletedBy: Deleter | null
}

/** A project with all that is shown of it. */
export type ProjectDetails = ListedProject & {
  deletedEnvironments: DeletedEnvironment<Date>[]
  dataKeyId: string | null
}

/** What the values of a project are encrypted with. */
export const DATA_KEY_PURPOSE = 'project-data'

/** Undefined when the slug is taken. */
export const insert = (tx: Tx, row: NewRow): Promise<Project | undefined> =>
  tx
    .insertInto('projects')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organizationId', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** Whoever changes a project, or which environments it has, does so one after the other. */
export const lock = (tx: Tx, id: string): Promise<Project | undefined> =>
  tx.selectFrom('projects').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export const lockToDelete = (tx: Tx, id: string): Promise<Project | undefined> =>
  tx.selectFrom('projects').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const update = (tx: Tx, id: string, changes: Changes): Promise<Project> =>
  tx
    .updateTable('projects')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('projects').where('id', '=', id).execute()

export const findDetailsById = async (db: Db, id: string): Promise<ProjectDetails | undefined> => {
  const row = await selectDetails(db).where('project.id', '=', id).executeTakeFirst()
  return row && withDates(row)
}

export const findDetailsBySlug = async (
  db: Db,
  organizationId: string,
  slug: string,
): Promise<ProjectDetails | undefined> => {
  const row = await selectDetails(db)
    .where('project.organizationId', '=', organizationId)
    .where('project.slug', '=', slug)
    .executeTakeFirst()
  return row && withDates(row)
}

/** Whether the actor holds the role now, by itself or through a group. */
export const holdsRole = async (db: Db, projectId: string, actor: Actor, held: { role: string; at: Date }) => {
  const { rows } = await sql`
    select from project_memberships m join project_membership_roles r on r.membership_id = m.id
    where m.project_id = ${projectId} and ${isOf(actor)} and r.role = ${held.role}
      and (not r.is_temporary or (r.temporary_access_start_time <= ${held.at} and ${held.at} < r.temporary_access_end_time))
    limit 1`.execute(db)
  return rows.length > 0
}

/** For a membership `m`: it is the actor's own, or that of one of its groups. Found from the actor, not among all. */
export const isOf = ({ type, id }: Actor) => {
  const column = type === 'user' ? 'user_id' : 'identity_id'
  return sql<boolean>`m.id in (
    select own.id from project_memberships own where ${sql.ref(`own.${column}`)} = ${id}
    union all
    select shared.id from group_members g join project_memberships shared on shared.group_id = g.group_id
    where ${sql.ref(`g.${column}`)} = ${id})`
}

/** Of a `project`: those that are there, in order. */
export const environmentSummaries = sql<EnvironmentSummary[]>`(
  select coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) order by e.position, e.id), '[]')
  from environments e where e.project_id = project.id and e.soft_deleted_at is null)`

const deletedEnvironments = sql<DeletedEnvironment<string>[]>`(
  select coalesce(json_agg(json_build_object(
    'id', e.id, 'name', e.name, 'slug', e.slug, 'deleteAfter', e.delete_after, 'softDeletedAt', e.soft_deleted_at,
    'deletedBy', case
      when u.id is not null then json_build_object('type', 'user', 'id', u.id, 'email', u.email, 'username', u.username,
        'firstName', u.first_name, 'lastName', u.last_name)
      when i.id is not null then json_build_object('type', 'identity', 'id', i.id, 'name', i.name)
    end) order by e.position, e.id), '[]')
  from environments e
  left join users u on u.id = e.deleted_by_user_id
  left join identities i on i.id = e.deleted_by_identity_id
  where e.project_id = project.id and e.soft_deleted_at is not null)`

const dataKeyId = sql<string | null>`(
  select k.id from keys k where k.purpose = ${sql.lit(DATA_KEY_PURPOSE)} and k.owner_id = project.id and k.state = 'active')`

const selectDetails = (db: Db) =>
  db
    .selectFrom('projects as project')
    .selectAll('project')
    .select([
      environmentSummaries.as('environments'),
      deletedEnvironments.as('deletedEnvironments'),
      dataKeyId.as('dataKeyId'),
    ])

type DetailsRow = Omit<ProjectDetails, 'deletedEnvironments'> & { deletedEnvironments: DeletedEnvironment<string>[] }

/** JSON knows no dates. */
const withDates = (row: DetailsRow): ProjectDetails => ({
  ...row,
  deletedEnvironments: row.deletedEnvironments.map((environment) => ({
    ...environment,
    deleteAfter: new Date(environment.deleteAfter),
    softDeletedAt: new Date(environment.softDeletedAt),
  })),
})
