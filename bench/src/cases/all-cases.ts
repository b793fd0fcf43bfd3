import { abilityChecks } from './ability-checks.ts'
import type { FigureCase, RequestCase } from './case.ts'
import { certificateIssue, ocsp, revocationList, revocations } from './certificates.ts'
import { firstOfLargeGroup, lastOfLargeGroup, membersOfSmallGroup } from './groups.ts'
import { identityGet, tokenValidation } from './identities.ts'
import { login, oidcLogin } from './login.ts'
import { privilegeCreate, privilegeGet, privilegeList } from './privileges.ts'
import { projectBySlug, workspaceBySlug } from './projects.ts'
import {
  list10,
  list100,
  list1000,
  list100Legacy,
  listUnchanged,
  secretBatch,
  secretCreate,
  secretGet,
  secretUpdate,
  secretUpdateOfOne,
} from './secrets.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { streams } from './streams.ts'

/** In the order of the table; those that fill the database come last. */
export const REQUEST_CASES: readonly RequestCase[] = [
  status,
  login,
  oidcLogin,
  tokenValidation,
  identityGet,
  projectBySlug,
  workspaceBySlug,
  secretGet,
  list10,
  list100,
  list100Legacy,
  list1000,
  listUnchanged,
  secretUpdate,
  secretUpdateOfOne,
  secretBatch,
  secretCreate,
  privilegeGet,
  privilegeList,
  privilegeCreate,
  revocationList,
  ocsp,
  certificateIssue,
  membersOfSmallGroup,
  firstOfLargeGroup,
  lastOfLargeGroup,
]

export const FIGURE_CASES: readonly FigureCase[] = [start, abilityChecks, streams, revocations]
