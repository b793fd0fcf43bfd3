import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { SigningKey } from './signing-keys.ts'

export type KeptKeys = { issuer: string; keys: SigningKey[]; fetchedAt: Date }

export const find = async (db: Db, providerId: Buffer): Promise<KeptKeys | undefined> => {
  const { rows } = await sql<KeptKeys>`
    select issuer, keys, fetched_at from oidc_provider_keys where provider_id = ${providerId}`.execute(db)
  return rows[0]
}

/** What another process fetched later stays. */
export const save = async (db: Db, providerId: Buffer, { issuer, keys, fetchedAt }: KeptKeys): Promise<void> => {
  await sql`
    insert into oidc_provider_keys as p (provider_id, issuer, keys, fetched_at)
    values (${providerId}, ${issuer}, ${JSON.stringify(keys)}, ${fetchedAt})
    on conflict (provider_id) do update
    set issuer = excluded.issuer, keys = excluded.keys, fetched_at = excluded.fetched_at
    where p.fetched_at < excluded.fetched_at`.execute(db)
}

export const deleteFetchedBefore = async (db: Db, time: Date): Promise<void> => {
  await sql`delete from oidc_provider_keys where fetched_at < ${time}`.execute(db)
}
