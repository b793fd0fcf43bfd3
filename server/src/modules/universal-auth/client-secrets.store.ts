import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type ClientSecretTable = {
  id: string
  configId: string
  code: Buffer
  prefix: string
  description: string
  numUses: Generated<number>
  numUsesLimit: number
  ttlSeconds: number
  isRevoked: Generated<boolean>
  createdAt: Date
  updatedAt: Date
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    universalAuthClientSecrets: ClientSecretTable
  }
}

/** Without the code, which nobody needs to see. */
export type ClientSecret = Omit<Selectable<ClientSecretTable>, 'code'>

const COLUMNS = [
  'id',
  'configId',
  'prefix',
  'description',
  'numUses',
  'numUsesLimit',
  'ttlSeconds',
  'isRevoked',
  'createdAt',
  'updatedAt',
] as const

export const insert = (tx: Tx, row: Insertable<ClientSecretTable>): Promise<ClientSecret> =>
  tx.insertInto('universalAuthClientSecrets').values(row).returning(COLUMNS).executeTakeFirstOrThrow()

/** Newest first, without the revoked ones: all that can be used, and the newest of the others. */
export const list = (
  db: Db,
  configId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<ClientSecret[]> => {
  const newestOthers = sql<string>`(
    select id from universal_auth_client_secrets
    where config_id = ${configId} and not is_revoked and not ${isUsableAt(now)}
    order by created_at desc, id desc limit ${limit})`
  return db
    .selectFrom('universalAuthClientSecrets')
    .select(COLUMNS)
    .where('configId', '=', configId)
    .where('isRevoked', '=', false)
    .where((where) => where.or([isUsableAt(now), sql<boolean>`id in ${newestOthers}`]))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Of those that are not revoked. */
const isUsableAt = (now: Date) => sql<boolean>`((num_uses_limit = 0 or num_uses < num_uses_limit)
  and (ttl_seconds = 0 or created_at + make_interval(secs => ttl_seconds) > ${now}))`

export const find = (db: Db, configId: string, id: string): Promise<ClientSecret | undefined> =>
  db
    .selectFrom('universalAuthClientSecrets')
    .select(COLUMNS)
    .where('configId', '=', configId)
    .where('id', '=', id)
    .executeTakeFirst()

export const revoke = (tx: Tx, configId: string, id: string): Promise<ClientSecret | undefined> =>
  tx
    .updateTable('universalAuthClientSecrets')
    .set({ isRevoked: true, updatedAt: sql`now()` })
    .where('configId', '=', configId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()

/** Those that one could still log in with. */
export const countUsable = async (tx: Tx, configId: string, now: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from universal_auth_client_secrets
    where config_id = ${configId} and not is_revoked and ${isUsableAt(now)}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** In the order of ids, so that two who do this at once wait for each other instead of locking each other out. */
export const addUses = (db: Db, uses: readonly { key: string; count: number }[]) =>
  sql`
    with locked as (
      select s.id, u.count from universal_auth_client_secrets s
      join unnest(${uses.map(({ key }) => key)}::uuid[], ${uses.map(({ count }) => count)}::bigint[]) u (id, count)
        on u.id = s.id
      order by s.id for update of s
    )
    update universal_auth_client_secrets s set num_uses = s.num_uses + locked.count
    from locked where locked.id = s.id`.execute(db)
