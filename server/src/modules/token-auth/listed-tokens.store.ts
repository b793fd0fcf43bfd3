import { type Generated, type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'

type TokenTable = {
  id: string
  configId: string
  name: string | null
  ttlSeconds: number
  maxTtlSeconds: number
  usesLimit: number
  expiresAt: Date
  lastUsedAt: Generated<Date | null>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    tokenAuthTokens: TokenTable
  }
}

/** A token as it is listed, with what has become of it. */
export type ListedToken = {
  id: string
  identityId: string
  name: string | null
  ttlSeconds: number
  maxTtlSeconds: number
  usesLimit: number
  numUses: number
  isRevoked: boolean
  expiresAt: Date
  lastUsedAt: Date | null
  renewedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Who is to get a token: undefined when the identity has no token auth, or is no member of its organization. */
export type Issuer = Omit<TokenSettings, 'tokenPeriodSeconds'> & {
  id: string
  identityId: string
  identityName: string
  organizationId: string
  organizationSlug: string
  membershipId: string
}

/** The method cannot be detached until the transaction ends. */
export const lockIssuer = async (tx: Tx, identityId: string): Promise<Issuer | undefined> => {
  const { rows } = await sql<Issuer>`
    select c.id, c.token_ttl_seconds, c.token_max_ttl_seconds, c.token_uses_limit, c.token_trusted_ips,
      i.id as identity_id, i.name as identity_name, i.organization_id, o.slug as organization_slug, m.id as membership_id
    from token_auth_configs c
    join identities i on i.id = c.identity_id
    join organizations o on o.id = i.organization_id
    join organization_memberships m on m.identity_id = i.id and m.organization_id = i.organization_id
    where c.identity_id = ${identityId} for key share of c`.execute(tx)
  return rows[0]
}

export const insert = (tx: Tx, row: Insertable<TokenTable>) => tx.insertInto('tokenAuthTokens').values(row).execute()

/** The one that was changed last comes first. */
export const list = async (
  db: Db,
  identityId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListedToken[]> => {
  const { rows } = await sql<ListedToken>`${LISTED} where c.identity_id = ${identityId}
    order by t.updated_at desc, t.id desc limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export const findById = async (db: Db, id: string): Promise<ListedToken | undefined> => {
  const { rows } = await sql<ListedToken>`${LISTED} where t.id = ${id}`.execute(db)
  return rows[0]
}

export const rename = (tx: Tx, id: string, name: string) =>
  tx
    .updateTable('tokenAuthTokens')
    .set({ name, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const touch = (tx: Tx, id: string) =>
  tx
    .updateTable('tokenAuthTokens')
    .set({ updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

/** Locked in one order, for two servers may write the same ones. A clock that is behind takes nothing back. */
export const noteUses = (db: Db, uses: readonly { key: string; lastAt: Date }[]) =>
  sql`
    with locked as (
      select t.id, u.last_at from token_auth_tokens t
      join unnest(${uses.map(({ key }) => key)}::uuid[], ${uses.map(({ lastAt }) => lastAt)}::timestamptz[])
        u (id, last_at) on u.id = t.id
      order by t.id for update of t
    )
    update token_auth_tokens t set last_used_at = greatest(t.last_used_at, locked.last_at)
    from locked where locked.id = t.id`.execute(db)

/** Those that ended before a time, with all that were renewed from them. */
export const deleteEndedBefore = (db: Db, time: Date, limit: number) =>
  sql`
    delete from token_auth_tokens where id in (
      select t.id from token_auth_tokens t left join access_token_states s on s.token_id = t.id
      where t.expires_at < ${time} and (s.expires_at is null or s.expires_at < ${time})
      order by t.expires_at limit ${limit})`.execute(db)

const LISTED = sql`
  select t.id, c.identity_id, t.name, t.ttl_seconds, t.max_ttl_seconds, t.uses_limit,
    t.uses_limit - coalesce(s.remaining_uses, t.uses_limit) as num_uses, coalesce(s.is_revoked, false) as is_revoked,
    greatest(t.expires_at, s.expires_at) as expires_at, t.last_used_at, s.renewed_at, t.created_at, t.updated_at
  from token_auth_tokens t
  join token_auth_configs c on c.id = t.config_id
  left join access_token_states s on s.token_id = t.id`
