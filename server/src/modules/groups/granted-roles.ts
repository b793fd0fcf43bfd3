import { badRequest } from '../../lib/app-error.ts'
import type { Term } from '../permissions/term.ts'

/** A role by its slug, for good unless it has a term. */
export type RequestedRole = { role: string; term?: Term | undefined }

type Recipient = 'Group' | 'Identity' | 'User'

/** Whoever holds nothing for good would one day be a member of nothing. */
export const requirePermanentRole = (roles: readonly RequestedRole[], recipient: Recipient): void => {
  if (!roles.some(({ term }) => term === undefined))
    throw badRequest(`${recipient} must have at least one permanent role`)
}

/** For the audit log. */
export const describeRoles = (roles: readonly RequestedRole[]) =>
  roles.map(({ role, term }) =>
    term
      ? {
          role,
          isTemporary: true,
          temporaryMode: term.temporaryMode,
          temporaryRange: term.temporaryRange,
          temporaryAccessStartTime: term.temporaryAccessStartTime,
        }
      : { role, isTemporary: false },
  )
