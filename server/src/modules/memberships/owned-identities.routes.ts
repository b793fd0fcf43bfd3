import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { ByIdentityId, InProject } from './memberships.schemas.ts'
import * as schemas from './owned-identities.schemas.ts'
import type { OwnedIdentity, OwnedIdentityService } from './owned-identities.service.ts'

const PATH = '/api/v1/projects/:projectId/identities'
const ONE = `${PATH}/:identityId` as const
const response = { 200: schemas.OwnedIdentityAnswer }
const endpoint = endpoints({ tag: 'Project identities', auth: ['user', 'identity'] })

export const ownedIdentityRoutes =
  (identities: OwnedIdentityService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createProjectIdentity', {
        rateClass: 'identity-creation',
        params: InProject,
        body: schemas.NewOwnedIdentity,
        response,
      }),
      async ({ actor, params, body }) => ({
        identity: toIdentity(await identities.create(actor, params.projectId, body)),
      }),
    )

    app.get(
      PATH,
      endpoint('listProjectIdentities', {
        params: InProject,
        querystring: schemas.OwnedIdentitiesQuery,
        response: { 200: schemas.OwnedIdentityList },
      }),
      async ({ actor, params, query }) => {
        const { identities: found, totalCount } = await identities.list(actor, params.projectId, query)
        return { identities: found.map(toIdentity), totalCount }
      },
    )

    app.get(ONE, endpoint('getProjectIdentity', { params: ByIdentityId, response }), async ({ actor, params }) => ({
      identity: toIdentity(await identities.get(actor, params)),
    }))

    app.patch(
      ONE,
      endpoint('updateProjectIdentity', {
        params: ByIdentityId,
        body: optionalBody(schemas.OwnedIdentityChanges),
        response,
      }),
      async ({ actor, params, body }) => ({ identity: toIdentity(await identities.update(actor, params, body)) }),
    )

    app.delete(
      ONE,
      endpoint('deleteProjectIdentity', { params: ByIdentityId, response }),
      async ({ actor, params }) => ({ identity: toIdentity(await identities.delete(actor, params)) }),
    )
  }

const toIdentity = ({ organizationId, ...identity }: OwnedIdentity) => ({ ...identity, orgId: organizationId })
