import { z } from 'zod'
import { EVENT_NAMES } from './event-names.ts'

const ENTRIES_MAX = 10
const PATTERN_LENGTH_MAX = 1_024
const SLUG_LENGTH_MAX = 255
const ID_LENGTH_MAX = 255

const Conditions = z.object({
  // wire: whoever names conditions without a path gets the root folder alone.
  secretPath: z
    .string()
    .max(PATTERN_LENGTH_MAX)
    .default('/')
    .describe('Folders to hear of: a path, or a pattern such as /app/**. Empty: all'),
  environmentSlug: z
    .string()
    .max(SLUG_LENGTH_MAX)
    .optional()
    .describe('Environment to hear of. Left out or empty: all, also those to come'),
})

const Entry = z.object({
  event: z.enum(EVENT_NAMES).describe('Kind of change to hear of'),
  conditions: Conditions.optional().describe('Left out: all folders of all environments'),
})

export type Subscription = z.infer<typeof Subscription>
export const Subscription = z.object({
  projectId: z.string().trim().max(ID_LENGTH_MAX).describe('The project whose changes are of interest'),
  register: z
    .array(Entry)
    .min(1)
    .max(ENTRIES_MAX)
    .describe('A change that one of these describes is sent, once however many do'),
})

export const EventStreamText = z
  .string()
  .describe(
    'Server-sent events, without end. Each change is an event whose name is its kind and whose data is JSON; `ping` comes at least every 15 seconds, `error` with a message before the server ends the stream.',
  )
