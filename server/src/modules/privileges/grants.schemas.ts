import { z } from 'zod'
import { isUuid } from '../../lib/uuid.ts'
import { emptyAsAbsent, Instant, Timestamp } from '../../platform/http/wire-types.ts'

const PAGE_MAX = 500

/** Where the last page ended. */
const Cursor = z
  .string()
  .max(100)
  .transform((text, context) => {
    const [time = '', id = ''] = text.split('_')
    const endsAt = new Date(time)
    if (!Number.isNaN(endsAt.getTime()) && isUuid(id)) return { endsAt, id }
    context.addIssue({ code: 'custom', message: 'This is no cursor that a page ended with' })
    return z.NEVER
  })

export const InProject = z.object({ projectId: z.string().trim().toLowerCase().describe('Id of the project') })

export type GrantQuery = z.infer<typeof GrantQuery>
export const GrantQuery = z.object({
  from: emptyAsAbsent(Instant).describe('Default: now'),
  to: emptyAsAbsent(Instant).describe('Default: seven days after the start. At most 366 days after it'),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(100),
  cursor: emptyAsAbsent(Cursor).describe('`nextCursor` of the page before'),
})

const Grant = z.object({
  id: z.uuid(),
  kind: z.enum(['role', 'privilege']),
  slug: z.string().describe('Of the role or of the privilege'),
  holder: z.object({ type: z.enum(['user', 'identity', 'group']), id: z.uuid(), name: z.string() }),
  startsAt: Timestamp,
  endsAt: Timestamp,
  isActive: z.boolean().describe('Whether it can be used now'),
})

export const GrantList = z.object({ grants: z.array(Grant), nextCursor: z.string().nullable() })
