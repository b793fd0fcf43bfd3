import { z } from 'zod'
import { NullableTimestamp } from '../../platform/http/wire-types.ts'

/** What every answer says of how long something is held. */
export const termFields = {
  isTemporary: z.boolean(),
  temporaryMode: z.string().nullable(),
  temporaryRange: z.string().nullable(),
  temporaryAccessStartTime: NullableTimestamp,
  temporaryAccessEndTime: NullableTimestamp,
}
