import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { newId } from '../../lib/uuid.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { PERMANENT, type Term, type TermColumns } from '../permissions/term.ts'

type MembershipTable = {
  id: string
  organizationId: string
  userId: string | null
  identityId: string | null
  groupId: string | null
  status: Generated<'invited' | 'accepted'>
  isActive: Generated<boolean>
  inviteEmail: string | null
  lastInvitedAt: Date | null
  lastLoginAuthMethod: string | null
  lastLoginAt: Date | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

type MembershipRoleTable = TermColumns & {
  id: string
  membershipId: string
  role: string
  customRoleId: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

type MembershipMetadataTable = { id: string; membershipId: string; key: string; value: string }

declare module '../../platform/db/db.ts' {
  interface Tables {
    organizationMemberships: MembershipTable
    organizationMembershipRoles: MembershipRoleTable
    organizationMembershipMetadata: MembershipMetadataTable
  }
}

export type Membership = Selectable<MembershipTable>
export type MembershipChanges = Pick<
  Updateable<MembershipTable>,
  'status' | 'isActive' | 'inviteEmail' | 'lastInvitedAt' | 'lastLoginAuthMethod' | 'lastLoginAt'
>
export type Metadata = { key: string; value: string }

/** A predefined role by its slug, or `custom` and the role that is meant; for good, unless it has a term. */
export type RoleGrant = { role: string; customRoleId: string | null; term?: Term | undefined }

export type Login = { membershipId: string; authMethod: string; at: Date }

/** One member of an organization: a person, a machine identity or a group. */
export type MemberKey = { organizationId: string } & ({ userId: string } | { identityId: string } | { groupId: string })

const LISTED_MAX = 10_000

/** Undefined when it is a member already. */
export const insert = (
  tx: Tx,
  row: Omit<Insertable<MembershipTable>, 'lastLoginAuthMethod' | 'lastLoginAt'>,
): Promise<Membership | undefined> =>
  tx
    .insertInto('organizationMemberships')
    .values({ lastLoginAuthMethod: null, lastLoginAt: null, ...row })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (tx: Tx, id: string, changes: MembershipChanges): Promise<Membership | undefined> =>
  tx
    .updateTable('organizationMemberships')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** In one statement, in one order, so that two of them never wait for each other. */
export const recordLogins = (db: Db, logins: readonly Login[]): Promise<unknown> =>
  sql`
    with given as (
      select * from unnest(
        ${logins.map(({ membershipId }) => membershipId)}::uuid[],
        ${logins.map(({ authMethod }) => authMethod)}::text[],
        ${logins.map(({ at }) => at)}::timestamptz[]
      ) as given (membership_id, auth_method, at)
    ), locked as (
      select id from organization_memberships where id in (select membership_id from given) order by id for no key update
    )
    update organization_memberships as membership
    set last_login_auth_method = given.auth_method, last_login_at = given.at
    from given join locked on locked.id = given.membership_id
    where membership.id = given.membership_id
      and (membership.last_login_at is null or membership.last_login_at < given.at)`.execute(db)

/** Invitations that a user has not taken, but for those of one organization. */
export const deleteOtherInvitations = (tx: Tx, userId: string, organizationId: string): Promise<unknown> =>
  tx
    .deleteFrom('organizationMemberships')
    .where('userId', '=', userId)
    .where('status', '=', 'invited')
    .where('organizationId', '!=', organizationId)
    .execute()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('organizationMemberships').where('id', '=', id).execute()

export const find = (db: Db, { organizationId, ...member }: MemberKey): Promise<Membership | undefined> => {
  const memberships = db.selectFrom('organizationMemberships').selectAll().where('organizationId', '=', organizationId)
  if ('userId' in member) return memberships.where('userId', '=', member.userId).executeTakeFirst()
  if ('identityId' in member) return memberships.where('identityId', '=', member.identityId).executeTakeFirst()
  return memberships.where('groupId', '=', member.groupId).executeTakeFirst()
}

export const findById = (db: Db, id: string): Promise<Membership | undefined> =>
  db.selectFrom('organizationMemberships').selectAll().where('id', '=', id).executeTakeFirst()

export const replaceRoles = async (tx: Tx, membershipId: string, roles: readonly RoleGrant[]): Promise<void> => {
  await tx.deleteFrom('organizationMembershipRoles').where('membershipId', '=', membershipId).execute()
  if (roles.length === 0) return
  await tx
    .insertInto('organizationMembershipRoles')
    .values(
      roles.map(({ role, customRoleId, term = PERMANENT }) => ({
        ...term,
        id: newId(),
        membershipId,
        role,
        customRoleId,
      })),
    )
    .execute()
}

export const replaceMetadata = async (tx: Tx, membershipId: string, metadata: readonly Metadata[]): Promise<void> => {
  await tx.deleteFrom('organizationMembershipMetadata').where('membershipId', '=', membershipId).execute()
  if (metadata.length === 0) return
  await tx
    .insertInto('organizationMembershipMetadata')
    .values(metadata.map(({ key, value }) => ({ id: newId(), membershipId, key, value })))
    .execute()
}

export const listMetadata = (db: Db, membershipId: string): Promise<(Metadata & { id: string })[]> =>
  db
    .selectFrom('organizationMembershipMetadata')
    .select(['id', 'key', 'value'])
    .where('membershipId', '=', membershipId)
    .orderBy('id')
    .execute()

/** Each by its own slug, and by the word of the membership. */
export const listRoles = (db: Db, membershipId: string): Promise<(RoleGrant & { slug: string })[]> =>
  db
    .selectFrom('organizationMembershipRoles as held')
    .leftJoin('organizationRoles as custom', 'custom.id', 'held.customRoleId')
    .select((columns) => ['held.role', 'held.customRoleId', columns.fn.coalesce('custom.slug', 'held.role').as('slug')])
    .where('held.membershipId', '=', membershipId)
    .orderBy('held.createdAt')
    .orderBy('held.id')
    .execute()

/** People who hold the role `admin` for good and can use it, but for one of them. */
export const hasOtherAdmin = async (tx: Tx, organizationId: string, membershipId: string): Promise<boolean> => {
  const other = await tx
    .selectFrom('organizationMemberships as membership')
    .innerJoin('organizationMembershipRoles as held', 'held.membershipId', 'membership.id')
    .select('membership.id')
    .where('membership.organizationId', '=', organizationId)
    .where('membership.userId', 'is not', null)
    .where('membership.status', '=', 'accepted')
    .where('membership.isActive', '=', true)
    .where('held.role', '=', 'admin')
    .where('held.isTemporary', '=', false)
    .where('membership.id', '!=', membershipId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export type Member = Awaited<ReturnType<typeof list>>[number]

export const list = (db: Db, organizationId: string) =>
  members(db, organizationId).orderBy('membership.createdAt').orderBy('membership.id').limit(LISTED_MAX).execute()

export const findMember = (db: Db, organizationId: string, membershipId: string): Promise<Member | undefined> =>
  members(db, organizationId).where('membership.id', '=', membershipId).executeTakeFirst()

/** People, with the first of their roles. */
const members = (db: Db, organizationId: string) =>
  db
    .selectFrom('organizationMemberships as membership')
    .innerJoin('users as user', 'user.id', 'membership.userId')
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom('organizationMembershipRoles as held')
          .leftJoin('organizationRoles as custom', 'custom.id', 'held.customRoleId')
          .select(['held.role', 'held.customRoleId', 'custom.slug as customRoleSlug'])
          .whereRef('held.membershipId', '=', 'membership.id')
          .orderBy('held.createdAt')
          .orderBy('held.id')
          .limit(1)
          .as('held'),
      (join) => join.onTrue(),
    )
    .selectAll('membership')
    .select([
      'held.role',
      'held.customRoleId',
      'held.customRoleSlug',
      'user.id as memberId',
      'user.username',
      'user.email',
      'user.firstName',
      'user.lastName',
      'user.isEmailVerified',
      'user.isInstanceAdmin',
    ])
    .where('membership.organizationId', '=', organizationId)
