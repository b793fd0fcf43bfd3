import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** The group that is asked about, in its organization. */
type Group = { id: string; organizationId: string }
type Page = { offset: number; limit: number }

export type UsersQuery = Page & {
  search?: string | undefined
  username?: string | undefined
  filter?: 'existingMembers' | 'nonMembers' | undefined
}
export type IdentitiesQuery = Page & {
  search?: string | undefined
  filter?: 'assignedMachineIdentities' | 'nonAssignedMachineIdentities' | undefined
}
export type ProjectsQuery = Page & {
  search?: string | undefined
  filter?: 'assignedProjects' | 'unassignedProjects' | undefined
  orderDirection: 'asc' | 'desc'
}

type Belonging = { isPartOfGroup: boolean; joinedGroupAt: Date | null }
export type ListedUser = Belonging & {
  id: string
  email: string
  username: string
  firstName: string | null
  lastName: string | null
}
export type ListedIdentity = Belonging & { id: string; name: string }
export type ListedProject = {
  id: string
  name: string
  slug: string
  description: string | null
  type: string
  joinedGroupAt: Date | null
}

export const listUsers = (db: Db, group: Group, query: UsersQuery): Promise<ListedUser[]> =>
  rowsOf(
    db,
    sql`select u.id, u.email, u.username, u.first_name, u.last_name,
      g.id is not null as is_part_of_group, g.created_at as joined_group_at
    ${users(group, query)}
    order by u.first_name, u.username, u.id ${page(query)}`,
  )

export const countUsers = (db: Db, group: Group, query: UsersQuery) => count(db, users(group, query))

const users = ({ id, organizationId }: Group, { search, username, filter }: UsersQuery) => sql`
  from organization_memberships o
  join users u on u.id = o.user_id
  left join group_members g on g.group_id = ${id} and g.user_id = u.id
  where o.organization_id = ${organizationId}
    ${belongs(filter && filter === 'existingMembers')}
    ${search ? contains(sql`concat_ws(' ', u.first_name, u.last_name, u.username, u.email)`, search) : sql``}
    ${!search && username ? contains(sql`u.username`, username) : sql``}`

/** Without a filter, members come first: some clients look for theirs on the first page only. */
export const listIdentities = (db: Db, group: Group, query: IdentitiesQuery): Promise<ListedIdentity[]> =>
  rowsOf(
    db,
    sql`select i.id, i.name, g.id is not null as is_part_of_group, g.created_at as joined_group_at
    ${identities(group, query)}
    order by (g.id is null), lower(i.name), i.id ${page(query)}`,
  )

export const countIdentities = (db: Db, group: Group, query: IdentitiesQuery) => count(db, identities(group, query))

const identities = ({ id, organizationId }: Group, { search, filter }: IdentitiesQuery) => sql`
  from identities i
  left join group_members g on g.group_id = ${id} and g.identity_id = i.id
  where i.organization_id = ${organizationId} and i.project_id is null
    ${belongs(filter && filter === 'assignedMachineIdentities')}
    ${search ? contains(sql`i.name`, search) : sql``}`

export const listProjects = (db: Db, group: Group, query: ProjectsQuery): Promise<ListedProject[]> =>
  rowsOf(
    db,
    sql`select p.id, p.name, p.slug, p.description, p.type, g.created_at as joined_group_at
    ${projects(group, query)}
    order by lower(p.name) ${query.orderDirection === 'asc' ? sql`asc` : sql`desc`}, p.id ${page(query)}`,
  )

export const countProjects = (db: Db, group: Group, query: ProjectsQuery) => count(db, projects(group, query))

const projects = ({ id, organizationId }: Group, { search, filter }: ProjectsQuery) => sql`
  from projects p
  left join project_memberships g on g.group_id = ${id} and g.project_id = p.id
  where p.organization_id = ${organizationId}
    ${belongs(filter && filter === 'assignedProjects')}
    ${search ? contains(sql`concat_ws(' ', p.name, p.slug, p.description)`, search) : sql``}`

const belongs = (isMember: boolean | undefined): RawBuilder<unknown> => {
  if (isMember === undefined) return sql``
  return isMember ? sql`and g.id is not null` : sql`and g.id is null`
}

/** Not `like`, where _ and % would mean something else than themselves. */
const contains = (text: RawBuilder<unknown>, search: string) => sql`and strpos(lower(${text}), lower(${search})) > 0`

const page = ({ offset, limit }: Page) => sql`limit ${limit} offset ${offset}`

const rowsOf = async <Row>(db: Db, query: RawBuilder<unknown>): Promise<Row[]> =>
  (await query.execute(db)).rows as Row[]

const count = async (db: Db, from: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${from}`.execute(db)
  return rows[0]?.count ?? 0
}
