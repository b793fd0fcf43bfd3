import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { NewMembership, requestedRoles, RoleChanges } from '../groups/granted-roles.schemas.ts'
import { ByIdentityId as ByIdentityIdAlone } from '../identities/identities.schemas.ts'
import type { ProjectIdentityService } from './identity-memberships.service.ts'
import { toIdentityMembership } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'

const PATH = '/api/v1/projects/:projectId/memberships/identities'
const ONE = `${PATH}/:identityId` as const
const short = { 200: schemas.PlainIdentityMembershipAnswer }
const endpoint = endpoints({ tag: 'Project identities', auth: ['user', 'identity'] })

export const projectIdentityRoutes =
  (identities: ProjectIdentityService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listProjectIdentityMemberships', {
        params: schemas.InProject,
        querystring: schemas.IdentityMembershipsQuery,
        response: { 200: schemas.IdentityMembershipList },
      }),
      async ({ actor, params, query: { identityName, ...query } }) => {
        const found = await identities.list(actor, params.projectId, {
          ...query,
          name: identityName,
          orderDirection: 'asc',
        })
        return { identityMemberships: found.memberships.map(toIdentityMembership), totalCount: found.totalCount }
      },
    )

    app.post(
      ONE,
      endpoint('addProjectIdentity', {
        params: schemas.ByIdentityId,
        body: optionalBody(NewMembership),
        response: short,
      }),
      async ({ actor, params, body }) => ({
        identityMembership: await identities.add(actor, params, requestedRoles(body)),
      }),
    )

    app.get(
      ONE,
      endpoint('getProjectIdentityMembership', {
        params: schemas.ByIdentityId,
        response: { 200: schemas.IdentityMembershipAnswer },
      }),
      async ({ actor, params }) => ({
        identityMembership: toIdentityMembership(await identities.get(actor, params)),
      }),
    )

    app.patch(
      ONE,
      endpoint('updateProjectIdentityRoles', { params: schemas.ByIdentityId, body: RoleChanges, response: short }),
      async ({ actor, params, body }) => ({
        identityMembership: (await identities.setRoles(actor, params, body.roles)).membership,
      }),
    )

    app.delete(
      ONE,
      endpoint('removeProjectIdentity', { params: schemas.ByIdentityId, response: short }),
      async ({ actor, params }) => ({ identityMembership: await identities.remove(actor, params) }),
    )

    app.get(
      '/api/v1/projects/:projectId/memberships/available-identities',
      endpoint('listAvailableProjectIdentities', {
        auth: ['user'],
        params: schemas.InProject,
        response: { 200: schemas.AvailableIdentities },
      }),
      async ({ actor, params }) => ({ identities: await identities.listAvailable(actor, params.projectId) }),
    )

    app.get(
      '/api/v1/identities/:identityId/identity-memberships',
      endpoint('listProjectsOfIdentity', {
        params: ByIdentityIdAlone,
        response: { 200: schemas.ProjectsOfIdentity },
      }),
      async ({ actor, params }) => ({
        identityMemberships: (await identities.listOfIdentity(actor, params.identityId)).map(toIdentityMembership),
      }),
    )
  }
