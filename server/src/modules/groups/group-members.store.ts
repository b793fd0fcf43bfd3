import { type Generated, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Roll } from './member-orders.store.ts'

type GroupMemberTable = {
  id: string
  groupId: string
  organizationId: string
  userId: string | null
  identityId: string | null
  createdAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    groupMembers: GroupMemberTable
  }
}

export type GroupMember = Selectable<GroupMemberTable>
export type MemberKey = { userId: string } | { identityId: string }
export type MemberType = 'users' | 'machineIdentities'
export type Selection = {
  organizationId: string
  groupId: string
  types: readonly MemberType[]
  search?: string | undefined
}

/** Undefined when it is a member already. */
export const insert = (
  tx: Tx,
  row: Omit<Insertable<GroupMemberTable>, 'userId' | 'identityId'> & MemberKey,
): Promise<GroupMember | undefined> =>
  tx
    .insertInto('groupMembers')
    .values({ userId: null, identityId: null, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** Undefined when it is no member. */
export const deleteOne = (tx: Tx, groupId: string, member: MemberKey): Promise<GroupMember | undefined> => {
  const members = tx.deleteFrom('groupMembers').where('groupId', '=', groupId).returningAll()
  if ('userId' in member) return members.where('userId', '=', member.userId).executeTakeFirst()
  return members.where('identityId', '=', member.identityId).executeTakeFirst()
}

/** Those of projects are managed there, and are in no group. */
export const isOrganizationIdentity = async (db: Db, organizationId: string, identityId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from identities
    where id = ${identityId} and organization_id = ${organizationId} and project_id is null`.execute(db)
  return rows.length > 0
}

/** Of members alone. */
export const rollOf = (selection: Selection): Roll => {
  const { organizationId, groupId, types, search = '' } = selection
  const key = ['members', [...types].sort().join('+'), search].join(' ')
  return { organizationId, groupId, key, places: (ids) => places(selection, ids) }
}

/** By the full name, or else the username; people and machines side by side. */
const places = ({ groupId, types, search }: Selection, ids?: readonly string[]): RawBuilder<unknown> => {
  const isFound = (text: RawBuilder<unknown>) =>
    search === undefined ? sql`true` : sql`strpos(lower(${text}), lower(${search})) > 0`
  const users = sql`
    select u.id, lower(coalesce(nullif(btrim(concat_ws(' ', u.first_name, u.last_name)), ''), u.username)) collate "C" as sort_key
    from ${membersOf(groupId, 'user_id', ids)} m join users u on u.id = m.id
    where ${isFound(sql`concat_ws(' ', u.first_name, u.last_name, u.username, u.email)`)}`
  const identities = sql`
    select i.id, lower(i.name) collate "C" as sort_key
    from ${membersOf(groupId, 'identity_id', ids)} m join identities i on i.id = m.id
    where ${isFound(sql`i.name`)}`
  return sql.join(
    types.map((type) => (type === 'users' ? users : identities)),
    sql` union all `,
  )
}

type Column = 'user_id' | 'identity_id'

/** All of them or, one lookup each, some: a limit keeps PostgreSQL from going through the whole group for those. */
const membersOf = (groupId: string, column: Column, ids?: readonly string[]): RawBuilder<unknown> =>
  ids
    ? sql`(select a.id, g.created_at from unnest(${ids}::uuid[]) a (id) cross join lateral (
        select created_at from group_members where group_id = ${groupId} and ${sql.ref(column)} = a.id limit 1) g)`
    : sql`(select ${sql.ref(column)} as id, created_at from group_members
        where group_id = ${groupId} and ${sql.ref(column)} is not null)`

type User = {
  id: string
  username: string
  email: string
  firstName: string | null
  lastName: string | null
}
type Joined = { id: string; joinedGroupAt: Date }
/** A member as it is shown. */
export type ShownMember =
  | (Joined & { type: 'user'; user: User })
  | (Joined & { type: 'machineIdentity'; machineIdentity: { id: string; name: string } })

type MemberRow = Joined & (({ type: 'user' } & User) | { type: 'machineIdentity'; name: string })

/** In no order. */
export const listMembers = async (db: Db, groupId: string, ids: readonly string[]): Promise<ShownMember[]> => {
  const { rows } = await sql<MemberRow>`
    select u.id, m.created_at as joined_group_at, 'user' as type, u.username, u.email, u.first_name, u.last_name, '' as name
    from ${membersOf(groupId, 'user_id', ids)} m join users u on u.id = m.id
    union all
    select i.id, m.created_at, 'machineIdentity', '', '', null, null, i.name
    from ${membersOf(groupId, 'identity_id', ids)} m join identities i on i.id = m.id`.execute(db)
  return rows.map(shown)
}

const shown = (row: MemberRow): ShownMember => {
  const { id, joinedGroupAt } = row
  if (row.type === 'machineIdentity') {
    return { id, joinedGroupAt, type: row.type, machineIdentity: { id, name: row.name } }
  }
  const { username, email, firstName, lastName } = row
  return { id, joinedGroupAt, type: row.type, user: { id, firstName, lastName, email, username } }
}
