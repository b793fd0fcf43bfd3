import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { type HeldRole, heldRoleOf, type HeldRoleText } from './held-roles.ts'

/** A group as a member of its organization. */
export type GroupMembership = {
  id: string
  groupId: string
  organizationId: string
  name: string
  slug: string
  createdAt: Date
  updatedAt: Date
  roles: HeldRole[]
}

export type Filter = {
  organizationId: string
  groupId?: string | undefined
  search?: string | undefined
  roles?: readonly string[] | undefined
}
export type Page = {
  limit: number
  offset: number
  orderBy: 'name' | 'slug' | 'role'
  orderDirection: 'asc' | 'desc'
}

export const list = async (db: Db, filter: Filter, page: Page): Promise<GroupMembership[]> => {
  const { rows } = await sql<Omit<GroupMembership, 'roles'> & { roles: HeldRoleText[] }>`
    select m.id, m.group_id, m.organization_id, g.name, g.slug, m.created_at, m.updated_at, (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'role', r.role, 'customRoleId', c.id, 'customRoleName', c.name, 'customRoleSlug', c.slug,
        'isTemporary', r.is_temporary, 'temporaryMode', r.temporary_mode, 'temporaryRange', r.temporary_range,
        'temporaryAccessStartTime', r.temporary_access_start_time, 'temporaryAccessEndTime', r.temporary_access_end_time,
        'createdAt', r.created_at, 'updatedAt', r.updated_at) order by r.created_at, r.id), '[]')
      from organization_membership_roles r left join organization_roles c on c.id = r.custom_role_id
      where r.membership_id = m.id) as roles
    ${matching(filter)}
    order by ${order(page)}, m.id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows.map((row) => ({ ...row, roles: row.roles.map(heldRoleOf) }))
}

export const count = async (db: Db, filter: Filter): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${matching(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

const ROLE_SLUGS = sql`
  select coalesce(c.slug, r.role)
  from organization_membership_roles r left join organization_roles c on c.id = r.custom_role_id
  where r.membership_id = m.id`

const matching = ({ organizationId, groupId, search, roles }: Filter): RawBuilder<unknown> => sql`
  from organization_memberships m join groups g on g.id = m.group_id
  where m.organization_id = ${organizationId}
    ${groupId === undefined ? sql`` : sql`and g.id = ${groupId}`}
    ${search ? sql`and strpos(lower(concat_ws(' ', g.name, g.slug)), lower(${search})) > 0` : sql``}
    ${roles ? sql`and exists (${ROLE_SLUGS} and coalesce(c.slug, r.role) = any(${roles}))` : sql``}`

const order = ({ orderBy, orderDirection }: Page): RawBuilder<unknown> => {
  const columns = { name: sql`lower(g.name)`, slug: sql`g.slug`, role: sql`(${ROLE_SLUGS} order by 1 limit 1)` }
  return orderDirection === 'asc' ? sql`${columns[orderBy]} asc` : sql`${columns[orderBy]} desc`
}
