import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toNewProject, toProject, toProjectWithKey } from '../projects/project-views.ts'
import * as schemas from '../projects/projects.schemas.ts'
import type { ProjectLifecycleService } from './project-lifecycle.service.ts'

const endpoint = endpoints({ tag: 'Projects', auth: ['user', 'identity'], legacy: true })

export const projectLifecycleLegacyRoutes =
  (lifecycle: ProjectLifecycleService): Routes =>
  (app) => {
    app.post(
      '/api/v2/workspace',
      endpoint('createWorkspace', {
        body: schemas.NewProject,
        response: { 200: schemas.ProjectWithKeyAnswer },
        rateClass: 'project-creation',
      }),
      async ({ actor, body }) => ({ project: toProjectWithKey(await lifecycle.create(actor, toNewProject(body))) }),
    )

    app.delete(
      '/api/v1/workspace/:workspaceId',
      endpoint('deleteWorkspace', { params: schemas.ByWorkspaceId, response: { 200: schemas.WorkspaceAnswer } }),
      async ({ actor, params }) => ({ workspace: toProject(await lifecycle.delete(actor, params.workspaceId)) }),
    )

    app.delete(
      '/api/v2/workspace/:slug',
      endpoint('deleteWorkspaceBySlug', { params: schemas.BySlug, response: { 200: schemas.Project } }),
      async ({ actor, params }) => toProject(await lifecycle.deleteBySlug(actor, params.slug)),
    )
  }
