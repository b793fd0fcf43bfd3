import { endpoints } from '../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../platform/http/route.ts'
import { optionalBody } from '../../platform/http/wire-types.ts'
import { NewMembership, requestedRoles, RoleChanges } from '../groups/granted-roles.schemas.ts'
import type { ProjectIdentityService } from './identity-memberships.service.ts'
import { toIdentityMembership, toRole } from './membership-views.ts'
import * as schemas from './memberships.schemas.ts'

const endpoint = endpoints({ tag: 'Project identities', auth: ['user', 'identity'], legacy: true })
const short = { 200: schemas.PlainIdentityMembershipAnswer }
const full = { 200: schemas.IdentityMembershipAnswer }

type Twin = { base: '/api/v2/workspace' | '/api/v1/projects'; noun: string }

export const projectIdentityLegacyRoutes =
  (identities: ProjectIdentityService): Routes =>
  (app) => {
    register(app, identities, { base: '/api/v2/workspace', noun: 'WorkspaceIdentity' })
    register(app, identities, { base: '/api/v1/projects', noun: 'OlderProjectIdentity' })
  }

const register = (app: HttpServer, identities: ProjectIdentityService, { base, noun }: Twin): void => {
  const path = `${base}/:projectId/identity-memberships` as const
  const one = `${path}/:identityId` as const
  app.get(
    path,
    endpoint(`list${noun}Memberships`, {
      params: schemas.InProject,
      querystring: schemas.OlderIdentityMembershipsQuery,
      response: { 200: schemas.IdentityMembershipList },
    }),
    async ({ actor, params, query: { search, ...query } }) => {
      const found = await identities.list(actor, params.projectId, { ...query, name: search })
      return { identityMemberships: found.memberships.map(toIdentityMembership), totalCount: found.totalCount }
    },
  )

  app.post(
    one,
    endpoint(`add${noun}`, { params: schemas.ByIdentityId, body: optionalBody(NewMembership), response: short }),
    async ({ actor, params, body }) => ({
      identityMembership: await identities.add(actor, params, requestedRoles(body)),
    }),
  )

  app.get(
    one,
    endpoint(`get${noun}Membership`, { params: schemas.ByIdentityId, response: full }),
    async ({ actor, params }) => ({ identityMembership: toIdentityMembership(await identities.get(actor, params)) }),
  )

  app.patch(
    one,
    endpoint(`update${noun}Roles`, {
      params: schemas.ByIdentityId,
      body: RoleChanges,
      response: { 200: schemas.RolesAnswer },
    }),
    async ({ actor, params, body }) => ({
      roles: (await identities.setRoles(actor, params, body.roles)).roles.map(toRole),
    }),
  )

  app.delete(
    one,
    endpoint(`remove${noun}`, { params: schemas.ByIdentityId, response: short }),
    async ({ actor, params }) => ({ identityMembership: await identities.remove(actor, params) }),
  )

  app.get(
    `${base}/identity-memberships/:membershipId`,
    endpoint(`get${noun}MembershipById`, { params: schemas.ByMembershipIdAlone, response: full }),
    async ({ actor, params }) => ({
      identityMembership: toIdentityMembership(await identities.getById(actor, params.membershipId)),
    }),
  )
}
