import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as schemas from './identities.schemas.ts'
import type { IdentityService } from './identities.service.ts'
import { renderLong, toLongMembershipList, toScopedMembership } from './identity-views.ts'

const endpoint = endpoints({ tag: 'Machine identities', auth: ['user', 'identity'] })

/** Lists that reach over scopes. What the caller may not look at is left out, not refused. */
export const scopedIdentityRoutes =
  (identities: IdentityService): Routes =>
  (app) => {
    app.post(
      '/api/v2/identities/search',
      endpoint('searchIdentitiesByScope', {
        body: schemas.ScopedIdentitySearch,
        response: { 200: schemas.ScopedIdentityList },
        rateClass: 'read',
      }),
      async ({ actor, body: { scope, ...search } }) => {
        if (!scope.includes('organization') || !(await identities.mayList(actor)))
          return { identities: [], totalCount: 0 }
        const found = await identities.search(actor, search)
        return { identities: found.identities.map(toScopedMembership), totalCount: found.totalCount }
      },
    )

    app.post(
      '/api/v2/identities/search/count',
      endpoint('countIdentitiesByScope', {
        body: schemas.IdentityCountQuery,
        response: { 200: schemas.IdentityCounts },
        rateClass: 'read',
      }),
      async ({ actor, body: { scope, search } }) => ({
        counts: {
          ...(scope.includes('organization') && {
            organization: (await identities.mayList(actor)) ? await identities.count(actor, search) : 0,
          }),
          ...(scope.includes('project') && { project: 0 }),
        },
      }),
    )

    app.get(
      '/api/v2/organizations/:orgId/identity-memberships',
      endpoint('listOrganizationIdentityMemberships', {
        params: schemas.ByOrganizationId,
        querystring: schemas.OrganizationMembershipQuery,
        response: { 200: schemas.OrganizationMembershipList },
        serialize: renderLong,
      }),
      async ({ actor, params: { orgId }, query: { search, ...page } }) => {
        const criteria = search ? { name: { $contains: search } } : undefined
        const found = await identities.search(actor, { ...page, search: criteria }, orgId)
        return toLongMembershipList(found)
      },
    )
  }
