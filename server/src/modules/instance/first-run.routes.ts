import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { organizationOnWire } from '../organizations/organizations.schemas.ts'
import type { SessionCookie } from '../sessions/session-cookie.ts'
import type { FirstRunService } from './first-run.service.ts'
import { AdminSignUp, AdminSignUpAnswer, Bootstrap, BootstrapAnswer } from './instance.schemas.ts'

const endpoint = endpoints({ tag: 'Instance', auth: 'public' })

export const firstRunRoutes =
  (firstRun: FirstRunService, cookie: SessionCookie): Routes =>
  (app) => {
    app.post(
      '/api/v1/admin/bootstrap',
      endpoint('bootstrapInstance', { body: Bootstrap, response: { 200: BootstrapAnswer } }),
      async ({ body, origin }) => {
        const { email, password, organization: organizationName } = body
        const made = await firstRun.bootstrap({ email, password, organizationName }, origin)
        return {
          message: 'The instance has been set up',
          user: { ...made.user, superAdmin: made.user.isInstanceAdmin },
          organization: made.organization,
          identity: { ...made.identity, credentials: { token: made.token } },
        }
      },
    )

    app.post(
      '/api/v1/admin/signup',
      endpoint('signUpInstanceAdmin', { body: AdminSignUp, response: { 200: AdminSignUpAnswer } }),
      async ({ body, origin }, reply) => {
        const { user, organization, ...tokens } = await firstRun.signUp(body, origin)
        cookie.set(reply, tokens.refreshToken)
        return {
          message: 'The administrator has been signed up',
          user: { ...user, authMethods: ['email'], publicKey: null },
          organization: organizationOnWire(organization),
          token: tokens.accessToken,
          new: '123' as const,
        }
      },
    )
  }
