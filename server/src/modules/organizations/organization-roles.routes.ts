import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByRoleId, ByRoleSlug, NewRole, RoleAnswer, RoleChanges, RoleList } from './organization-roles.schemas.ts'
import type { ListedRole, OrganizationRoleService, RoleView } from './organization-roles.service.ts'

const PATH = '/api/v1/organization/roles'
const response = { 200: RoleAnswer }
const endpoint = endpoints({ tag: 'Organization roles', auth: ['user', 'identity'] })

export const organizationRoleRoutes =
  (roles: OrganizationRoleService): Routes =>
  (app) => {
    app.get(PATH, endpoint('listOrganizationRoles', { response: { 200: RoleList } }), async ({ actor }) => ({
      roles: (await roles.list(actor)).map(listedOnWire),
    }))

    app.post(PATH, endpoint('createOrganizationRole', { body: NewRole, response }), async ({ actor, body }) => ({
      role: onWire(await roles.create(actor, body)),
    }))

    app.get(
      `${PATH}/:roleId`,
      endpoint('getOrganizationRole', { params: ByRoleId, response }),
      async ({ actor, params }) => ({ role: onWire(await roles.get(actor, params.roleId)) }),
    )

    app.get(
      `${PATH}/slug/:roleSlug`,
      endpoint('getOrganizationRoleBySlug', { params: ByRoleSlug, response }),
      async ({ actor, params }) => ({ role: onWire(await roles.getBySlug(actor, params.roleSlug)) }),
    )

    app.patch(
      `${PATH}/:roleId`,
      endpoint('updateOrganizationRole', { params: ByRoleId, body: RoleChanges, response }),
      async ({ actor, params, body }) => ({ role: onWire(await roles.update(actor, params.roleId, body)) }),
    )

    app.delete(
      `${PATH}/:roleId`,
      endpoint('deleteOrganizationRole', { params: ByRoleId, response }),
      async ({ actor, params }) => ({ role: onWire(await roles.remove(actor, params.roleId)) }),
    )
  }

const onWire = ({ permissions, ...role }: RoleView) => ({
  ...listedOnWire(role),
  permissions: permissions.map((rule) => ({ ...rule, action: [...rule.action] })),
})

const listedOnWire = ({ organizationId, ...role }: ListedRole) => ({ ...role, orgId: organizationId })
