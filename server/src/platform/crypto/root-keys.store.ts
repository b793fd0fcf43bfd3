import { sql, type Generated } from 'kysely'
import type { Db, Tx } from '../db/db.ts'

export type RootKeyRow = { id: string; checkValue: Buffer; state: 'active' | 'retiring' | 'retired' }

declare module '../db/db.ts' {
  interface Tables {
    rootKeys: RootKeyRow & { createdAt: Generated<Date> }
  }
}

export const list = (db: Db): Promise<RootKeyRow[]> =>
  db.selectFrom('rootKeys').select(['id', 'checkValue', 'state']).orderBy('id').execute()

/** Nobody wraps a key or rotates until the transaction ends. */
export const lockAll = async (tx: Tx): Promise<RootKeyRow[]> => {
  await tx.selectFrom('rootKeys').select('id').orderBy('id').forUpdate().execute()
  // Read afterwards: whoever held the lock before may have added a row, which the first statement does not see.
  return list(tx)
}

export const findActiveId = async (db: Db): Promise<string | undefined> => {
  const row = await db.selectFrom('rootKeys').select('id').where('state', '=', 'active').executeTakeFirst()
  return row?.id
}

/** Does nothing when the database has a root key already. */
export const insertFirst = async (db: Db, { id, checkValue }: Omit<RootKeyRow, 'state'>): Promise<void> => {
  await sql`insert into root_keys (id, check_value, state)
    select ${id}, ${checkValue}::bytea, 'active' where not exists (select from root_keys)
    on conflict do nothing`.execute(db)
}

export const insertActive = async (tx: Tx, { id, checkValue }: Omit<RootKeyRow, 'state'>): Promise<void> => {
  await tx.insertInto('rootKeys').values({ id, checkValue, state: 'active' }).execute()
}

export const updateState = async (tx: Tx, id: string, state: RootKeyRow['state']): Promise<void> => {
  await tx.updateTable('rootKeys').set({ state }).where('id', '=', id).execute()
}
