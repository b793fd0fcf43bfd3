import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { Roll } from './member-orders.store.ts'

type Group = { organizationId: string; groupId: string }
/** Undefined: members and others. */
export type Filter = { isMember?: boolean | undefined }
export type UsersFilter = Filter & { search?: string | undefined; username?: string | undefined }
export type IdentitiesFilter = Filter & { search?: string | undefined }

type Belonging = { isPartOfGroup: boolean; joinedGroupAt: Date | null }
export type ListedUser = Belonging & {
  id: string
  email: string
  username: string
  firstName: string | null
  lastName: string | null
}
export type ListedIdentity = Belonging & { id: string; name: string }

/** By first name, those without one last. What parts them comes before any letter, so that a shorter name is first. */
export const usersOf = (group: Group, { isMember, search, username }: UsersFilter): Roll => ({
  ...group,
  key: JSON.stringify(['users', isMember, search, username]),
  places: (ids) => sql`
    select o.id, (coalesce('0' || lower(o.first_name), '1') || chr(1) || o.username) collate "C" as sort_key
    from ${organizationUsers(group, ids)} o ${belonging(group, 'user_id', ids)}
    where ${isListed(isMember)}
      ${search ? contains(sql`concat_ws(' ', o.first_name, o.last_name, o.username, o.email)`, search) : sql``}
      ${!search && username ? contains(sql`o.username`, username) : sql``}`,
})

/** Members come first: some clients look for theirs on the first page only. */
export const identitiesOf = (group: Group, { isMember, search }: IdentitiesFilter): Roll => ({
  ...group,
  key: JSON.stringify(['identities', isMember, search]),
  places: (ids) => sql`
    select o.id, (case when g.id is null then '1' else '0' end || lower(o.name)) collate "C" as sort_key
    from ${organizationIdentities(group, ids)} o ${belonging(group, 'identity_id', ids)}
    where ${isListed(isMember)} ${search ? contains(sql`o.name`, search) : sql``}`,
})

/** In no order. */
export const listUsers = async (db: Db, group: Group & Filter, ids: readonly string[]): Promise<ListedUser[]> => {
  const { rows } = await sql<ListedUser>`
    select o.id, o.email, o.username, o.first_name, o.last_name,
      g.id is not null as is_part_of_group, g.created_at as joined_group_at
    from ${organizationUsers(group, ids)} o ${belonging(group, 'user_id', ids)}
    where ${isListed(group.isMember)}`.execute(db)
  return rows
}

/** In no order. */
export const listIdentities = async (
  db: Db,
  group: Group & Filter,
  ids: readonly string[],
): Promise<ListedIdentity[]> => {
  const { rows } = await sql<ListedIdentity>`
    select o.id, o.name, g.id is not null as is_part_of_group, g.created_at as joined_group_at
    from ${organizationIdentities(group, ids)} o ${belonging(group, 'identity_id', ids)}
    where ${isListed(group.isMember)}`.execute(db)
  return rows
}

/** All of them or, one lookup each, some: a limit keeps PostgreSQL from going through the whole organization for those. */
const organizationUsers = ({ organizationId }: Group, ids?: readonly string[]): RawBuilder<unknown> => {
  const shown = sql`u.id, u.email, u.username, u.first_name, u.last_name`
  return ids
    ? sql`(select ${shown} from unnest(${ids}::uuid[]) a (id)
        cross join lateral (
          select from organization_memberships where organization_id = ${organizationId} and user_id = a.id limit 1) m
        cross join lateral (select * from users where id = a.id limit 1) u)`
    : sql`(select ${shown} from organization_memberships m join users u on u.id = m.user_id
        where m.organization_id = ${organizationId})`
}

/** Those of projects are managed there, and are in no group. */
const organizationIdentities = ({ organizationId }: Group, ids?: readonly string[]): RawBuilder<unknown> =>
  ids
    ? sql`(select i.id, i.name from unnest(${ids}::uuid[]) a (id) cross join lateral (
        select id, name from identities
        where id = a.id and organization_id = ${organizationId} and project_id is null limit 1) i)`
    : sql`(select id, name from identities where organization_id = ${organizationId} and project_id is null)`

const belonging = ({ groupId }: Group, column: 'user_id' | 'identity_id', ids?: readonly string[]) =>
  ids
    ? sql`left join lateral (
        select id, created_at from group_members where group_id = ${groupId} and ${sql.ref(column)} = o.id limit 1) g on true`
    : sql`left join group_members g on g.group_id = ${groupId} and g.${sql.ref(column)} = o.id`

const isListed = (isMember: boolean | undefined): RawBuilder<unknown> => {
  if (isMember === undefined) return sql`true`
  return isMember ? sql`g.id is not null` : sql`g.id is null`
}

/** Not `like`, where _ and % would mean something else than themselves. */
const contains = (text: RawBuilder<unknown>, search: string) => sql`and strpos(lower(${text}), lower(${search})) > 0`
