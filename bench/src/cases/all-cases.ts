import { abilityChecks } from './ability-checks.ts'
import type { FigureCase, RequestCase } from './case.ts'
import { firstOfLargeGroup, lastOfLargeGroup, membersOfSmallGroup } from './groups.ts'
import { identityGet, tokenValidation } from './identities.ts'
import { login } from './login.ts'
import { privilegeCreate, privilegeGet, privilegeList } from './privileges.ts'
import { projectBySlug, workspaceBySlug } from './projects.ts'
import { start } from './start.ts'
import { status } from './status.ts'

/** In the order of the table; those that fill the database come last. */
export const REQUEST_CASES: readonly RequestCase[] = [
  status,
  login,
  tokenValidation,
  identityGet,
  projectBySlug,
  workspaceBySlug,
  privilegeGet,
  privilegeList,
  privilegeCreate,
  membersOfSmallGroup,
  firstOfLargeGroup,
  lastOfLargeGroup,
]

export const FIGURE_CASES: readonly FigureCase[] = [start, abilityChecks]
