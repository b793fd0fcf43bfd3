import { type Generated, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { TokenSettings } from './method-settings.ts'

type StateTable = {
  tokenId: string
  isRevoked: Generated<boolean>
  remainingUses: number | null
  usedUpBy: string | null
  renewedAt: Date | null
  expiresAt: Date
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    accessTokenStates: StateTable
  }
}

/** What a token leads to, for as long as all of it is there. */
export type TokenGrantRow = TokenSettings & {
  identityName: string
  isInstanceAdmin: boolean
  metadata: Record<string, string> | null
  membershipId: string
  methodId: string
  /** The request that took the last use. */
  usedUpBy: string | null
}

type TokenKey = {
  id: string
  identityId: string
  organizationId: string
  authMethod: string
  clientSecretId: string | undefined
}

/** Undefined when the identity, its membership, its login method or its client secret has ended, or the token itself. */
export const findGrant = async (db: Db, token: TokenKey): Promise<TokenGrantRow | undefined> => {
  const clientSecretId = token.clientSecretId ?? null
  const { rows } = await sql<TokenGrantRow>`
    select i.name as identity_name, i.is_instance_admin, m.id as membership_id, a.id as method_id,
      a.token_ttl_seconds, a.token_max_ttl_seconds, a.token_period_seconds, a.token_uses_limit, a.token_trusted_ips,
      s.used_up_by,
      (select json_object_agg(d.key, d.value) from identity_metadata d where d.identity_id = i.id) as metadata
    from identities i
    join organization_memberships m on m.identity_id = i.id and m.organization_id = i.organization_id and m.is_active
    join auth_methods a on a.identity_id = i.id and a.method = ${token.authMethod}
    left join access_token_states s on s.token_id = ${token.id}
    where i.id = ${token.identityId} and i.organization_id = ${token.organizationId}
      and (${clientSecretId}::uuid is null or exists (
        select from universal_auth_client_secrets c
        where c.id = ${clientSecretId} and c.config_id = a.id and not c.is_revoked))
      and s.is_revoked is not true`.execute(db)
  return rows[0]
}

type Use = { tokenId: string; usesLimit: number; expiresAt: Date }

/** Takes one use that is not the last, of a limit above one; false when there is none. The first one makes the row. */
export const takeUseBeforeLast = async (db: Db, { tokenId, usesLimit, expiresAt }: Use): Promise<boolean> => {
  const { rows } = await sql`
    insert into access_token_states as s (token_id, remaining_uses, expires_at)
    values (${tokenId}, ${usesLimit}::bigint - 1, ${expiresAt})
    on conflict (token_id) do update set remaining_uses = coalesce(s.remaining_uses, ${usesLimit}::bigint) - 1
    where not s.is_revoked and coalesce(s.remaining_uses, ${usesLimit}::bigint) > 1
    returning token_id`.execute(db)
  return rows.length === 1
}

/** Takes the one use that is left; false when none is, or the token has been revoked. */
export const takeLastUse = async (
  tx: Tx,
  { tokenId, usesLimit, expiresAt, requestId }: Use & { requestId: string },
): Promise<boolean> => {
  const { rows } = await sql`
    insert into access_token_states as s (token_id, remaining_uses, used_up_by, expires_at)
    values (${tokenId}, 0, ${requestId}, ${expiresAt})
    on conflict (token_id) do update set remaining_uses = 0, used_up_by = excluded.used_up_by
    where not s.is_revoked and coalesce(s.remaining_uses, ${usesLimit}::bigint) = 1
    returning token_id`.execute(tx)
  return rows.length === 1
}

type Renewal = Use & { renewedAt: Date }

/** Keeps the count for as long as the renewed token lives; false when no use is left or the token has been revoked. */
export const noteRenewal = async (tx: Tx, { tokenId, usesLimit, renewedAt, expiresAt }: Renewal): Promise<boolean> => {
  const remainingUses = usesLimit === 0 ? null : usesLimit
  const { rows } = await sql`
    insert into access_token_states as s (token_id, remaining_uses, renewed_at, expires_at)
    values (${tokenId}, ${remainingUses}, ${renewedAt}, ${expiresAt})
    on conflict (token_id) do update
    set renewed_at = excluded.renewed_at, expires_at = greatest(s.expires_at, excluded.expires_at)
    where not s.is_revoked and coalesce(s.remaining_uses, 1) > 0
    returning token_id`.execute(tx)
  return rows.length === 1
}

/** False when it was revoked before. */
export const revoke = async (tx: Tx, tokenId: string, expiresAt: Date): Promise<boolean> => {
  const { rows } = await sql`
    insert into access_token_states as s (token_id, is_revoked, expires_at)
    values (${tokenId}, true, ${expiresAt})
    on conflict (token_id) do update set is_revoked = true, expires_at = greatest(s.expires_at, excluded.expires_at)
    where not s.is_revoked
    returning token_id`.execute(tx)
  return rows.length === 1
}

/** What is listed stays. */
export const deleteExpired = (db: Db, now: Date, limit: number) =>
  sql`
    delete from access_token_states where token_id in (
      select s.token_id from access_token_states s
      where s.expires_at < ${now} and not exists (select from token_auth_tokens t where t.id = s.token_id)
      order by s.expires_at limit ${limit})`.execute(db)
