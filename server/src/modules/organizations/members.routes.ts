import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByMembershipId, MemberAnswer, MemberChanges, MemberList, OlderMemberList } from './members.schemas.ts'
import type { Member, MemberWithMetadata, OrganizationMemberService } from './members.service.ts'
import { ByOrganizationId } from './organizations.schemas.ts'

const PATH = '/api/v2/organizations/:organizationId/memberships'
const response = { 200: MemberAnswer }
const endpoint = endpoints({ tag: 'Organization members', auth: ['user', 'identity'] })

export const organizationMemberRoutes =
  (members: OrganizationMemberService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listOrganizationMembers', { params: ByOrganizationId, response: { 200: MemberList } }),
      async ({ actor, params }) => ({ users: (await members.list(actor, params.organizationId)).map(onWire) }),
    )

    app.get(
      '/api/v1/organization/:organizationId/users',
      endpoint('listOrganizationUsers', {
        auth: ['user'],
        legacy: true,
        params: ByOrganizationId,
        response: { 200: OlderMemberList },
      }),
      async ({ actor, params }) => ({ users: (await members.list(actor, params.organizationId)).map(onWire) }),
    )

    app.get(
      `${PATH}/:membershipId`,
      endpoint('getOrganizationMember', { params: ByMembershipId, response }),
      async ({ actor, params }) => ({
        membership: onWire(await members.get(actor, params.organizationId, params.membershipId)),
      }),
    )

    app.patch(
      `${PATH}/:membershipId`,
      endpoint('updateOrganizationMember', { auth: ['user'], params: ByMembershipId, body: MemberChanges, response }),
      async ({ actor, params, body }) => ({
        membership: onWire(await members.update(actor, params.organizationId, params.membershipId, body)),
      }),
    )

    app.delete(
      `${PATH}/:membershipId`,
      endpoint('deleteOrganizationMember', { auth: ['user'], params: ByMembershipId, response }),
      async ({ actor, params }) => ({
        membership: onWire(await members.remove(actor, params.organizationId, params.membershipId)),
      }),
    )
  }

const onWire = (member: Member | MemberWithMetadata) => ({
  ...member,
  role: member.role ?? 'no-access',
  roleId: member.customRoleId,
  customRoleSlug: member.customRoleSlug ?? undefined,
  orgId: member.organizationId,
  userId: member.memberId,
  projectFavorites: null,
  lastLoginTime: member.lastLoginAt,
  user: {
    id: member.memberId,
    username: member.username,
    email: member.email,
    firstName: member.firstName,
    lastName: member.lastName,
    publicKey: null,
    superAdmin: member.isInstanceAdmin,
    isEmailVerified: member.isEmailVerified,
    authMethods: ['email'],
  },
})
