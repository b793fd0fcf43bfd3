import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as legacy from './legacy-privileges.schemas.ts'
import type { PrivilegeLookup } from './privilege-lookup.service.ts'
import { toGranted, toLegacy } from './privilege-views.ts'
import { BySlug, OfIdentityInProject } from './privileges.schemas.ts'
import type { PrivilegeService } from './privileges.service.ts'

const PATH = '/api/v1/additional-privilege/identity'
const response = { 200: legacy.LegacyPrivilegeAnswer }
const endpoint = endpoints({ tag: 'Identity privileges', auth: ['user', 'identity'], legacy: true })

type Services = { privileges: PrivilegeService; privilegeLookup: PrivilegeLookup }

export const privilegeLegacyRoutes =
  ({ privileges, privilegeLookup }: Services): Routes =>
  (app) => {
    app.post(
      `${PATH}/permanent`,
      endpoint('createPermanentIdentityPrivilege', { body: legacy.NewPermanentPrivilege, response }),
      async ({ actor, body: { projectSlug, identityId, slug, ...permissions } }) => {
        const privilege = { identityId, slug, granted: toGranted(permissions), validity: { isTemporary: false } }
        return { privilege: toLegacy(await privileges.createInProject(actor, projectSlug, privilege)) }
      },
    )

    app.post(
      `${PATH}/temporary`,
      endpoint('createTemporaryIdentityPrivilege', { body: legacy.NewTemporaryPrivilege, response }),
      async ({ actor, body }) => {
        const { projectSlug, identityId, slug, temporaryRange, temporaryAccessStartTime } = body
        const validity = { isTemporary: true, temporaryRange, temporaryAccessStartTime }
        const privilege = { identityId, slug, granted: toGranted(body), validity }
        return { privilege: toLegacy(await privileges.createInProject(actor, projectSlug, privilege)) }
      },
    )

    app.patch(
      PATH,
      endpoint('updateIdentityPrivilegeBySlug', { body: legacy.PrivilegeUpdate, response }),
      async ({ actor, body: { privilegeSlug, privilegeDetails, ...place } }) => {
        const { slug, isTemporary, temporaryRange, temporaryAccessStartTime } = privilegeDetails
        const validity = { isTemporary, temporaryRange, temporaryAccessStartTime }
        const changes = { slug, granted: toGranted(privilegeDetails), validity }
        return { privilege: toLegacy(await privileges.update(actor, { ...place, slug: privilegeSlug }, changes)) }
      },
    )

    app.delete(
      PATH,
      endpoint('deleteIdentityPrivilegeBySlug', { body: legacy.PrivilegeAddress, response }),
      async ({ actor, body: { privilegeSlug, ...place } }) => ({
        privilege: toLegacy(await privileges.delete(actor, { ...place, slug: privilegeSlug })),
      }),
    )

    app.get(
      `${PATH}/:privilegeSlug`,
      endpoint('getIdentityPrivilegeInProject', { params: BySlug, querystring: OfIdentityInProject, response }),
      async ({ actor, params, query }) => ({
        privilege: toLegacy(await privilegeLookup.get(actor, { ...query, slug: params.privilegeSlug })),
      }),
    )

    app.get(
      PATH,
      endpoint('listIdentityPrivilegesInProject', {
        querystring: OfIdentityInProject,
        response: { 200: legacy.LegacyPrivilegeList },
      }),
      async ({ actor, query: { projectSlug, identityId } }) => {
        const found = await privilegeLookup.listInProject(actor, projectSlug, identityId)
        return { privileges: found.map(toLegacy) }
      },
    )
  }
