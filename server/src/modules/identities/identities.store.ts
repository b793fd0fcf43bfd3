import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { newId } from '../../lib/uuid.ts'
import type { Db, Tx } from '../../platform/db/db.ts'

type IdentityTable = {
  id: string
  organizationId: string
  projectId: string | null
  name: string
  hasDeleteProtection: Generated<boolean>
  isInstanceAdmin: Generated<boolean>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

type IdentityMetadataTable = { id: string; identityId: string; key: string; value: string }

declare module '../../platform/db/db.ts' {
  interface Tables {
    identities: IdentityTable
    identityMetadata: IdentityMetadataTable
  }
}

export type Identity = Selectable<IdentityTable>
export type Metadata = { key: string; value: string }
export type StoredMetadata = Metadata & { id: string }

export const insert = (tx: Tx, row: Insertable<IdentityTable>): Promise<Identity> =>
  tx.insertInto('identities').values(row).returningAll().executeTakeFirstOrThrow()

export const update = (
  tx: Tx,
  id: string,
  changes: Pick<Updateable<IdentityTable>, 'name' | 'hasDeleteProtection'>,
): Promise<Identity> =>
  tx
    .updateTable('identities')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('identities').where('id', '=', id).execute()

export const findById = (db: Db, organizationId: string, id: string): Promise<Identity | undefined> =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()

export const lock = (tx: Tx, organizationId: string, id: string): Promise<Identity | undefined> =>
  tx
    .selectFrom('identities')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const replaceMetadata = async (
  tx: Tx,
  identityId: string,
  metadata: readonly Metadata[],
): Promise<StoredMetadata[]> => {
  await tx.deleteFrom('identityMetadata').where('identityId', '=', identityId).execute()
  const rows = metadata.map(({ key, value }) => ({ id: newId(), identityId, key, value }))
  if (rows.length > 0) await tx.insertInto('identityMetadata').values(rows).execute()
  return rows.map(({ id, key, value }) => ({ id, key, value }))
}
