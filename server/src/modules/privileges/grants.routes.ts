import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { GrantList, GrantQuery, InProject } from './grants.schemas.ts'
import type { TemporaryGrantService } from './grants.service.ts'

const endpoint = endpoints({ tag: 'Temporary grants', auth: ['user', 'identity'] })

export const temporaryGrantRoutes =
  (grants: TemporaryGrantService): Routes =>
  (app) => {
    app.get(
      '/api/x/projects/:projectId/grants',
      endpoint('listTemporaryGrants', {
        summary: 'Roles and privileges that start or end within a window, by their end',
        params: InProject,
        querystring: GrantQuery,
        response: { 200: GrantList },
      }),
      async ({ actor, params, query }) => grants.list(actor, params.projectId, query),
    )
  }
