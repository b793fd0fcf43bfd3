import { optionalBody } from '../../platform/http/wire-types.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as schemas from './identities.schemas.ts'
import type { IdentityService } from './identities.service.ts'
import { toIdentity, toOrganizationIdentity } from './identity-views.ts'

const PATH = '/api/v1/organization/identities'
const ONE = `${PATH}/:identityId`
const endpoint = endpoints({ tag: 'Machine identities', auth: ['user'] })
const response = { 200: schemas.OrganizationIdentityAnswer }

/** The same identities for people alone: without roles, which their memberships have. */
export const organizationIdentityRoutes =
  (identities: IdentityService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createOrganizationIdentity', { body: schemas.NewOrganizationIdentity, response }),
      async ({ actor, body }) => {
        const organizationId = actor.organizationId ?? ''
        const identity = await identities.create(actor, { ...body, organizationId, role: 'no-access' })
        return { identity: { ...toIdentity(identity), metadata: identity.metadata } }
      },
    )

    app.get(
      PATH,
      endpoint('listOrganizationIdentities', {
        querystring: schemas.OrganizationIdentityQuery,
        response: { 200: schemas.OrganizationIdentityList },
      }),
      async ({ actor, query: { search, ...page } }) => {
        const criteria = search ? { name: { $contains: search } } : undefined
        const found = await identities.search(actor, {
          ...page,
          orderBy: 'name',
          orderDirection: 'asc',
          search: criteria,
        })
        return { identities: found.identities.map(toOrganizationIdentity), totalCount: found.totalCount }
      },
    )

    app.get(
      ONE,
      endpoint('getOrganizationIdentity', { params: schemas.ByIdentityId, response }),
      async ({ actor, params }) => ({
        identity: toOrganizationIdentity(await identities.get(actor, params.identityId)),
      }),
    )

    app.patch(
      ONE,
      endpoint('updateOrganizationIdentity', {
        params: schemas.ByIdentityId,
        body: optionalBody(schemas.OrganizationIdentityChanges),
        response,
      }),
      async ({ actor, params, body }) => {
        await identities.update(actor, params.identityId, body)
        return { identity: toOrganizationIdentity(await identities.get(actor, params.identityId)) }
      },
    )

    app.delete(
      ONE,
      endpoint('deleteOrganizationIdentity', { params: schemas.ByIdentityId, response }),
      async ({ actor, params }) => ({
        identity: toIdentity(await identities.delete(actor, params.identityId)),
      }),
    )
  }
