import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { GroupMemberService } from './group-members.service.ts'
import { renderMemberPage } from './group-views.ts'
import * as schemas from './groups.schemas.ts'

const PATH = '/api/v1/groups/:id'
const EVERYONE = ['users', 'machineIdentities'] as const
const endpoint = endpoints({ tag: 'Groups', auth: ['user', 'identity'] })

export const groupMemberRoutes =
  (members: GroupMemberService): Routes =>
  (app) => {
    app.get(
      `${PATH}/members`,
      endpoint('listGroupMembers', {
        params: schemas.ById,
        querystring: schemas.MembersQuery,
        response: { 200: schemas.MemberPage },
        serialize: renderMemberPage,
      }),
      async ({ actor, params, query: { memberTypeFilter, ...query } }) => {
        const types = memberTypeFilter === undefined ? EVERYONE : [...new Set([memberTypeFilter].flat())]
        return members.list(actor, params.id, { ...query, types })
      },
    )

    app.get(
      `${PATH}/users`,
      endpoint('listGroupUsers', {
        summary: 'All users of the organization, told whether they are in the group',
        params: schemas.ById,
        querystring: schemas.UsersQuery,
        response: { 200: schemas.UserPage },
      }),
      async ({ actor, params, query }) => members.listUsers(actor, params.id, query),
    )

    app.get(
      `${PATH}/machine-identities`,
      endpoint('listGroupIdentities', {
        summary: 'All machine identities of the organization, told whether they are in the group',
        params: schemas.ById,
        querystring: schemas.IdentitiesQuery,
        response: { 200: schemas.IdentityPage },
      }),
      async ({ actor, params, query }) => members.listIdentities(actor, params.id, query),
    )

    app.get(
      `${PATH}/projects`,
      endpoint('listGroupProjects', {
        summary: 'All projects of the organization, told since when the group is in them',
        params: schemas.ById,
        querystring: schemas.ProjectsQuery,
        response: { 200: schemas.ProjectPage },
      }),
      async ({ actor, params, query }) => members.listProjects(actor, params.id, query),
    )

    registerChanges(app, members)
  }

const registerChanges = (app: Parameters<Routes>[0], members: GroupMemberService): void => {
  const user = { params: schemas.ByUsername, response: { 200: schemas.UserAnswer } }
  app.post(`${PATH}/users/:username`, endpoint('addUserToGroup', user), async ({ actor, params }) =>
    members.addUser(actor, params.id, params.username),
  )
  app.delete(`${PATH}/users/:username`, endpoint('removeUserFromGroup', user), async ({ actor, params }) =>
    members.removeUser(actor, params.id, params.username),
  )

  const identity = { params: schemas.ByIdentityId, response: { 200: schemas.IdentityAnswer } }
  const path = `${PATH}/machine-identities/:machineIdentityId` as const
  app.post(path, endpoint('addIdentityToGroup', identity), async ({ actor, params }) =>
    members.addIdentity(actor, params.id, params.machineIdentityId),
  )
  app.delete(path, endpoint('removeIdentityFromGroup', identity), async ({ actor, params }) =>
    members.removeIdentity(actor, params.id, params.machineIdentityId),
  )
}
