import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { Actor } from '../permissions/actor.ts'
import { environmentSummaries, isOf, type ListedProject, type Project } from './projects.store.ts'

export type Page = { limit: number; offset: number; orderDirection: 'asc' | 'desc' }
export type Filter = { type?: string | undefined; name?: string | undefined; ids?: readonly string[] | undefined }
export type RoleSummary = { id: string; slug: string; name: string; description: string | null }
export type FoundProject = Project & { isMember: boolean; isDirectMember: boolean }

const LISTED_MAX = 10_000

/** Those of its organization that the actor is in, by name. */
export const listOf = (db: Db, actor: Actor, filter: Pick<Filter, 'type'>): Promise<ListedProject[]> =>
  selectListed(db, actor, filter).execute()

/** The same, each with the roles that were made for it. */
export const listWithRolesOf = (db: Db, actor: Actor, filter: Pick<Filter, 'type'>) =>
  selectListed(db, actor, filter).select(customRoles.as('roles')).execute()

const selectListed = (db: Db, actor: Actor, { type }: Pick<Filter, 'type'>) =>
  db
    .selectFrom('projects as project')
    .selectAll('project')
    .select(environmentSummaries.as('environments'))
    .where('project.organizationId', '=', actor.organizationId ?? '')
    .where(isMember(actor))
    .$if(type !== undefined, (query) => query.where('project.type', '=', type ?? ''))
    .orderBy('project.name')
    .orderBy('project.id')
    .limit(LISTED_MAX)

const customRoles = sql<RoleSummary[]>`(
  select coalesce(json_agg(json_build_object('id', c.id, 'slug', c.slug, 'name', c.name, 'description', c.description)
    order by c.name, c.id), '[]')
  from project_roles c where c.project_id = project.id)`

/** Of the whole organization, with what the actor is in each. */
export const search = (db: Db, actor: Actor, filter: Filter, page: Page): Promise<FoundProject[]> =>
  selectFound(db, actor, filter)
    .selectAll('project')
    .select([isMember(actor).as('isMember'), isDirectMember(actor).as('isDirectMember')])
    .orderBy('project.name', page.orderDirection)
    .orderBy('project.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countFound = async (db: Db, actor: Actor, filter: Filter): Promise<number> => {
  const row = await selectFound(db, actor, filter)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

const selectFound = (db: Db, { organizationId = '' }: Actor, { type, name, ids }: Filter) =>
  db
    .selectFrom('projects as project')
    .where('project.organizationId', '=', organizationId)
    .$if(type !== undefined, (query) => query.where('project.type', '=', type ?? ''))
    .$if(ids !== undefined, (query) => query.where('project.id', '=', sql<string>`any(${ids ?? []}::uuid[])`))
    .$if(name !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(project.name), lower(${name ?? ''})) > 0`),
    )

/** Someone with a membership that carries no role is not one. */
const isMember = (actor: Actor) => sql<boolean>`exists (
  select from project_memberships m join project_membership_roles r on r.membership_id = m.id
  where m.project_id = project.id and ${isOf(actor)})`

const isDirectMember = ({ type, id }: Actor) => sql<boolean>`exists (
  select from project_memberships m join project_membership_roles r on r.membership_id = m.id
  where m.project_id = project.id and ${sql.ref(type === 'user' ? 'm.user_id' : 'm.identity_id')} = ${id})`
