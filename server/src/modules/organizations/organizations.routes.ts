import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { packRule } from '../permissions/packed-rules.ts'
import {
  AccessibleOrganizationList,
  ByOrganizationId,
  HeldPermissions,
  NewOrganization,
  OneOrganization,
  OrganizationAnswer,
  OrganizationList,
  organizationOnWire,
  OwnOrganizationList,
  SubOrganizationList,
  SubOrganizationQuery,
} from './organizations.schemas.ts'
import type { OrganizationService } from './organizations.service.ts'
import { requireUser } from './user-actor.ts'

const PATH = '/api/v1/organization'
const endpoint = endpoints({ tag: 'Organizations', auth: ['user'] })
const SELECTED_OR_NOT = ['user', 'user-without-organization'] as const

export const organizationRoutes =
  (organizations: OrganizationService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listOwnOrganizations', { auth: SELECTED_OR_NOT, response: { 200: OwnOrganizationList } }),
      async ({ actor }) => {
        const own = await organizations.listOf(requireUser(actor))
        return { organizations: own.map(ownOnWire) }
      },
    )

    app.get(
      `${PATH}/accessible-with-sub-orgs`,
      endpoint('listAccessibleOrganizations', { auth: SELECTED_OR_NOT, response: { 200: AccessibleOrganizationList } }),
      async ({ actor }) => {
        const own = await organizations.listOf(requireUser(actor))
        return { organizations: own.map((organization) => ({ ...ownOnWire(organization), subOrganizations: [] })) }
      },
    )

    app.get(
      `${PATH}/permissions`,
      endpoint('listOwnOrganizationPermissions', { response: { 200: HeldPermissions } }),
      async ({ actor }) => {
        const { membershipId, roles, rules } = await organizations.heldBy(requireUser(actor))
        return {
          memberships: [{ id: membershipId, roles: roles.map((role) => ({ role })) }],
          permissions: rules.map(packRule),
        }
      },
    )

    app.get(
      `${PATH}/:organizationId`,
      endpoint('getOrganization', { params: ByOrganizationId, response: { 200: OneOrganization } }),
      async ({ actor, params }) => {
        const organization = await organizations.get(actor, params.organizationId)
        return { organization: { ...organizationOnWire(organization), pamProjectId: null } }
      },
    )

    registerOthers(app, organizations)
  }

const registerOthers = (app: Parameters<Routes>[0], organizations: OrganizationService): void => {
  app.post(
    '/api/v2/organizations',
    endpoint('createOrganization', {
      auth: SELECTED_OR_NOT,
      body: NewOrganization,
      response: { 200: OrganizationAnswer },
    }),
    async ({ actor, body }) => ({
      organization: organizationOnWire(await organizations.createOwn(requireUser(actor), body)),
    }),
  )

  app.get(
    '/api/v2/users/me/organizations',
    endpoint('listOrganizationsOfUser', { auth: SELECTED_OR_NOT, response: { 200: OrganizationList } }),
    async ({ actor }) => ({
      organizations: (await organizations.listOf(requireUser(actor))).map(organizationOnWire),
    }),
  )

  app.get(
    '/api/v1/sub-organizations',
    endpoint('listSubOrganizations', {
      auth: ['user', 'identity'],
      querystring: SubOrganizationQuery,
      response: { 200: SubOrganizationList },
    }),
    // There are none: organizations stand side by side.
    () => ({ organizations: [], totalCount: 0 }),
  )
}

const ownOnWire = ({ joinedAt, ...organization }: Awaited<ReturnType<OrganizationService['listOf']>>[number]) => ({
  ...organizationOnWire(organization),
  orgAuthMethod: '' as const,
  userJoinedAt: joinedAt,
})
