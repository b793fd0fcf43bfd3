import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { TrustedIp } from '../access-tokens/trusted-ips.ts'
import type { LockoutSettings } from './lockout.ts'

/** Null: it never ends, it can be used any number of times. */
type PresentedSecret = { id: string; endsAt: Date | null; usesLeft: number | null }

/** Everything that a login needs to know. */
export type LoginCandidate = TokenSettings &
  LockoutSettings & {
    id: string
    clientSecretTrustedIps: TrustedIp[]
    /** Null: no login has failed lately. */
    isLocked: boolean | null
    identityId: string
    identityName: string
    organizationId: string
    organizationSlug: string
    projectId: string | null
    membershipId: string
    secret: PresentedSecret | null
  }

type Presented = { clientId: string; code: Buffer; now: Date }

type Row = Omit<LoginCandidate, 'secret'> & {
  isPresented: boolean
  secretId: string | null
  secretEndsAt: Date | null
  secretUsesLeft: number | null
}

const findNearest = statement<Row, Presented>(
  (value) => sql`
    select c.client_id = ${value('clientId')} as is_presented, c.id,
      c.token_ttl_seconds, c.token_max_ttl_seconds, c.token_period_seconds, c.token_uses_limit, c.token_trusted_ips,
      c.client_secret_trusted_ips, c.lockout_enabled, c.lockout_threshold, c.lockout_duration_seconds,
      c.lockout_counter_reset_seconds, l.is_locked, i.id as identity_id, i.name as identity_name, i.organization_id, i.project_id,
      o.slug as organization_slug, m.id as membership_id,
      s.id as secret_id,
      case when s.ttl_seconds > 0 then s.created_at + make_interval(secs => s.ttl_seconds) end as secret_ends_at,
      case when s.num_uses_limit > 0 then greatest(s.num_uses_limit - s.num_uses, 0) end as secret_uses_left
    from (
      (select * from universal_auth_configs where client_id >= ${value('clientId')} order by client_id limit 1)
      union all (select * from universal_auth_configs order by client_id limit 1)
      limit 1
    ) c
    join identities i on i.id = c.identity_id
    join organizations o on o.id = i.organization_id
    join organization_memberships m on m.identity_id = i.id and m.organization_id = i.organization_id
    left join auth_lockouts l on l.config_id = c.id and l.expires_at > ${value('now')}
    left join universal_auth_client_secrets s
      on s.config_id = c.id and s.code = ${value('code')} and not s.is_revoked`,
)

/**
 * Undefined when no identity has this client id. Then its neighbour is looked up in its place and thrown away, so that
 * the time does not tell.
 */
export const findCandidate = async (db: Db, presented: Presented): Promise<LoginCandidate | undefined> => {
  const [row] = await findNearest(db, presented)
  return row?.isPresented ? candidateOf(row) : undefined
}

type Use = { secretId: string; configId: string; now: Date }

/**
 * Takes one of a limited number of uses, and forgets the failures before this login, which knows the secret: in one
 * statement. False when no use is left or the secret was revoked meanwhile. A lock that came up meanwhile stays.
 */
export const takeUse = async (db: Db, { secretId, configId, now }: Use): Promise<boolean> => {
  const { rows } = await sql`
    with forgotten as (
      delete from auth_lockouts where config_id = ${configId} and not (is_locked and expires_at > ${now})
    )
    update universal_auth_client_secrets set num_uses = num_uses + 1
    where id = ${secretId} and not is_revoked and num_uses < num_uses_limit
    returning id`.execute(db)
  return rows.length === 1
}

const candidateOf = (row: Row): LoginCandidate => {
  const { secretId: id, secretEndsAt: endsAt, secretUsesLeft: usesLeft } = row
  return Object.assign(row, { secret: id === null ? null : { id, endsAt, usesLeft } })
}
