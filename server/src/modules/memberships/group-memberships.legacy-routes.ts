import { endpoints } from '../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { NewMembership, requestedRoles, RoleChanges } from '../groups/granted-roles.schemas.ts'
import { UserPage, UsersQuery } from '../groups/groups.schemas.ts'
import type { ProjectGroupService } from './group-memberships.service.ts'
import { toGroupMembership, toRole } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'

const endpoint = endpoints({ tag: 'Project groups', auth: ['user', 'identity'], legacy: true })
const short = { 200: schemas.PlainGroupMembershipAnswer }

type Twin = { path: '/api/v2/workspace/:projectId/groups' | '/api/v1/projects/:projectId/groups'; noun: string }

export const projectGroupLegacyRoutes =
  (groups: ProjectGroupService): Routes =>
  (app) => {
    register(app, groups, { path: '/api/v2/workspace/:projectId/groups', noun: 'WorkspaceGroup' })
    register(app, groups, { path: '/api/v1/projects/:projectId/groups', noun: 'OlderProjectGroup' })
  }

const register = (app: HttpServer, groups: ProjectGroupService, { path, noun }: Twin): void => {
  const one = `${path}/:groupId` as const
  app.get(
    path,
    endpoint(`list${noun}s`, { params: schemas.InProject, response: { 200: schemas.GroupMembershipList } }),
    async ({ actor, params }) => ({
      groupMemberships: (await groups.list(actor, params.projectId)).map(toGroupMembership),
    }),
  )

  app.post(
    `${path}/:groupIdOrName`,
    endpoint(`add${noun}`, { params: schemas.ByGroupIdOrName, body: optionalBody(NewMembership), response: short }),
    async ({ actor, params: { projectId, groupIdOrName: idOrName }, body }) => {
      const roles = requestedRoles(body)
      return { groupMembership: await groups.addByIdOrName(actor, projectId, { idOrName, roles }) }
    },
  )

  app.get(
    one,
    endpoint(`get${noun}`, { params: schemas.ByAnyGroupId, response: { 200: schemas.GroupMembershipAnswer } }),
    async ({ actor, params }) => ({ groupMembership: toGroupMembership(await groups.get(actor, params)) }),
  )

  app.patch(
    one,
    endpoint(`update${noun}Roles`, {
      params: schemas.ByAnyGroupId,
      body: RoleChanges,
      response: { 200: schemas.RolesAnswer },
    }),
    async ({ actor, params, body }) => ({ roles: (await groups.setRoles(actor, params, body.roles)).map(toRole) }),
  )

  app.delete(
    one,
    endpoint(`remove${noun}`, { params: schemas.ByAnyGroupId, response: short }),
    async ({ actor, params }) => ({
      groupMembership: await groups.remove(actor, params),
    }),
  )

  app.get(
    `${one}/users`,
    endpoint(`list${noun}Users`, {
      params: schemas.ByAnyGroupId,
      querystring: UsersQuery,
      response: { 200: UserPage },
    }),
    async ({ actor, params, query }) => groups.listUsers(actor, params, query),
  )
}
