import { badRequest } from '../../lib/app-error.ts'
import type { LifetimeSettings } from './lifetime.ts'
import type { TrustedIp } from './trusted-ips.ts'

/** What every login method says of the tokens it gives. A limit of zero uses means any number. */
export type TokenSettings = LifetimeSettings & { tokenUsesLimit: number; tokenTrustedIps: readonly TrustedIp[] }

export const TTL_RULE = 'The access token TTL must not be greater than its maximum TTL'

export type TtlSettings = Pick<LifetimeSettings, 'tokenTtlSeconds' | 'tokenMaxTtlSeconds'>
export type TtlChanges = { [Name in keyof TtlSettings]?: number | undefined }

/** The rule holds for what present and changed settings become together. Without a maximum there is none. */
export const requireTtlWithinMaximum = (present: TtlSettings, changes: TtlChanges): void => {
  const { tokenTtlSeconds = present.tokenTtlSeconds, tokenMaxTtlSeconds = present.tokenMaxTtlSeconds } = changes
  if (tokenMaxTtlSeconds > 0 && tokenTtlSeconds > tokenMaxTtlSeconds) throw badRequest(TTL_RULE)
}
