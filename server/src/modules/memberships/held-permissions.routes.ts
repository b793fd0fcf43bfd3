import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { requireUser } from '../organizations/user-actor.ts'
import { packRule } from '../permissions/packed-rules.ts'
import { OwnPermissions, PermissionSources } from './held-permissions.schemas.ts'
import type { HeldPermissionService, PermissionSource } from './held-permissions.service.ts'
import { ByIdentityId, ByMembershipId, InProject } from './memberships.schemas.ts'

const PATH = '/api/v1/projects/:projectId'
const response = { 200: PermissionSources }
const endpoint = endpoints({ tag: 'Project permissions', auth: ['user', 'identity'] })

export const heldPermissionRoutes =
  (permissions: HeldPermissionService): Routes =>
  (app) => {
    app.get(
      `${PATH}/permissions`,
      endpoint('listOwnProjectPermissions', {
        auth: ['user'],
        params: InProject,
        response: { 200: OwnPermissions },
      }),
      async ({ actor, params }) => {
        const { rules, memberships } = await permissions.ofActor(requireUser(actor), params.projectId)
        return {
          data: {
            permissions: rules.map(packRule),
            memberships: memberships.map(({ id, groupId, userId, roles }) => ({
              id,
              ...(groupId !== null && { actorGroupId: groupId }),
              ...(userId !== null && { actorUserId: userId }),
              roles: roles.map((role) => ({ role })),
            })),
          },
        }
      },
    )

    app.get(
      `${PATH}/memberships/identities/:identityId/permissions/audit`,
      endpoint('auditProjectIdentityPermissions', { params: ByIdentityId, response }),
      async ({ actor, params: { projectId, identityId } }) => ({
        sources: (await permissions.auditIdentity(actor, projectId, identityId)).map(toSource),
      }),
    )

    app.get(
      `${PATH}/memberships/:membershipId/permissions/audit`,
      endpoint('auditProjectMemberPermissions', { params: ByMembershipId, response }),
      async ({ actor, params }) => ({ sources: (await permissions.auditUser(actor, params)).map(toSource) }),
    )
  }

const toSource = ({ groupId, groupName, startsAt, endsAt, rules, ...source }: PermissionSource) => ({
  ...source,
  ...(groupId !== null && { groupId }),
  ...(groupName !== null && { groupName }),
  temporaryAccessStartTime: startsAt,
  temporaryAccessEndTime: endsAt,
  permissions: rules.map(packRule),
})
