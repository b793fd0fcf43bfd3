import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toGroupWithRole } from './group-views.ts'
import * as schemas from './groups.schemas.ts'
import type { GroupService } from './groups.service.ts'

const endpoint = endpoints({ tag: 'Groups', auth: ['user', 'identity'], legacy: true })

export const groupLegacyRoutes =
  (groups: GroupService): Routes =>
  (app) => {
    app.get(
      '/api/v1/organization/:organizationId/groups',
      endpoint('listOrganizationGroups', {
        params: schemas.ByOrganizationId,
        response: { 200: schemas.OrganizationGroupList },
      }),
      async ({ actor, params }) => ({
        groups: (await groups.list(actor, params.organizationId)).map(toGroupWithRole),
      }),
    )

    app.get(
      '/api/v1/organization/available-groups',
      endpoint('listAvailableGroups', { response: { 200: schemas.AvailableGroupList } }),
      // Those of an organization above: organizations stand side by side.
      () => ({ groups: [] }),
    )
  }
