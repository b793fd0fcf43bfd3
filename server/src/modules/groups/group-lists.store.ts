import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'

/** The group that is asked about, in its organization. */
type Group = { id: string; organizationId: string }
type Page = { offset: number; limit: number }

export type ProjectsQuery = Page & {
  search?: string | undefined
  filter?: 'assignedProjects' | 'unassignedProjects' | undefined
  orderDirection: 'asc' | 'desc'
}

export type ListedProject = {
  id: string
  name: string
  slug: string
  description: string | null
  type: string
  joinedGroupAt: Date | null
}

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
