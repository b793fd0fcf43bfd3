import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { Bounds } from './bound-claims.ts'

/** Everything that a login needs to know. */
export type LoginCandidate = TokenSettings &
  Bounds & {
    id: string
    discoveryUrl: string
    /** Sealed. */
    caCertificate: Buffer | null
    boundIssuer: string
    claimMetadataMapping: Record<string, string> | null
    identityId: string
    identityName: string
    isInstanceAdmin: boolean
    organizationId: string
    organizationSlug: string
    projectId: string | null
    membershipId: string
  }

/** Undefined when there is no such identity or it does not have this method. */
export const findCandidate = async (db: Db, identityId: string): Promise<LoginCandidate | undefined> => {
  const { rows } = await sql<LoginCandidate>`
    select c.id, c.discovery_url, c.ca_certificate, c.bound_issuer, c.bound_audiences, c.bound_subject, c.bound_claims,
      c.claim_metadata_mapping, c.token_ttl_seconds, c.token_max_ttl_seconds, 0 as token_period_seconds,
      c.token_uses_limit, c.token_trusted_ips,
      i.id as identity_id, i.name as identity_name, i.is_instance_admin, i.organization_id, i.project_id,
      o.slug as organization_slug, m.id as membership_id
    from oidc_auth_configs c
    join identities i on i.id = c.identity_id
    join organizations o on o.id = i.organization_id
    join organization_memberships m on m.identity_id = i.id and m.organization_id = i.organization_id
    where c.identity_id = ${identityId}`.execute(db)
  return rows[0]
}
