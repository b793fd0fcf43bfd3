import { sql, type Generated } from 'kysely'
import type { Db, Tx } from '../db/db.ts'

export type KeyRow = { id: string; purpose: string; ownerId: string | null; rootKeyId: string; wrapped: Buffer }

declare module '../db/db.ts' {
  interface Tables {
    keys: KeyRow & { state: 'active' | 'retired'; createdAt: Generated<Date> }
  }
}

const COLUMNS = ['id', 'purpose', 'ownerId', 'rootKeyId', 'wrapped'] as const
const LIST_MAX = 100

export const findById = (db: Db, id: string): Promise<KeyRow | undefined> =>
  db.selectFrom('keys').select(COLUMNS).where('id', '=', id).executeTakeFirst()

export const findActive = (db: Db, purpose: string, ownerId: string | null): Promise<KeyRow | undefined> =>
  db
    .selectFrom('keys')
    .select(COLUMNS)
    .where('purpose', '=', purpose)
    .where('ownerId', ownerId === null ? 'is' : '=', ownerId)
    .where('state', '=', 'active')
    .executeTakeFirst()

/** Retired ones too, newest first. */
export const list = (db: Db, purpose: string, ownerId: string | null): Promise<KeyRow[]> =>
  db
    .selectFrom('keys')
    .select(COLUMNS)
    .where('purpose', '=', purpose)
    .where('ownerId', ownerId === null ? 'is' : '=', ownerId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(LIST_MAX)
    .execute()

/**
 * False when there is an active key already, or when the root key it is wrapped by is no longer the active one. The lock
 * on the root key lets a rotation begin only after the row is visible to it.
 */
export const insertActive = async (db: Db, row: KeyRow): Promise<boolean> => {
  const { rows } = await sql`insert into keys (id, purpose, owner_id, root_key_id, wrapped, state)
    select ${row.id}::uuid, ${row.purpose}::text, ${row.ownerId}::uuid, id, ${row.wrapped}::bytea, 'active'
    from root_keys where id = ${row.rootKeyId} and state = 'active' for share
    on conflict do nothing
    returning id`.execute(db)
  return rows.length === 1
}

export const deleteOwnedBy = async (tx: Tx, ownerId: string): Promise<void> => {
  await tx.deleteFrom('keys').where('ownerId', '=', ownerId).execute()
}

export const retireActive = async (tx: Tx, purpose: string, ownerId: string | null): Promise<void> => {
  await tx
    .updateTable('keys')
    .set({ state: 'retired' })
    .where('purpose', '=', purpose)
    .where('ownerId', ownerId === null ? 'is' : '=', ownerId)
    .where('state', '=', 'active')
    .execute()
}

/** In the order of ids, so that two who rewrap at once wait for each other instead of locking each other out. */
export const lockWrappedBy = (tx: Tx, rootKeyId: string, limit: number): Promise<KeyRow[]> =>
  tx
    .selectFrom('keys')
    .select(COLUMNS)
    .where('rootKeyId', '=', rootKeyId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()

export const updateWrapped = async (tx: Tx, rows: readonly KeyRow[]): Promise<void> => {
  await sql`update keys set root_key_id = rewrapped.root_key_id, wrapped = rewrapped.wrapped
    from unnest(
      ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ rootKeyId }) => rootKeyId)}::text[],
      ${rows.map(({ wrapped }) => wrapped)}::bytea[]
    ) as rewrapped (id, root_key_id, wrapped)
    where keys.id = rewrapped.id`.execute(tx)
}

export const isAnyWrappedBy = async (db: Db, rootKeyId: string): Promise<boolean> => {
  const row = await db.selectFrom('keys').select('id').where('rootKeyId', '=', rootKeyId).limit(1).executeTakeFirst()
  return row !== undefined
}
