import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import * as schemas from './memberships.schemas.ts'
import type { ProjectInviteService } from './project-invites.service.ts'
import { registerProjectMembers } from './user-memberships.routes.ts'
import { Invitation, namesIn, Removal } from './user-memberships.schemas.ts'
import type { ProjectUserService } from './user-memberships.service.ts'

const PATH = '/api/v2/workspace/:projectId/memberships'
const response = { 200: schemas.PlainUserMembershipList }
const endpoint = endpoints({ tag: 'Project members', auth: ['user', 'identity'], legacy: true })

type Services = { users: ProjectUserService; invites: ProjectInviteService }

export const projectUserLegacyRoutes =
  ({ users, invites }: Services): Routes =>
  (app) => {
    registerProjectMembers(app, users, {
      path: '/api/v1/workspace/:projectId/memberships',
      noun: 'WorkspaceMember',
      legacy: true,
    })

    app.post(
      PATH,
      endpoint('inviteWorkspaceMembers', {
        rateClass: 'invite',
        params: schemas.InProject,
        body: Invitation,
        response,
      }),
      async ({ actor, params, body }) => {
        const { roleSlugs } = body
        const invitation = { names: namesIn(body), roleSlugs, organizationRole: 'no-access' }
        return { memberships: await invites.invite(actor, params.projectId, invitation) }
      },
    )

    app.delete(
      PATH,
      endpoint('removeWorkspaceMembers', { params: schemas.InProject, body: optionalBody(Removal), response }),
      async ({ actor, params, body }) => ({
        memberships: await users.removeByName(actor, params.projectId, namesIn(body)),
      }),
    )
  }
