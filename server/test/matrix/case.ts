import type { Furnishing, Place } from './place.ts'

export type ProjectRole = 'admin' | 'member' | 'viewer' | 'no-access'
export type OrganizationRole = 'admin' | 'member' | 'no-access'

export type Values = Partial<Record<string, string>>

/** Path parameters are those of the place, unless named here. A token stands in for that of the caller. */
export type Sent = { path?: Values; query?: Record<string, string>; body?: object; token?: string }

/**
 * Where its target may lie: in a project, in an organization, or with the caller itself, so that there is no other.
 * Open ones let everyone in, and answer a stranger with this status.
 */
type Reach = 'project' | 'organization' | 'caller' | { readonly open: number }

/** One way to call an operation, and whom it lets in: roles in the target's project and in its organization. */
export type Case = {
  readonly reach: Reach
  readonly inProject: readonly ProjectRole[]
  readonly inOrganization: readonly OrganizationRole[]
  /** Tells those who are not in the project nothing of what is in it: 404 instead of 403. */
  readonly isHidden?: true
  /** What tells that the caller was let in, where the call cannot be let succeed. */
  readonly admits?: number
  /** What a project that there is none of is answered with, where that is not 404. */
  readonly unknownProject?: number
  readonly send?: (of: Furnishing) => Sent
  /** Makes what the call uses up. */
  readonly prepare?: (place: Place) => Promise<Partial<Furnishing>>
}

/** By operation id. */
export type Table = Record<string, Case | readonly Case[]>

type Rest = Pick<Case, 'send' | 'prepare' | 'isHidden' | 'admits' | 'unknownProject'>

/** What someone in the project may do there: `inProject('admin member', { … })`. */
export const inProject = (roles: string, rest: Rest = {}): Case => ({
  reach: 'project',
  inProject: words(roles, PROJECT_ROLES),
  inOrganization: [],
  ...rest,
})

/** What someone in the organization may do to something in it that the request names. */
export const inOrganization = (roles: string, rest: Rest = {}): Case => ({
  reach: 'organization',
  inProject: [],
  inOrganization: words(roles, ORGANIZATION_ROLES),
  ...rest,
})

/** What someone in the organization may do to any project of it. */
export const toAnyProject = (roles: string, rest: Rest = {}): Case => ({
  ...inOrganization(roles, rest),
  reach: 'project',
})

/** What someone may do in the organization that the token is for; no other can be named. */
export const inOwnOrganization = (roles: string, rest: Rest = {}): Case => ({
  ...inOrganization(roles, rest),
  reach: 'caller',
})

/** What everyone may do who is logged in, whatever their roles. */
export const signedIn = (rest: Rest = {}): Case => inOwnOrganization('admin member no-access', rest)

/** What none of the roles allows. */
export const nobody = (rest: Rest = {}): Case => inOwnOrganization('', rest)

/** What takes no token, and what it answers to the request of a stranger. */
export const open = (status: number, rest: Rest = {}): Case => ({ ...nobody(rest), reach: { open: status } })

const PROJECT_ROLES: readonly ProjectRole[] = ['admin', 'member', 'viewer', 'no-access']
const ORGANIZATION_ROLES: readonly OrganizationRole[] = ['admin', 'member', 'no-access']

/** Of what is in the text; a word that is none of these is a mistake in the table. */
const words = <Word extends string>(text: string, known: readonly Word[]): readonly Word[] => {
  const found = text.split(' ').filter((word) => word !== '')
  const stranger = found.find((word) => !known.some((candidate) => candidate === word))
  if (stranger !== undefined) throw new Error(`'${stranger}' is no role`)
  return known.filter((word) => found.includes(word))
}
