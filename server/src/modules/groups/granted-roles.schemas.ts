import { z } from 'zod'
import { parseDurationMs } from '../../lib/duration.ts'
import { Instant, Timestamp } from '../../platform/http/wire-types.ts'
import { termFields } from '../permissions/term.schemas.ts'
import type { RequestedRole } from './granted-roles.ts'

const ROLES_MAX = 100
/** Every time of which all texts have four digits of year, from 1970 on. */
const TIME_MAX = Date.UTC(10_000, 0) - 1

const RoleSlug = z.string().trim().min(1).max(64).describe('Slug of a predefined or custom role')
const Range = z
  .string()
  .max(100)
  .refine((text) => parseDurationMs(text) !== undefined, 'Temporary range must be a positive number')
  .describe('A number with a unit, as in `30m`, `1h` or `2d`')

// wire: clients fill in the fields of the other kind too; they are not looked at.
const Permanent = z.object({ role: RoleSlug, isTemporary: z.literal(false).default(false) })
const Temporary = z.object({
  role: RoleSlug,
  isTemporary: z.literal(true),
  temporaryMode: z.literal('relative'),
  temporaryRange: Range,
  temporaryAccessStartTime: Instant,
})

type Given = z.output<typeof Permanent> | z.output<typeof Temporary>

const toRequested = (given: Given, context: z.RefinementCtx): RequestedRole => {
  if (!given.isTemporary) return { role: given.role }
  const { role, ...term } = given
  const startsAt = term.temporaryAccessStartTime.getTime()
  const endsAt = startsAt + (parseDurationMs(term.temporaryRange) ?? 0)
  if (startsAt < 0 || endsAt > TIME_MAX) {
    const message = 'A role is held from 1970 at the earliest, until the year 9999 at the latest'
    context.addIssue({ code: 'custom', message, path: ['temporaryAccessStartTime'] })
  }
  return { role, term: { ...term, temporaryAccessEndTime: new Date(endsAt) } }
}

export const RequestedRoles = z.array(z.union([Permanent, Temporary]).transform(toRequested)).max(ROLES_MAX)

const NO_ACCESS = 'no-access'

/** One role for good, or a list of them, which wins. */
export const NewMembership = z.object({ role: RoleSlug.optional(), roles: RequestedRoles.optional() })
export const requestedRoles = ({ role = NO_ACCESS, roles }: z.infer<typeof NewMembership>): RequestedRole[] =>
  roles ?? [{ role }]

export const RoleChanges = z.object({ roles: RequestedRoles.min(1).describe('Replaces all roles') })

/** A role that is held. */
export const HeldRole = z.object({
  id: z.uuid(),
  role: z.string().describe('`custom` for a custom role'),
  customRoleId: z.uuid().nullable(),
  customRoleName: z.string().nullable(),
  customRoleSlug: z.string().nullable(),
  ...termFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
