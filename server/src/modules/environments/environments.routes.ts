import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByEnvironmentId, BySlugInProject, EnvironmentAnswer } from './environments.schemas.ts'
import type { EnvironmentService } from './environments.service.ts'

const PATH = '/api/v1/projects/:projectId/environments'
const response = { 200: EnvironmentAnswer }
const endpoint = endpoints({ tag: 'Environments', auth: ['user', 'identity'] })

export const environmentRoutes =
  (environments: EnvironmentService): Routes =>
  (app) => {
    app.get(
      `${PATH}/slug/:envSlug`,
      endpoint('getEnvironmentBySlug', { params: BySlugInProject, response }),
      async ({ actor, params }) => ({
        environment: await environments.getBySlug(actor, params.projectId, params.envSlug),
      }),
    )

    app.get(
      // wire: the id of the environment says all; that of the project is not looked at.
      `${PATH}/:envId`,
      endpoint('getEnvironment', { params: ByEnvironmentId, response }),
      async ({ actor, params }) => ({ environment: await environments.get(actor, params.envId) }),
    )
  }
