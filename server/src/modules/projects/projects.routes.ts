import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as views from './project-views.ts'
import * as schemas from './projects.schemas.ts'
import type { ProjectService } from './projects.service.ts'

const PATH = '/api/v1/projects'
const endpoint = endpoints({ tag: 'Projects', auth: ['user', 'identity'] })

export const projectRoutes =
  (projects: ProjectService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listProjects', { querystring: schemas.ListQuery, response: { 200: schemas.ProjectList } }),
      async ({ actor, query: { includeRoles, type } }) => {
        const listed = await (includeRoles ? projects.listWithRoles(actor, { type }) : projects.list(actor, { type }))
        return { projects: listed.map(views.toListedProject) }
      },
    )

    app.post(
      `${PATH}/search`,
      endpoint('searchProjects', {
        summary: 'All projects of the organization, also those that one is not in',
        body: schemas.ProjectSearch,
        response: { 200: schemas.FoundProjects },
        rateClass: 'read',
      }),
      async ({ actor, body: { projectIds, ...search } }) => {
        const { projects: found, totalCount } = await projects.search(actor, { ...search, ids: projectIds })
        return {
          projects: found.map(views.toFoundProject),
          totalCount,
        }
      },
    )

    app.get(
      `${PATH}/slug/:slug`,
      endpoint('getProjectBySlug', {
        params: schemas.BySlug,
        response: { 200: schemas.ProjectWithDeleted },
        serialize: views.renderProjectWithDeleted,
      }),
      async ({ actor, params }) => views.toProjectWithDeleted(await projects.getBySlug(actor, params.slug)),
    )

    app.get(
      `${PATH}/:projectId`,
      endpoint('getProject', { params: schemas.ByProjectId, response: { 200: schemas.ProjectWithDeletedAnswer } }),
      async ({ actor, params }) => ({
        project: views.toProjectWithDeleted(await projects.get(actor, params.projectId)),
      }),
    )

    app.patch(
      `${PATH}/:projectId`,
      endpoint('updateProject', {
        params: schemas.ByProjectId,
        body: schemas.ProjectChanges,
        response: { 200: schemas.ProjectAnswer },
      }),
      async ({ actor, params, body }) => ({
        project: views.toProject(await projects.update(actor, params.projectId, views.toChanges(body))),
      }),
    )

    app.put(
      `${PATH}/:projectId/audit-logs-retention`,
      endpoint('setProjectAuditLogsRetention', {
        params: schemas.ByProjectId,
        body: schemas.AuditLogsRetention,
        response: { 200: schemas.ProjectMessage },
      }),
      async ({ actor, params, body }) => ({
        message: 'Successfully updated the retention of audit logs',
        project: views.toProject(await projects.update(actor, params.projectId, body)),
      }),
    )
  }
