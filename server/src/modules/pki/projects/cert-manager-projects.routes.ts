import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import * as schemas from './cert-manager-projects.schemas.ts'
import type { CertManagerProjects } from './cert-manager-projects.service.ts'

const PATH = '/api/v1/cert-manager/instance'
const endpoint = endpoints({ tag: 'Certificate projects', auth: ['user', 'identity'] })

export const certManagerProjectRoutes =
  (projects: CertManagerProjects): Routes =>
  (app) => {
    app.get(PATH, endpoint('getCertManagerInstance', { response: { 200: schemas.Overview } }), async ({ actor }) => {
      const { active, projects: all } = await projects.overview(actor)
      return { activeProjectId: active?.id ?? null, projects: all, isMultiInstance: all.length > 1 }
    })

    app.post(
      `${PATH}/active-project`,
      endpoint('setActiveCertManagerProject', {
        body: schemas.ActiveProjectBody,
        response: { 200: schemas.ActiveProject },
      }),
      async ({ actor, body }) => {
        const { project, previous } = await projects.choose(actor, body.projectId)
        return {
          activeProjectId: project.id,
          previousActiveProjectId: previous?.id ?? null,
          projectName: project.name,
        }
      },
    )
  }
