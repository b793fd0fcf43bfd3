import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { NewMembership, requestedRoles, RoleChanges } from '../groups/granted-roles.schemas.ts'
import type { ProjectGroupService } from './group-memberships.service.ts'
import { toGroupMembership, toRole } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'

const PATH = '/api/v1/projects/:projectId/memberships/groups'
const ONE = `${PATH}/:groupId` as const
const response = { 200: schemas.GroupMembershipAnswer }
const endpoint = endpoints({ tag: 'Project groups', auth: ['user', 'identity'] })

export const projectGroupRoutes =
  (groups: ProjectGroupService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listProjectGroups', { params: schemas.InProject, response: { 200: schemas.GroupMembershipList } }),
      async ({ actor, params }) => ({
        groupMemberships: (await groups.list(actor, params.projectId)).map(toGroupMembership),
      }),
    )

    app.post(
      ONE,
      endpoint('addProjectGroup', { params: schemas.ByGroupId, body: optionalBody(NewMembership), response }),
      async ({ actor, params, body }) => ({
        groupMembership: toGroupMembership(await groups.add(actor, params, requestedRoles(body))),
      }),
    )

    app.get(ONE, endpoint('getProjectGroup', { params: schemas.ByGroupId, response }), async ({ actor, params }) => ({
      groupMembership: toGroupMembership(await groups.get(actor, params)),
    }))

    app.patch(
      ONE,
      endpoint('updateProjectGroupRoles', {
        params: schemas.ByGroupId,
        body: RoleChanges,
        response: { 200: schemas.RolesAnswer },
      }),
      async ({ actor, params, body }) => ({ roles: (await groups.setRoles(actor, params, body.roles)).map(toRole) }),
    )

    app.delete(
      ONE,
      endpoint('removeProjectGroup', {
        params: schemas.ByGroupId,
        response: { 200: schemas.PlainGroupMembershipAnswer },
      }),
      async ({ actor, params }) => ({
        groupMembership: await groups.remove(actor, params),
      }),
    )
  }
