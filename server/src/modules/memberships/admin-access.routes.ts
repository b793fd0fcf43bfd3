import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { requireUser } from '../organizations/user-actor.ts'
import type { AdminAccessService } from './admin-access.service.ts'
import { InProject, PlainUserMembershipAnswer } from './memberships.schemas.ts'

const endpoint = endpoints({ tag: 'Project members', auth: ['user'] })

export const adminAccessRoutes =
  (access: AdminAccessService): Routes =>
  (app) => {
    app.post(
      '/api/v1/organization-admin/projects/:projectId/grant-admin-access',
      endpoint('grantOwnProjectAdminAccess', {
        summary: 'Makes an administrator of the organization one of a project',
        params: InProject,
        response: { 200: PlainUserMembershipAnswer },
      }),
      async ({ actor, params }) => ({ membership: await access.grantTo(requireUser(actor), params.projectId) }),
    )
  }
