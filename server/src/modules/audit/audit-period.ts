import { AppError } from '../../lib/app-error.ts'

const MONTHS_MAX = 3

export type Period = { from: Date; to: Date }

/** From when to when is searched: without a start, from the midnight before the end. Throws when it is too long. */
export const periodOf = (startDate: Date | undefined, endDate: Date | undefined, now: number): Period => {
  const to = endDate ?? new Date(now)
  const from = startDate ?? midnightBefore(to)
  if (to < from) throw new AppError('invalid-input', 'endDate must not be before startDate')
  if (to > monthsAfter(from)) {
    throw new AppError('invalid-input', `startDate and endDate must be at most ${MONTHS_MAX} months apart`)
  }
  return { from, to }
}

const midnightBefore = (moment: Date): Date => {
  const midnight = new Date(moment)
  midnight.setUTCHours(0, 0, 0, 0)
  return midnight
}

const monthsAfter = (moment: Date): Date => {
  const later = new Date(moment)
  later.setUTCMonth(later.getUTCMonth() + MONTHS_MAX)
  return later
}
