import { endpoints } from '../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { toRole, toUserMembership } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'
import type { ProjectInviteService } from './project-invites.service.ts'
import { ByUsername, Invitation, namesIn, Removal, UserRoleChanges } from './user-memberships.schemas.ts'
import type { ProjectUserService } from './user-memberships.service.ts'

const PATH = '/api/v1/workspace/:projectId/memberships'
const ONE = `${PATH}/:membershipId` as const
const NEWER_PATH = '/api/v2/workspace/:projectId/memberships'
const full = { 200: schemas.UserMembershipAnswer }
const endpoint = endpoints({ tag: 'Project members', auth: ['user', 'identity'], legacy: true })

type Services = { users: ProjectUserService; invites: ProjectInviteService }

export const projectUserLegacyRoutes =
  ({ users, invites }: Services): Routes =>
  (app) => {
    registerReads(app, users)

    app.post(
      NEWER_PATH,
      endpoint('inviteWorkspaceMembers', {
        rateClass: 'invite',
        params: schemas.InProject,
        body: Invitation,
        response: { 200: schemas.PlainUserMembershipList },
      }),
      async ({ actor, params, body }) => {
        const { roleSlugs } = body
        const invitation = { names: namesIn(body), roleSlugs, organizationRole: 'no-access' }
        return { memberships: await invites.invite(actor, params.projectId, invitation) }
      },
    )

    app.patch(
      ONE,
      endpoint('updateWorkspaceMemberRoles', {
        params: schemas.ByMembershipId,
        body: UserRoleChanges,
        response: { 200: schemas.RolesAnswer },
      }),
      async ({ actor, params, body }) => ({ roles: (await users.setRoles(actor, params, body.roles)).map(toRole) }),
    )

    app.delete(
      NEWER_PATH,
      endpoint('removeWorkspaceMembers', {
        params: schemas.InProject,
        body: optionalBody(Removal),
        response: { 200: schemas.PlainUserMembershipList },
      }),
      async ({ actor, params, body }) => ({
        memberships: await users.removeByName(actor, params.projectId, namesIn(body)),
      }),
    )

    app.delete(
      ONE,
      endpoint('removeWorkspaceMember', {
        params: schemas.ByMembershipId,
        response: { 200: schemas.PlainUserMembershipAnswer },
      }),
      async ({ actor, params }) => ({ membership: await users.remove(actor, params) }),
    )
  }

const registerReads = (app: HttpServer, users: ProjectUserService): void => {
  app.get(
    PATH,
    endpoint('listWorkspaceMembers', { params: schemas.InProject, response: { 200: schemas.UserMembershipList } }),
    async ({ actor, params }) => ({
      memberships: (await users.list(actor, params.projectId)).map(toUserMembership),
    }),
  )

  app.get(
    ONE,
    endpoint('getWorkspaceMember', { params: schemas.ByMembershipId, response: full }),
    async ({ actor, params }) => ({ membership: toUserMembership(await users.get(actor, params)) }),
  )

  app.post(
    `${PATH}/details`,
    endpoint('getWorkspaceMemberByUsername', {
      rateClass: 'read',
      params: schemas.InProject,
      body: ByUsername,
      response: full,
    }),
    async ({ actor, params, body }) => ({
      membership: toUserMembership(await users.getByUsername(actor, params.projectId, body.username)),
    }),
  )
}
