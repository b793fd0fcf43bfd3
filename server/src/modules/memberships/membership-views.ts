import type { GroupMembership } from './group-memberships.service.ts'
import type { IdentityMembership } from './identity-memberships.service.ts'
import type { MembershipRole } from './project-members.service.ts'
import type { UserMembership } from './user-memberships.service.ts'

/** In the words of the wire. */
export const toRole = ({ membershipId, ...role }: MembershipRole) => ({ ...role, projectMembershipId: membershipId })

export const toGroupMembership = ({ organizationId, name, slug, ...membership }: GroupMembership) => ({
  ...membership,
  group: { id: membership.groupId, name, slug, orgId: organizationId },
})

export const toIdentityMembership = (membership: IdentityMembership) => ({
  id: membership.id,
  projectId: membership.projectId,
  identityId: membership.identityId,
  createdAt: membership.createdAt,
  updatedAt: membership.updatedAt,
  roles: membership.roles,
  lastLoginAuthMethod: membership.lastLoginAuthMethod,
  lastLoginTime: membership.lastLoginAt,
  identity: {
    id: membership.identityId,
    name: membership.name,
    hasDeleteProtection: membership.hasDeleteProtection,
    orgId: membership.organizationId,
    projectId: membership.ownerId,
    authMethods: membership.authMethods,
    activeLockoutAuthMethods: membership.activeLockoutAuthMethods,
    metadata: membership.metadata,
  },
  project: { id: membership.projectId, name: membership.projectName, type: membership.projectType },
})

export const toUserMembership = (membership: UserMembership) => ({
  id: membership.id,
  userId: membership.userId,
  projectId: membership.projectId,
  createdAt: membership.createdAt,
  user: {
    id: membership.userId,
    username: membership.username,
    email: membership.email,
    firstName: membership.firstName,
    lastName: membership.lastName,
    isEmailVerified: membership.isEmailVerified,
    authMethods: ['email'],
    publicKey: null,
  },
  roles: membership.roles,
})
