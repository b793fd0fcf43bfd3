import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { RoleChanges } from './granted-roles.schemas.ts'
import * as schemas from './group-memberships.schemas.ts'
import type { GroupMembership, GroupMembershipService } from './group-memberships.service.ts'

const PATH = '/api/v1/organizations/memberships/groups'
const endpoint = endpoints({ tag: 'Groups', auth: ['user', 'identity'] })

export const groupMembershipRoutes =
  (memberships: GroupMembershipService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listGroupMemberships', {
        querystring: schemas.MembershipsQuery,
        response: { 200: schemas.MembershipList },
      }),
      async ({ actor, query }) => {
        const { memberships: found, totalCount } = await memberships.list(actor, query)
        return { groupMemberships: found.map(toMembership), totalCount }
      },
    )

    app.get(
      `${PATH}/:groupId`,
      endpoint('getGroupMembership', { params: schemas.ByGroupId, response: { 200: schemas.MembershipAnswer } }),
      async ({ actor, params }) => ({ groupMembership: toMembership(await memberships.get(actor, params.groupId)) }),
    )

    app.patch(
      `${PATH}/:groupId`,
      endpoint('updateGroupMembership', {
        auth: ['user'],
        params: schemas.ByGroupId,
        body: RoleChanges,
        response: { 200: schemas.RolesAnswer },
      }),
      async ({ actor, params, body }) => {
        const { roles } = await memberships.setRoles(actor, params.groupId, body.roles)
        return { roles }
      },
    )
  }

const toMembership = ({ organizationId, name, slug, ...membership }: GroupMembership) => ({
  ...membership,
  group: { id: membership.groupId, name, slug, orgId: organizationId },
})
