import { type Generated, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import type { PermissionRule } from '../permissions/rule-schemas.ts'
import type { TermColumns } from '../permissions/term.ts'
import type { Granted, RequestedPermission } from './granted.ts'
import type { Validity } from './validity.ts'

type PrivilegeTable = TermColumns & {
  id: string
  projectId: string
  identityId: string
  slug: string
  permissions: JSONColumnType<PermissionRule[]>
  requested: JSONColumnType<RequestedPermission[] | null, string | null, string | null>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    identityPrivileges: PrivilegeTable
  }
}

export type Privilege = Selectable<PrivilegeTable>
export type ListedPrivilege = Omit<Privilege, 'permissions' | 'requested'>
/** Whose privileges, and where. */
export type Holder = { projectId: string; identityId: string }

type NewRow = Holder & Granted & Validity & { id: string; slug: string }
type Changes = { slug?: string | undefined; granted?: Granted | undefined; validity?: Validity | undefined }

/** Nobody looks through more in one answer. */
const LISTED_MAX = 10_000

const LISTED_COLUMNS = [
  'id',
  'projectId',
  'identityId',
  'slug',
  'isTemporary',
  'temporaryMode',
  'temporaryRange',
  'temporaryAccessStartTime',
  'temporaryAccessEndTime',
  'createdAt',
  'updatedAt',
] as const

const insertOne = statement<Privilege, Omit<NewRow, keyof Granted> & ReturnType<typeof asJson>>(
  (value) => sql`
    insert into identity_privileges (id, project_id, identity_id, slug, permissions, requested, is_temporary,
      temporary_mode, temporary_range, temporary_access_start_time, temporary_access_end_time)
    values (${value('id')}, ${value('projectId')}, ${value('identityId')}, ${value('slug')}, ${value('permissions')},
      ${value('requested')}, ${value('isTemporary')}, ${value('temporaryMode')}, ${value('temporaryRange')},
      ${value('temporaryAccessStartTime')}, ${value('temporaryAccessEndTime')})
    on conflict (project_id, identity_id, slug) do nothing
    returning *`,
)

/** Undefined when the identity has a privilege with that slug. Fails when it is no member of the project itself. */
export const insert = async (tx: Tx, { permissions, requested, ...row }: NewRow): Promise<Privilege | undefined> =>
  (await insertOne(tx, { ...row, ...asJson({ permissions, requested }) }))[0]

/** What is undefined stays as it is. */
export const update = (tx: Tx, id: string, { slug, granted, validity }: Changes): Promise<Privilege> =>
  tx
    .updateTable('identityPrivileges')
    .set({ slug, ...(granted && asJson(granted)), ...validity, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<Privilege | undefined> =>
  tx.deleteFrom('identityPrivileges').where('id', '=', id).returningAll().executeTakeFirst()

export const lock = (tx: Tx, id: string): Promise<Privilege | undefined> =>
  tx.selectFrom('identityPrivileges').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** In any project of the organization. */
export const findById = (db: Db, organizationId: string, id: string): Promise<Privilege | undefined> =>
  db
    .selectFrom('identityPrivileges as privilege')
    .innerJoin('projects as project', 'project.id', 'privilege.projectId')
    .selectAll('privilege')
    .where('privilege.id', '=', id)
    .where('project.organizationId', '=', organizationId)
    .executeTakeFirst()

export const findBySlug = (db: Db, { projectId, identityId }: Holder, slug: string): Promise<Privilege | undefined> =>
  db
    .selectFrom('identityPrivileges')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('identityId', '=', identityId)
    .where('slug', '=', slug)
    .executeTakeFirst()

/** Oldest first, also those that are over. */
export const list = (db: Db, holder: Holder): Promise<ListedPrivilege[]> =>
  selectListed(db, holder).select(LISTED_COLUMNS).execute()

/** The same, with what they allow. */
export const listWithPermissions = (db: Db, holder: Holder): Promise<Privilege[]> =>
  selectListed(db, holder).selectAll().execute()

const selectListed = (db: Db, { projectId, identityId }: Holder) =>
  db
    .selectFrom('identityPrivileges')
    .where('projectId', '=', projectId)
    .where('identityId', '=', identityId)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(LISTED_MAX)

/** Whether it is in the project, by itself or through a group. */
export const isMember = async (db: Db, { projectId, identityId }: Holder): Promise<boolean> => {
  const { rows } = await sql`
    select from project_memberships where project_id = ${projectId} and identity_id = ${identityId}
    union all
    select from group_members g join project_memberships m on m.group_id = g.group_id
    where m.project_id = ${projectId} and g.identity_id = ${identityId}
    limit 1`.execute(db)
  return rows.length > 0
}

/** The driver would send a list as an SQL array. */
const asJson = ({ permissions, requested }: Granted) => ({
  permissions: JSON.stringify(permissions),
  requested: requested && JSON.stringify(requested),
})
