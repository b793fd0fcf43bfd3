import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { heldRoleOf, type HeldRoleText } from '../groups/held-roles.ts'
import { activeLockouts, AUTH_METHODS, METADATA } from '../identities/identity-memberships.store.ts'
import { HELD_ROLES, holdsOneOf, type WithRoles } from './project-members.store.ts'

type Row = {
  id: string
  projectId: string
  projectName: string
  projectType: string
  identityId: string
  name: string
  hasDeleteProtection: boolean
  organizationId: string
  /** The project that owns the identity, if one does. */
  ownerId: string | null
  createdAt: Date
  updatedAt: Date
  lastLoginAuthMethod: string | null
  lastLoginAt: Date | null
  authMethods: string[]
  activeLockoutAuthMethods: string[]
  metadata: { id: string; key: string; value: string }[]
}

/** A machine identity as a member of a project, with all that is shown of it. */
export type IdentityMembership = WithRoles<Row>

export type Filter = {
  organizationId: string
  projectId?: string | undefined
  identityId?: string | undefined
  membershipId?: string | undefined
  name?: string | undefined
  roles?: readonly string[] | undefined
}
export type Page = {
  offset: number
  limit: number
  orderDirection: 'asc' | 'desc'
  /** Against which a lock is still in force. */
  now: Date
}

/** By name, then by project. */
export const list = async (db: Db, filter: Filter, page: Page): Promise<IdentityMembership[]> => {
  const direction = page.orderDirection === 'asc' ? sql`asc` : sql`desc`
  const { rows } = await sql<Row & { roles: HeldRoleText[] }>`
    select m.id, m.project_id, p.name as project_name, p.type as project_type, m.identity_id, i.name,
      i.has_delete_protection, i.organization_id, i.project_id as owner_id, m.created_at, m.updated_at,
      o.last_login_auth_method, o.last_login_at,
      ${AUTH_METHODS} as auth_methods, ${activeLockouts(page.now)} as active_lockout_auth_methods,
      ${METADATA} as metadata, ${HELD_ROLES} as roles
    ${matching(filter)}
    order by lower(i.name) ${direction}, i.id, m.id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows.map((row) => ({ ...row, roles: row.roles.map(heldRoleOf) }))
}

export const count = async (db: Db, filter: Filter): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${matching(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

const matching = ({
  organizationId,
  projectId,
  identityId,
  membershipId,
  name,
  roles,
}: Filter): RawBuilder<unknown> => sql`
  from project_memberships m
  join identities i on i.id = m.identity_id
  join projects p on p.id = m.project_id
  left join organization_memberships o on o.organization_id = m.organization_id and o.identity_id = m.identity_id
  where m.organization_id = ${organizationId}
    ${projectId === undefined ? sql`` : sql`and m.project_id = ${projectId}`}
    ${identityId === undefined ? sql`` : sql`and m.identity_id = ${identityId}`}
    ${membershipId === undefined ? sql`` : sql`and m.id = ${membershipId}`}
    ${name ? sql`and strpos(lower(i.name), lower(${name})) > 0` : sql``}
    ${roles ? sql`and ${holdsOneOf(roles)}` : sql``}`

const AVAILABLE_MAX = 10_000

/** Identities of the organization that are not in the project and could be. */
export const listAvailable = async (
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<{ id: string; name: string }[]> => {
  const { rows } = await sql<{ id: string; name: string }>`
    select i.id, i.name from identities i
    where i.organization_id = ${organizationId} and i.project_id is null
      and not exists (select from project_memberships m where m.project_id = ${projectId} and m.identity_id = i.id)
    order by lower(i.name), i.id limit ${sql.lit(AVAILABLE_MAX)}`.execute(db)
  return rows
}

/** Whoever it belongs to: undefined when the organization has none of that id. */
export const findIdentity = async (
  db: Db,
  organizationId: string,
  identityId: string,
): Promise<{ ownerId: string | null } | undefined> => {
  const { rows } = await sql<{ ownerId: string | null }>`
    select project_id as owner_id from identities
    where id = ${identityId} and organization_id = ${organizationId}`.execute(db)
  return rows[0]
}
