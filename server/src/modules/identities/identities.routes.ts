import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as schemas from './identities.schemas.ts'
import type { IdentityService } from './identities.service.ts'
import { renderLong, toIdentity, toList, toLongList, toMembership } from './identity-views.ts'

const PATH = '/api/v1/identities'
const endpoint = endpoints({ tag: 'Machine identities', auth: ['user', 'identity'] })

export const identityRoutes =
  (identities: IdentityService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createIdentity', {
        body: schemas.NewIdentity,
        response: { 200: schemas.CreatedIdentityAnswer },
        rateClass: 'identity-creation',
      }),
      async ({ actor, body }) => {
        const { metadata, ...identity } = await identities.create(actor, body)
        return { identity: { ...toIdentity(identity), authMethods: [], metadata } }
      },
    )

    app.patch(
      `${PATH}/:identityId`,
      endpoint('updateIdentity', {
        params: schemas.ByIdentityId,
        body: schemas.IdentityChanges,
        response: { 200: schemas.UpdatedIdentityAnswer },
      }),
      async ({ actor, params, body }) => {
        const { metadata, ...identity } = await identities.update(actor, params.identityId, body)
        return { identity: { ...toIdentity(identity), metadata } }
      },
    )

    app.delete(
      `${PATH}/:identityId`,
      endpoint('deleteIdentity', { params: schemas.ByIdentityId, response: { 200: schemas.IdentityAnswer } }),
      async ({ actor, params }) => ({ identity: toIdentity(await identities.delete(actor, params.identityId)) }),
    )

    app.get(
      `${PATH}/:identityId`,
      endpoint('getIdentity', { params: schemas.ByIdentityId, response: { 200: schemas.IdentityMembershipAnswer } }),
      async ({ actor, params }) => ({ identity: toMembership(await identities.get(actor, params.identityId)) }),
    )

    app.get(
      PATH,
      endpoint('listIdentities', {
        querystring: schemas.ListQuery,
        response: { 200: schemas.IdentityMembershipList },
        serialize: renderLong,
      }),
      async ({ actor, query }) => toLongList(await identities.list(actor, query.orgId)),
    )

    app.post(
      `${PATH}/search`,
      endpoint('searchIdentities', {
        body: schemas.IdentitySearch,
        response: { 200: schemas.IdentityMembershipList },
        rateClass: 'read',
      }),
      async ({ actor, body }) => toList(await identities.search(actor, body)),
    )

    app.get(
      '/api/v1/identities/details',
      endpoint('getOwnIdentityDetails', {
        summary: 'The organization of the identity that asks',
        auth: ['identity'],
        response: {
          200: z.object({
            identityDetails: z.object({ organization: z.object({ id: z.uuid(), name: z.string(), slug: z.string() }) }),
          }),
        },
      }),
      async ({ actor }) => ({ identityDetails: { organization: await identities.organizationOf(actor) } }),
    )
  }
