/** When failed logins lock a method. Fractions are rounded up. */
export type LockoutSettings = {
  lockoutEnabled: boolean
  lockoutThreshold: number
  lockoutDurationSeconds: number
  lockoutCounterResetSeconds: number
}

/** What one failed login brings about: the lock when it is the last that was allowed, or else a count that ends later. */
export type LockoutStep = { now: Date; failuresMax: number; lockedUntil: Date; countedUntil: Date }

export const lockoutStep = (settings: LockoutSettings, nowMs: number): LockoutStep => ({
  now: new Date(nowMs),
  failuresMax: Math.ceil(settings.lockoutThreshold),
  lockedUntil: new Date(nowMs + Math.ceil(settings.lockoutDurationSeconds) * 1000),
  countedUntil: new Date(nowMs + Math.ceil(settings.lockoutCounterResetSeconds) * 1000),
})

/** The same work for the database, with no effect: it never locks, and its count ends at once. */
export const idleStep = (nowMs: number): LockoutStep => {
  const now = new Date(nowMs)
  return { now, failuresMax: Number.MAX_SAFE_INTEGER, lockedUntil: now, countedUntil: now }
}
