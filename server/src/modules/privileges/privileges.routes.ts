import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { PrivilegeLookup } from './privilege-lookup.service.ts'
import { renderAnswer, renderList, toAnswer, toList } from './privilege-views.ts'
import * as schemas from './privileges.schemas.ts'
import type { PrivilegeService } from './privileges.service.ts'

const PATH = '/api/v2/identity-project-additional-privilege'
const response = { 200: schemas.PrivilegeAnswer }
const endpoint = endpoints({ tag: 'Identity privileges', auth: ['user', 'identity'] })

type Services = { privileges: PrivilegeService; privilegeLookup: PrivilegeLookup }

export const privilegeRoutes =
  ({ privileges, privilegeLookup }: Services): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createIdentityPrivilege', { body: schemas.NewPrivilege, response }),
      async ({ actor, body: { permissions, type, ...privilege } }) =>
        toAnswer(
          await privileges.create(actor, { ...privilege, granted: { permissions, requested: null }, validity: type }),
        ),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateIdentityPrivilege', { params: schemas.ById, body: schemas.PrivilegeChanges, response }),
      async ({ actor, params, body: { slug, permissions, type } }) =>
        toAnswer(
          await privileges.update(actor, params, {
            slug,
            granted: permissions && { permissions, requested: null },
            validity: type,
          }),
        ),
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getIdentityPrivilege', { params: schemas.ById, response, serialize: renderAnswer }),
      async ({ actor, params }) => toAnswer(await privilegeLookup.get(actor, params)),
    )

    app.get(
      `${PATH}/slug/:privilegeSlug`,
      endpoint('getIdentityPrivilegeBySlug', {
        params: schemas.BySlug,
        querystring: schemas.OfIdentityInProject,
        response,
        serialize: renderAnswer,
      }),
      async ({ actor, params, query }) =>
        toAnswer(await privilegeLookup.get(actor, { ...query, slug: params.privilegeSlug })),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteIdentityPrivilege', { params: schemas.ById, response }),
      async ({ actor, params }) => toAnswer(await privileges.delete(actor, params)),
    )

    app.get(
      PATH,
      endpoint('listIdentityPrivileges', {
        querystring: schemas.OfIdentity,
        response: { 200: schemas.PrivilegeList },
        serialize: renderList,
      }),
      async ({ actor, query }) => toList(await privilegeLookup.list(actor, query)),
    )
  }
