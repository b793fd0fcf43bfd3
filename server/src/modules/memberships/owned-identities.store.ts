import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { activeLockouts, AUTH_METHODS, METADATA } from '../identities/identity-memberships.store.ts'

/** A machine identity that a project owns, with all that is shown of it. */
export type OwnedIdentity = {
  id: string
  name: string
  organizationId: string
  projectId: string
  hasDeleteProtection: boolean
  createdAt: Date
  updatedAt: Date
  authMethods: string[]
  activeLockoutAuthMethods: string[]
  metadata: { id: string; key: string; value: string }[]
}

export type Filter = { projectId: string; identityId?: string | undefined; search?: string | undefined }
/** `now`: against which a lock is still in force. */
export type Page = { offset: number; limit: number; now: Date }

/** By name. */
export const list = async (db: Db, filter: Filter, { offset, limit, now }: Page): Promise<OwnedIdentity[]> => {
  const { rows } = await sql<OwnedIdentity>`
    select i.id, i.name, i.organization_id, i.project_id, i.has_delete_protection, i.created_at, i.updated_at,
      ${AUTH_METHODS} as auth_methods, ${activeLockouts(now)} as active_lockout_auth_methods, ${METADATA} as metadata
    ${matching(filter)} order by lower(i.name), i.id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export const count = async (db: Db, filter: Filter): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${matching(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

const matching = ({ projectId, identityId, search }: Filter): RawBuilder<unknown> => sql`
  from identities i
  where i.project_id = ${projectId}
    ${identityId === undefined ? sql`` : sql`and i.id = ${identityId}`}
    ${search ? sql`and strpos(lower(i.name), lower(${search})) > 0` : sql``}`
