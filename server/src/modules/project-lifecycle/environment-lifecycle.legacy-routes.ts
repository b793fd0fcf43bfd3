import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as schemas from '../environments/environments.schemas.ts'
import type { EnvironmentLifecycleService } from './environment-lifecycle.service.ts'

const PATH = '/api/v1/workspace/:workspaceId/environments'
const response = { 200: schemas.WorkspaceEnvironmentMessage }
const endpoint = endpoints({ tag: 'Environments', auth: ['user', 'identity'], legacy: true })

export const environmentLifecycleLegacyRoutes =
  (environments: EnvironmentLifecycleService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createWorkspaceEnvironment', { params: schemas.InWorkspace, body: schemas.NewEnvironment, response }),
      async ({ actor, params: { workspaceId }, body }) => ({
        message: 'Successfully created new environment',
        workspace: workspaceId,
        environment: await environments.create(actor, workspaceId, body),
      }),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateWorkspaceEnvironment', {
        params: schemas.OfWorkspace,
        body: schemas.EnvironmentChanges,
        response,
      }),
      async ({ actor, params: { workspaceId, id }, body }) => ({
        message: 'Successfully updated environment',
        workspace: workspaceId,
        environment: await environments.update(actor, { projectId: workspaceId, id }, body),
      }),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteWorkspaceEnvironment', {
        summary: 'Deletes an environment at once and for good',
        params: schemas.OfWorkspace,
        response,
      }),
      async ({ actor, params: { workspaceId, id } }) => ({
        message: 'Successfully deleted environment',
        workspace: workspaceId,
        environment: await environments.delete(actor, { projectId: workspaceId, id }),
      }),
    )
  }
