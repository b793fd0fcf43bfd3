import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import type { TermText } from '../permissions/term.ts'
import type { StoredMetadata } from './identities.store.ts'
import type { Criteria, Criterion } from './identities.schemas.ts'

/** A machine identity as a member of its organization, with all that is shown of it. */
export type IdentityMembership = {
  id: string
  identityId: string
  organizationId: string
  createdAt: Date
  updatedAt: Date
  lastLoginAuthMethod: string | null
  lastLoginAt: Date | null
  name: string
  hasDeleteProtection: boolean
  identityCreatedAt: Date
  identityUpdatedAt: Date
  roles: HeldRole[]
  authMethods: string[]
  activeLockoutAuthMethods: string[]
  metadata: StoredMetadata[]
}

/** As JSON: times are text. */
export type HeldRole = TermText & {
  id: string
  role: string
  customRoleId: string | null
  customRoleName: string | null
  customRoleSlug: string | null
  customRoleDescription: string | null
  customRolePermissions: unknown
}

export type Selection = {
  organizationId: string
  criteria?: (Criteria & { $or?: Criteria[] | undefined }) | undefined
}

export type Page = {
  orderBy: 'name' | 'role' | 'lastLogin'
  orderDirection: 'asc' | 'desc'
  limit: number
  offset: number
  /** Against which a lock is still in force. */
  now: Date
}

/** The order in which clients know the methods of a login. */
const METHOD_ORDER = sql.lit(
  '{universal-auth,gcp-auth,alicloud-auth,aws-auth,kubernetes-auth,oci-auth,oidc-auth,azure-auth,token-auth,jwt-auth,ldap-auth,tls-cert-auth,spiffe-auth}',
)

/** Project-owned identities are managed in their project and are not among these. */
export const list = async (db: Db, selection: Selection, page: Page): Promise<IdentityMembership[]> => {
  const { rows } = await sql<IdentityMembership>`
    ${membershipsAt(page.now)}
    where ${condition(selection)}
    order by ${order(page)}, i.id
    limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

/** Without order and limit, for which PostgreSQL would plan anew each time. */
const findOne = statement<IdentityMembership, { organizationId: string; identityId: string; now: Date }>(
  (value) => sql`
    ${membershipsAt(value('now'))}
    where m.organization_id = ${value('organizationId')} and m.identity_id = ${value('identityId')} and i.project_id is null`,
)

export const find = async (
  db: Db,
  key: { organizationId: string; identityId: string; now: Date },
): Promise<IdentityMembership | undefined> => (await findOne(db, key))[0]

export const count = async (db: Db, selection: Selection): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from organization_memberships m join identities i on i.id = m.identity_id
    where ${condition(selection)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Of an identity `i`. */
export const AUTH_METHODS = sql<string[]>`array(
  select a.method from auth_methods a where a.identity_id = i.id
  order by array_position(${METHOD_ORDER}::text[], a.method))`

/** Of an identity `i`: the methods that are locked at a time. */
export const activeLockouts = (now: Date | RawBuilder<unknown>) => sql<string[]>`array(
  select l.method from auth_lockouts l where l.identity_id = i.id and l.is_locked and l.expires_at > ${now}
  order by array_position(${METHOD_ORDER}::text[], l.method))`

/** Of an identity `i`. */
export const METADATA = sql<StoredMetadata[]>`(
  select coalesce(json_agg(json_build_object('id', d.id, 'key', d.key, 'value', d.value) order by d.id), '[]')
  from identity_metadata d where d.identity_id = i.id)`

const ROLES = sql`(
  select coalesce(json_agg(json_build_object(
    'id', r.id, 'role', r.role, 'customRoleId', c.id, 'customRoleName', c.name, 'customRoleSlug', c.slug,
    'customRoleDescription', c.description, 'customRolePermissions', c.permissions, 'isTemporary', r.is_temporary,
    'temporaryMode', r.temporary_mode, 'temporaryRange', r.temporary_range,
    'temporaryAccessStartTime', r.temporary_access_start_time, 'temporaryAccessEndTime', r.temporary_access_end_time
  ) order by r.created_at, r.id), '[]')
  from organization_membership_roles r left join organization_roles c on c.id = r.custom_role_id
  where r.membership_id = m.id)`

const membershipsAt = (now: Date | RawBuilder<unknown>) => sql`
  select m.id, m.identity_id, m.organization_id, m.created_at, m.updated_at, m.last_login_auth_method, m.last_login_at,
    i.name, i.has_delete_protection, i.created_at as identity_created_at, i.updated_at as identity_updated_at,
    ${ROLES} as roles, ${AUTH_METHODS} as auth_methods, ${activeLockouts(now)} as active_lockout_auth_methods,
    ${METADATA} as metadata
  from organization_memberships m join identities i on i.id = m.identity_id`

/** The word by which the first role is known. */
const ROLE_SLUG = sql`(
  select coalesce(c.slug, r.role)
  from organization_membership_roles r left join organization_roles c on c.id = r.custom_role_id
  where r.membership_id = m.id order by r.created_at, r.id limit 1)`

const order = ({ orderBy, orderDirection }: Page): RawBuilder<unknown> => {
  const column = { name: sql`lower(i.name)`, role: ROLE_SLUG, lastLogin: sql`m.last_login_at` }[orderBy]
  return orderDirection === 'asc' ? sql`${column} asc nulls last` : sql`${column} desc nulls last`
}

const condition = ({ organizationId, criteria }: Selection): RawBuilder<unknown> => {
  const conditions = [sql`m.organization_id = ${organizationId}`, sql`i.project_id is null`]
  if (criteria) conditions.push(...all(criteria))
  if (criteria?.$or?.length)
    conditions.push(
      sql`(${sql.join(
        criteria.$or.map((each) => and(all(each))),
        sql` or `,
      )})`,
    )
  return and(conditions)
}

const and = (conditions: RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`

const all = ({ name, role }: Criteria): RawBuilder<unknown>[] => [
  ...(name === undefined ? [] : matches(sql`i.name`, name)),
  ...(role === undefined ? [] : matches(ROLE_SLUG, role)),
]

const matches = (column: RawBuilder<unknown>, criterion: Criterion): RawBuilder<unknown>[] => {
  if (typeof criterion === 'string') return [sql`${column} = ${criterion}`]
  const { $eq, $in, $contains } = criterion
  return [
    ...($eq === undefined ? [] : [sql`${column} = ${$eq}`]),
    ...($in === undefined ? [] : [sql`${column} = any(${$in})`]),
    // Not `like`, where _ and % would mean something else than themselves.
    ...($contains === undefined ? [] : [sql`position(lower(${$contains}) in lower(${column})) > 0`]),
  ]
}
