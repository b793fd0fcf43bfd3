import { endpoints } from '../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { toRole, toUserMembership } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'
import type { ProjectInviteService } from './project-invites.service.ts'
import { ByUsername, Invitation, namesIn, Removal, UserRoleChanges } from './user-memberships.schemas.ts'
import type { ProjectUserService } from './user-memberships.service.ts'

const PATH = '/api/v1/projects/:projectId/memberships'
const full = { 200: schemas.UserMembershipAnswer }
const short = { 200: schemas.PlainUserMembershipAnswer }
const shortList = { 200: schemas.PlainUserMembershipList }
const endpoint = endpoints({ tag: 'Project members', auth: ['user', 'identity'] })

type Services = { users: ProjectUserService; invites: ProjectInviteService }

export const projectUserRoutes =
  ({ users, invites }: Services): Routes =>
  (app) => {
    registerProjectMembers(app, users, { path: PATH, noun: 'ProjectMember' })

    app.post(
      PATH,
      endpoint('inviteProjectMembers', {
        rateClass: 'invite',
        params: schemas.InProject,
        body: Invitation,
        response: shortList,
      }),
      async ({ actor, params, body }) => ({
        memberships: await invites.invite(actor, params.projectId, {
          names: namesIn(body),
          roleSlugs: body.roleSlugs,
        }),
      }),
    )

    app.delete(
      PATH,
      endpoint('removeProjectMembers', { params: schemas.InProject, body: optionalBody(Removal), response: shortList }),
      async ({ actor, params, body }) => ({
        memberships: await users.removeByName(actor, params.projectId, namesIn(body)),
      }),
    )

    app.delete(
      '/api/v1/projects/:projectId/leave',
      endpoint('leaveProject', { auth: ['user'], params: schemas.InProject, response: short }),
      async ({ actor, params }) => ({ membership: await users.leave(actor, params.projectId) }),
    )

    app.get(
      '/api/v1/projects/:projectId/user/:userId/membership',
      endpoint('getProjectMemberByUser', { params: schemas.ByUserId, response: full }),
      async ({ actor, params }) => ({
        membership: toUserMembership(await users.getByUser(actor, params.projectId, params.userId)),
      }),
    )
  }

type Family = { path: typeof PATH | '/api/v1/workspace/:projectId/memberships'; noun: string; legacy?: true }

/** The same under each of its paths. */
export const registerProjectMembers = (
  app: HttpServer,
  users: ProjectUserService,
  { path, noun, ...rest }: Family,
): void => {
  const one = `${path}/:membershipId` as const

  app.get(
    path,
    endpoint(`list${noun}s`, { ...rest, params: schemas.InProject, response: { 200: schemas.UserMembershipList } }),
    async ({ actor, params }) => ({
      memberships: (await users.list(actor, params.projectId)).map(toUserMembership),
    }),
  )

  app.get(
    one,
    endpoint(`get${noun}`, { ...rest, params: schemas.ByMembershipId, response: full }),
    async ({ actor, params }) => ({ membership: toUserMembership(await users.get(actor, params)) }),
  )

  app.post(
    `${path}/details`,
    endpoint(`get${noun}ByUsername`, {
      ...rest,
      rateClass: 'read',
      params: schemas.InProject,
      body: ByUsername,
      response: full,
    }),
    async ({ actor, params, body }) => ({
      membership: toUserMembership(await users.getByUsername(actor, params.projectId, body.username)),
    }),
  )

  app.patch(
    one,
    endpoint(`update${noun}Roles`, {
      ...rest,
      params: schemas.ByMembershipId,
      body: UserRoleChanges,
      response: { 200: schemas.RolesAnswer },
    }),
    async ({ actor, params, body }) => ({ roles: (await users.setRoles(actor, params, body.roles)).map(toRole) }),
  )

  app.delete(
    one,
    endpoint(`remove${noun}`, { ...rest, params: schemas.ByMembershipId, response: short }),
    async ({ actor, params }) => ({ membership: await users.remove(actor, params) }),
  )
}
