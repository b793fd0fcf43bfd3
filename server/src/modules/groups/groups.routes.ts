import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toGroup, toGroupWithRole } from './group-views.ts'
import * as schemas from './groups.schemas.ts'
import type { GroupService } from './groups.service.ts'

const PATH = '/api/v1/groups'
const response = { 200: schemas.Group }
const endpoint = endpoints({ tag: 'Groups', auth: ['user', 'identity'] })

export const groupRoutes =
  (groups: GroupService): Routes =>
  (app) => {
    app.post(PATH, endpoint('createGroup', { body: schemas.NewGroup, response }), async ({ actor, body }) =>
      toGroup(await groups.create(actor, body)),
    )

    app.get(PATH, endpoint('listGroups', { response: { 200: schemas.GroupList } }), async ({ actor }) =>
      (await groups.list(actor)).map(toGroupWithRole),
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getGroup', { params: schemas.ById, response: { 200: schemas.GroupWithRole } }),
      async ({ actor, params }) => toGroupWithRole(await groups.get(actor, params.id)),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateGroup', { params: schemas.ById, body: schemas.GroupChanges, response }),
      async ({ actor, params, body }) => toGroup(await groups.update(actor, params.id, body)),
    )

    app.delete(`${PATH}/:id`, endpoint('deleteGroup', { params: schemas.ById, response }), async ({ actor, params }) =>
      toGroup(await groups.delete(actor, params.id)),
    )
  }
