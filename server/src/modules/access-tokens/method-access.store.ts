import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

/** The machine identity whose ways of logging in are in question. */
export type ManagedIdentity = {
  id: string
  name: string
  organizationId: string
  projectId: string | null
  isInstanceAdmin: boolean
}

export const findIdentity = async (
  db: Db,
  organizationId: string,
  identityId: string,
): Promise<ManagedIdentity | undefined> => {
  const { rows } = await sql<ManagedIdentity>`
    select id, name, organization_id, project_id, is_instance_admin from identities
    where id = ${identityId} and organization_id = ${organizationId}`.execute(db)
  return rows[0]
}

export const lockIdentity = async (tx: Tx, identityId: string): Promise<boolean> => {
  const { rows } = await sql`select id from identities where id = ${identityId} for key share`.execute(tx)
  return rows.length === 1
}
