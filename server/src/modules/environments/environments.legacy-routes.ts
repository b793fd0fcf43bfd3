import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByEnvironmentId, EnvironmentAnswer } from './environments.schemas.ts'
import type { EnvironmentService } from './environments.service.ts'

const response = { 200: EnvironmentAnswer }
const endpoint = endpoints({ tag: 'Environments', auth: ['user', 'identity'], legacy: true })

export const environmentLegacyRoutes =
  (environments: EnvironmentService): Routes =>
  (app) => {
    app.get(
      '/api/v1/workspace/environments/:envId',
      endpoint('getWorkspaceEnvironment', { params: ByEnvironmentId, response }),
      async ({ actor, params }) => ({ environment: await environments.get(actor, params.envId) }),
    )

    app.get(
      // wire: the id of the environment says all; that of the project is not looked at.
      '/api/v1/workspace/:workspaceId/environments/:envId',
      endpoint('getEnvironmentOfWorkspace', { params: ByEnvironmentId, response }),
      async ({ actor, params }) => ({ environment: await environments.get(actor, params.envId) }),
    )
  }
