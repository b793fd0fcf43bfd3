import { badRequest } from '../../lib/app-error.ts'
import type { LifetimeSettings } from './lifetime.ts'
import type { TrustedIp } from './trusted-ips.ts'

/** What every login method says of the tokens it gives. A limit of zero uses means any number. */
export type TokenSettings = LifetimeSettings & { tokenUsesLimit: number; tokenTrustedIps: readonly TrustedIp[] }

export const TTL_RULE = 'The access token TTL must not be greater than its maximum TTL'

/** For a change of some settings: the rule holds for what they become together. Without a maximum there is none. */
export const requireTtlWithinMaximum = ({
  tokenTtlSeconds,
  tokenMaxTtlSeconds,
}: Pick<LifetimeSettings, 'tokenTtlSeconds' | 'tokenMaxTtlSeconds'>): void => {
  if (tokenMaxTtlSeconds > 0 && tokenTtlSeconds > tokenMaxTtlSeconds) throw badRequest(TTL_RULE)
}
