import { endpoints } from '../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../platform/http/route.ts'
import * as schemas from './roles.schemas.ts'
import type { ProjectRoleService, RoleView } from './roles.service.ts'

const response = { 200: schemas.RoleAnswer }
const endpoint = endpoints({ tag: 'Project roles', auth: ['user', 'identity'] })

export const projectRoleRoutes =
  (roles: ProjectRoleService): Routes =>
  (app) => {
    registerProjectRoles(app, roles, { path: '/api/v1/projects/:projectId/roles', noun: 'ProjectRole' })

    app.get(
      '/api/v1/projects/roles/:roleId',
      endpoint('getProjectRoleById', { params: schemas.ById, response }),
      async ({ actor, params }) => ({ role: toRole(await roles.get(actor, params.roleId)) }),
    )
  }

type Family = {
  path: '/api/v1/projects/:projectId/roles' | '/api/v2/workspace/:projectId/roles'
  noun: string
  legacy?: true
}

/** The same under each of its paths. */
export const registerProjectRoles = (
  app: HttpServer,
  roles: ProjectRoleService,
  { path, noun, ...rest }: Family,
): void => {
  app.post(
    path,
    endpoint(`create${noun}`, { ...rest, params: schemas.InProject, body: schemas.NewRole, response }),
    async ({ actor, params, body }) => ({ role: toRole(await roles.create(actor, params.projectId, body)) }),
  )

  app.get(
    path,
    endpoint(`list${noun}s`, { ...rest, params: schemas.InProject, response: { 200: schemas.RoleList } }),
    async ({ actor, params }) => ({ roles: await roles.list(actor, params.projectId) }),
  )

  app.get(
    `${path}/slug/:roleSlug`,
    endpoint(`get${noun}BySlug`, { ...rest, params: schemas.OfProjectBySlug, response }),
    async ({ actor, params }) => ({ role: toRole(await roles.getBySlug(actor, params.projectId, params.roleSlug)) }),
  )

  app.patch(
    `${path}/:roleId`,
    endpoint(`update${noun}`, { ...rest, params: schemas.OfProject, body: schemas.RoleChanges, response }),
    async ({ actor, params, body }) => ({
      role: toRole(await roles.update(actor, params.projectId, params.roleId, body)),
    }),
  )

  app.delete(
    `${path}/:roleId`,
    endpoint(`delete${noun}`, { ...rest, params: schemas.OfProject, response }),
    async ({ actor, params }) => ({ role: toRole(await roles.remove(actor, params.projectId, params.roleId)) }),
  )
}

const toRole = ({ permissions, ...role }: RoleView) => ({
  ...role,
  permissions: permissions.map((rule) => ({ ...rule, action: [...rule.action] })),
})
