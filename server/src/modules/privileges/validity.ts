import { AppError, badRequest } from '../../lib/app-error.ts'
import { parseDurationMs } from '../../lib/duration.ts'
import { PERMANENT, type Term, type TermColumns } from '../permissions/term.ts'

/** How long a privilege lasts: for good, or from its start until just before its end. */
export type Validity = typeof PERMANENT | Term

/** What is asked for; what is undefined stays as it was. */
export type ValidityChanges = {
  isTemporary?: boolean | undefined
  temporaryRange?: string | undefined
  temporaryAccessStartTime?: Date | undefined
}

/** What there is already. */
type Before = Pick<TermColumns, 'isTemporary' | 'temporaryRange' | 'temporaryAccessStartTime'>

/** Later years have five digits, which many clients cannot read. */
const END_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

export const newValidity = (requested: ValidityChanges): Validity => changedValidity(PERMANENT, requested)

/** Throws when a period is asked for that neither the request nor what there was before describes. */
export const changedValidity = (before: Before, requested: ValidityChanges): Validity => {
  if (!(requested.isTemporary ?? before.isTemporary)) return PERMANENT
  const range = requested.temporaryRange ?? before.temporaryRange
  const start = requested.temporaryAccessStartTime ?? before.temporaryAccessStartTime
  if (range === null || start === null) throw badRequest('A temporary privilege needs a start time and a range')
  return {
    isTemporary: true,
    temporaryMode: 'relative',
    temporaryRange: range,
    temporaryAccessStartTime: start,
    temporaryAccessEndTime: endOf(start, range),
  }
}

const endOf = (start: Date, range: string): Date => {
  const endMs = start.getTime() + (parseDurationMs(range) ?? NaN)
  if (!(endMs <= END_MS_MAX)) throw new AppError('invalid-input', 'The privilege must end before the year 10000')
  return new Date(endMs)
}
