import { EVENT_SUBSCRIPTIONS, type License } from './license.ts'

export type LicenseState = 'upcoming' | 'active' | 'expired'

const DAY_MS = 86_400_000
/** How long before its end a licence is spoken of, and how long after. */
const NOTICE_DAYS = 10

export const stateOf = ({ startsAt, endsAt }: License, now: number): LicenseState => {
  if (now < startsAt) return 'upcoming'
  return now < endsAt ? 'active' : 'expired'
}

/** When the right to a feature ends that these give together; one that takes over without a gap counts. Undefined: not now. */
export const rightTo = (feature: string, licenses: readonly License[], now: number): { endsAt: number } | undefined => {
  const inOrder = licenses
    .filter(({ features }) => features.includes(feature))
    .sort((one, other) => one.startsAt - other.startsAt)
  let endsAt = now
  for (const license of inOrder) if (license.startsAt <= endsAt) endsAt = Math.max(endsAt, license.endsAt)
  return endsAt > now ? { endsAt } : undefined
}

/** What to say from ten days before the right to event subscriptions ends until ten days after. */
export const warningOf = (licenses: readonly License[], now: number): string | undefined => {
  const right = rightTo(EVENT_SUBSCRIPTIONS, licenses, now)
  if (right) {
    const days = Math.ceil((right.endsAt - now) / DAY_MS)
    return days > NOTICE_DAYS
      ? undefined
      : `The licence for event subscriptions ends on ${dayOf(right.endsAt)}, ${inDays(days)}`
  }
  const ends = licenses.filter(({ endsAt }) => endsAt <= now).map(({ endsAt }) => endsAt)
  const endedAt = Math.max(-Infinity, ...ends)
  if (now - endedAt > NOTICE_DAYS * DAY_MS) return undefined
  return `The licence for event subscriptions ended on ${dayOf(endedAt)}`
}

export const inDays = (days: number): string => (days === 1 ? 'within a day' : `in ${days} days`)

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
