import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toNewProject, toProject, toProjectWithDeleted } from '../projects/project-views.ts'
import { ByProjectId, NewProject, ProjectAnswer, ProjectWithDeletedAnswer } from '../projects/projects.schemas.ts'
import type { ProjectLifecycleService } from './project-lifecycle.service.ts'

const PATH = '/api/v1/projects'
const endpoint = endpoints({ tag: 'Projects', auth: ['user', 'identity'] })

export const projectLifecycleRoutes =
  (lifecycle: ProjectLifecycleService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createProject', {
        body: NewProject,
        response: { 200: ProjectWithDeletedAnswer },
        rateClass: 'project-creation',
      }),
      async ({ actor, body }) => ({
        project: toProjectWithDeleted(await lifecycle.create(actor, toNewProject(body))),
      }),
    )

    app.delete(
      `${PATH}/:projectId`,
      endpoint('deleteProject', { params: ByProjectId, response: { 200: ProjectAnswer } }),
      async ({ actor, params }) => ({ project: toProject(await lifecycle.delete(actor, params.projectId)) }),
    )
  }
