/** How long tokens of a method live. Zero is no limit; a period makes them renewable for ever and overrules the rest. */
export type LifetimeSettings = { tokenTtlSeconds: number; tokenMaxTtlSeconds: number; tokenPeriodSeconds: number }

type Renewal = { createdAtSeconds: number; nowSeconds: number }

/** Seconds that a new token lives, at most `ceilingSeconds` whatever the settings say. */
export const lifetimeSeconds = (settings: LifetimeSettings, ceilingSeconds: number): number =>
  settings.tokenPeriodSeconds > 0
    ? Math.min(settings.tokenPeriodSeconds, ceilingSeconds)
    : Math.min(orUnlimited(settings.tokenTtlSeconds), orUnlimited(settings.tokenMaxTtlSeconds), ceilingSeconds)

/** The same for a renewed token, whose first was made at `createdAtSeconds`. Zero or less: it has come of age. */
export const renewedLifetimeSeconds = (
  settings: LifetimeSettings,
  ceilingSeconds: number,
  { createdAtSeconds, nowSeconds }: Renewal,
): number => {
  if (settings.tokenPeriodSeconds > 0 || settings.tokenMaxTtlSeconds === 0)
    return lifetimeSeconds(settings, ceilingSeconds)
  const leftSeconds = createdAtSeconds + settings.tokenMaxTtlSeconds - nowSeconds
  return Math.min(orUnlimited(settings.tokenTtlSeconds), leftSeconds, ceilingSeconds)
}

/** What a token says of its settings: a periodic one has its period for a TTL, and no maximum. */
export const statedLifetime = ({ tokenTtlSeconds, tokenMaxTtlSeconds, tokenPeriodSeconds }: LifetimeSettings) =>
  tokenPeriodSeconds > 0
    ? { ttlSeconds: tokenPeriodSeconds, maxTtlSeconds: 0, periodSeconds: tokenPeriodSeconds }
    : { ttlSeconds: tokenTtlSeconds, maxTtlSeconds: tokenMaxTtlSeconds, periodSeconds: 0 }

const orUnlimited = (seconds: number): number => (seconds === 0 ? Infinity : seconds)
