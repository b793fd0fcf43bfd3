import { type TrustedIp, trustedIpMatcher } from '../access-tokens/trusted-ips.ts'

/** Why a login is refused, in the words of the audit log. */
export type Refusal =
  | 'client_id_not_found'
  | 'ip_not_trusted'
  | 'temporarily_locked'
  | 'invalid_client_secret'
  | 'client_secret_expired'
  | 'client_secret_usage_limit_reached'

/** Null: it never ends, it can be used any number of times. */
type Secret = { endsAt: Date | null; usesLeft: number | null }

type Candidate = {
  clientSecretTrustedIps: readonly TrustedIp[]
  lockoutEnabled: boolean
  /** Null: no login has failed lately. */
  isLocked: boolean | null
  /** The one that was presented; null when there is none such, or it was revoked. */
  secret: Secret | null
}

type Admitted<C extends Candidate> = { candidate: C; secret: NonNullable<C['secret']> }
/** `isCounted`: this failure brings the lock nearer. */
export type Refused = { refusal: Refusal; isCounted: boolean }

/**
 * Whoever does not know the secret learns nothing from where they ask: from an address that is not trusted a wrong
 * secret is just wrong, and does not count, so that outsiders can lock nobody out.
 */
export const judgeLogin = <C extends Candidate>(
  candidate: C | undefined,
  { ip, nowMs }: { ip: string; nowMs: number },
): Admitted<C> | Refused => {
  if (!candidate) return refused('client_id_not_found')
  const secret: C['secret'] = candidate.secret
  if (!trustedIpMatcher(candidate.clientSecretTrustedIps)(ip)) {
    return refused(secret ? 'ip_not_trusted' : 'invalid_client_secret')
  }
  if (candidate.lockoutEnabled && candidate.isLocked) return refused('temporarily_locked')
  if (!secret) return { refusal: 'invalid_client_secret', isCounted: candidate.lockoutEnabled }

  if (secret.endsAt && nowMs >= secret.endsAt.getTime()) return refused('client_secret_expired')
  if (secret.usesLeft === 0) return refused('client_secret_usage_limit_reached')
  return { candidate, secret }
}

const refused = (refusal: Refusal): Refused => ({ refusal, isCounted: false })
