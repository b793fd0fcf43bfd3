import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as views from './project-views.ts'
import * as schemas from './projects.schemas.ts'
import type { ProjectService } from './projects.service.ts'

const PATH = '/api/v1/workspace'
const SLUG_PATH = '/api/v2/workspace'
const endpoint = endpoints({ tag: 'Projects', auth: ['user', 'identity'], legacy: true })

export const projectLegacyRoutes =
  (projects: ProjectService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listWorkspaces', { querystring: schemas.ListQuery, response: { 200: schemas.WorkspaceList } }),
      async ({ actor, query: { includeRoles, type } }) => {
        const listed = await (includeRoles ? projects.listWithRoles(actor, { type }) : projects.list(actor, { type }))
        return { workspaces: listed.map(views.toListedWorkspace) }
      },
    )

    app.get(
      '/api/v2/organizations/:organizationId/workspaces',
      endpoint('listOrganizationWorkspaces', {
        params: schemas.ByOrganizationId,
        response: { 200: schemas.OrganizationWorkspaceList },
      }),
      async ({ actor, params }) => {
        const listed = await projects.list(actor, {}, params.organizationId)
        return {
          workspaces: listed.map(({ organizationId, ...project }) => ({ ...project, organization: organizationId })),
        }
      },
    )

    app.get(
      `${PATH}/:workspaceId`,
      endpoint('getWorkspace', {
        params: schemas.ByWorkspaceId,
        response: { 200: schemas.WorkspaceWithEnvironmentsAnswer },
      }),
      async ({ actor, params }) => ({
        workspace: views.toProjectWithEnvironments(await projects.get(actor, params.workspaceId)),
      }),
    )

    app.get(
      `${SLUG_PATH}/:slug`,
      endpoint('getWorkspaceBySlug', {
        params: schemas.BySlug,
        response: { 200: schemas.ProjectWithKey },
        serialize: views.renderProjectWithKey,
      }),
      async ({ actor, params }) => views.toProjectWithKey(await projects.getBySlug(actor, params.slug)),
    )

    app.patch(
      `${PATH}/:workspaceId`,
      endpoint('updateWorkspace', {
        params: schemas.ByWorkspaceId,
        body: schemas.WorkspaceChanges,
        response: { 200: schemas.WorkspaceAnswer },
      }),
      async ({ actor, params, body }) => ({
        workspace: views.toProject(await projects.update(actor, params.workspaceId, body)),
      }),
    )

    app.patch(
      `${SLUG_PATH}/:slug`,
      endpoint('updateWorkspaceBySlug', {
        params: schemas.BySlug,
        body: schemas.WorkspaceChangesBySlug,
        response: { 200: schemas.Project },
      }),
      async ({ actor, params, body }) => {
        const { id } = await projects.getBySlug(actor, params.slug)
        return views.toProject(await projects.update(actor, id, body))
      },
    )

    app.put(
      `${PATH}/:slug/audit-logs-retention`,
      endpoint('setWorkspaceAuditLogsRetention', {
        params: schemas.BySlug,
        body: schemas.AuditLogsRetention,
        response: { 200: schemas.WorkspaceMessage },
      }),
      async ({ actor, params, body }) => {
        const { id } = await projects.getBySlug(actor, params.slug)
        return {
          message: 'Successfully updated the retention of audit logs',
          workspace: views.toProject(await projects.update(actor, id, body)),
        }
      },
    )
  }
