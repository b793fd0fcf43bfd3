import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { withCompanions, withoutCompanions } from './legacy-rules.ts'
import { registerProjectRoles } from './roles.routes.ts'
import * as schemas from './roles.schemas.ts'
import type { ProjectRoleService, RoleView } from './roles.service.ts'

const PATH = '/api/v1/workspace/:projectSlug/roles'
const response = { 200: schemas.RoleAnswer }
const endpoint = endpoints({ tag: 'Project roles', auth: ['user', 'identity'], legacy: true })

export const projectRoleLegacyRoutes =
  (roles: ProjectRoleService): Routes =>
  (app) => {
    registerProjectRoles(app, roles, {
      path: '/api/v2/workspace/:projectId/roles',
      noun: 'WorkspaceRole',
      legacy: true,
    })

    app.post(
      PATH,
      endpoint('createOlderWorkspaceRole', { params: schemas.InProjectBySlug, body: schemas.OlderNewRole, response }),
      async ({ actor, params, body: { permissions, ...role } }) => {
        const projectId = await roles.projectIdOf(actor, params.projectSlug)
        const created = await roles.create(actor, projectId, { ...role, permissions: withCompanions(permissions) })
        return { role: toRole(created) }
      },
    )

    app.get(
      PATH,
      endpoint('listOlderWorkspaceRoles', { params: schemas.InProjectBySlug, response: { 200: schemas.RoleList } }),
      async ({ actor, params }) => ({
        roles: await roles.list(actor, await roles.projectIdOf(actor, params.projectSlug)),
      }),
    )

    app.get(
      `${PATH}/slug/:slug`,
      endpoint('getOlderWorkspaceRoleBySlug', { params: schemas.OfProjectSlugBySlug, response }),
      async ({ actor, params }) => {
        const projectId = await roles.projectIdOf(actor, params.projectSlug)
        return { role: toRole(await roles.getBySlug(actor, projectId, params.slug)) }
      },
    )

    app.patch(
      `${PATH}/:roleId`,
      endpoint('updateOlderWorkspaceRole', { params: schemas.OfProjectSlug, body: schemas.OlderRoleChanges, response }),
      async ({ actor, params, body: { permissions, ...changes } }) => {
        const projectId = await roles.projectIdOf(actor, params.projectSlug)
        const rules = permissions && withCompanions(permissions)
        return { role: toRole(await roles.update(actor, projectId, params.roleId, { ...changes, permissions: rules })) }
      },
    )

    app.delete(
      `${PATH}/:roleId`,
      endpoint('deleteOlderWorkspaceRole', { params: schemas.OfProjectSlug, response }),
      async ({ actor, params }) => {
        const projectId = await roles.projectIdOf(actor, params.projectSlug)
        return { role: toRole(await roles.remove(actor, projectId, params.roleId)) }
      },
    )
  }

const toRole = ({ permissions, ...role }: RoleView) => ({
  ...role,
  permissions: withoutCompanions(permissions).map((rule) => ({ ...rule, action: [...rule.action] })),
})
