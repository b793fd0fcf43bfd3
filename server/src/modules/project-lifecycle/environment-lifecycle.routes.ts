import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as schemas from '../environments/environments.schemas.ts'
import type { EnvironmentLifecycleService } from './environment-lifecycle.service.ts'

const PATH = '/api/v1/projects/:projectId/environments'
const response = { 200: schemas.EnvironmentMessage }
const endpoint = endpoints({ tag: 'Environments', auth: ['user', 'identity'] })

export const environmentLifecycleRoutes =
  (environments: EnvironmentLifecycleService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createEnvironment', { params: schemas.InProject, body: schemas.NewEnvironment, response }),
      async ({ actor, params: { projectId }, body }) => ({
        message: 'Successfully created new environment',
        projectId,
        environment: await environments.create(actor, projectId, body),
      }),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateEnvironment', { params: schemas.OfProject, body: schemas.EnvironmentChanges, response }),
      async ({ actor, params, body }) => ({
        message: 'Successfully updated environment',
        projectId: params.projectId,
        environment: await environments.update(actor, params, body),
      }),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteEnvironment', {
        summary: 'Hides an environment, which can be restored for fourteen days',
        params: schemas.OfProject,
        querystring: schemas.DeleteQuery,
        response,
      }),
      async ({ actor, params, query: { hardDelete } }) => ({
        message: 'Successfully deleted environment',
        projectId: params.projectId,
        environment: await (hardDelete ? environments.delete(actor, params) : environments.softDelete(actor, params)),
      }),
    )

    app.post(
      `${PATH}/:id/restore`,
      endpoint('restoreEnvironment', { params: schemas.OfProject, response }),
      async ({ actor, params }) => ({
        message: 'Successfully restored environment',
        projectId: params.projectId,
        environment: await environments.restore(actor, params),
      }),
    )
  }
