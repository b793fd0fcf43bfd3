import { renderInSlices } from '../../platform/http/sliced-json.ts'
import { timesOf } from '../permissions/term.ts'
import * as schemas from './identities.schemas.ts'
import type { Identity } from './identities.store.ts'
import type { HeldRole, IdentityMembership } from './identity-memberships.store.ts'

/** In the words of the wire. */
export const toIdentity = ({ organizationId, ...identity }: Identity) => ({
  ...identity,
  orgId: organizationId,
  authMethod: null,
})

export const toMembership = ({ roles: [role], ...membership }: IdentityMembership) => ({
  ...toPlainMembership(membership),
  role: role?.role ?? 'no-access',
  roleId: role?.customRoleId ?? null,
  ...(role && role.customRoleId !== null && { customRole: toCustomRole(role, role.customRoleId) }),
})

type Found = { identities: readonly IdentityMembership[]; totalCount: number }

export const toList = ({ identities, totalCount }: Found) => ({ identities: identities.map(toMembership), totalCount })

/** Texts of lists that are too long to be rendered in one go. */
const texts = new WeakMap<object, string>()
export const renderLong = (list: object): string => texts.get(list) ?? ''

/** With its text already made, for `renderLong`. */
export const toLongList = async (found: Found) => {
  const list = toList(found)
  texts.set(list, `{"identities":${await renderAll(list.identities)},"totalCount":${list.totalCount}}`)
  return list
}

export const toLongMembershipList = async (found: Found) => {
  const { identities: identityMemberships, totalCount } = toList(found)
  const list = { identityMemberships, totalCount }
  texts.set(list, `{"identityMemberships":${await renderAll(identityMemberships)},"totalCount":${totalCount}}`)
  return list
}

const renderAll = (memberships: readonly ReturnType<typeof toMembership>[]) =>
  renderInSlices(schemas.IdentityMembership, memberships)

/** For the paths that only people use. */
export const toOrganizationIdentity = (membership: IdentityMembership) => ({
  id: membership.identityId,
  name: membership.name,
  orgId: membership.organizationId,
  projectId: null,
  createdAt: membership.identityCreatedAt,
  updatedAt: membership.identityUpdatedAt,
  hasDeleteProtection: membership.hasDeleteProtection,
  authMethods: membership.authMethods,
  metadata: membership.metadata,
})

/** Where it is shown with all its roles. */
export const toScopedMembership = ({ roles, ...membership }: IdentityMembership) => ({
  ...toPlainMembership(membership),
  scope: 'organization' as const,
  roles: roles.map(toRole),
})

const toPlainMembership = ({
  organizationId: orgId,
  lastLoginAt,
  ...membership
}: Omit<IdentityMembership, 'roles'>) => {
  const { name, hasDeleteProtection, authMethods, activeLockoutAuthMethods, ...rest } = membership
  return {
    ...rest,
    orgId,
    lastLoginTime: lastLoginAt,
    identity: { id: rest.identityId, name, hasDeleteProtection, orgId, authMethods, activeLockoutAuthMethods },
  }
}

export const toRole = (role: HeldRole) => ({ ...role, ...timesOf(role) })

const toCustomRole = (role: HeldRole, id: string) => ({
  id,
  name: role.customRoleName ?? '',
  slug: role.customRoleSlug ?? '',
  permissions: role.customRolePermissions,
  description: role.customRoleDescription,
})
