import { badRequest } from '../../lib/app-error.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { requireUser } from '../organizations/user-actor.ts'
import type { LoginService } from './login.service.ts'
import type { SessionCookie } from './session-cookie.ts'
import {
  Credentials,
  LoginAnswer,
  Message,
  OlderCredentials,
  SelectedOrganization,
  SelectionAnswer,
  SignUpRequest,
} from './sessions.schemas.ts'

const endpoint = endpoints({ tag: 'Login', auth: 'public' })

export const loginRoutes =
  (logins: LoginService, cookie: SessionCookie): Routes =>
  (app) => {
    app.post(
      '/api/v3/auth/login',
      endpoint('logIn', { rateClass: 'auth', body: Credentials, response: { 200: LoginAnswer } }),
      async ({ body, origin }, reply) => {
        const { accessToken, refreshToken } = await logins.logIn(body, origin)
        cookie.set(reply, refreshToken)
        return { accessToken }
      },
    )

    app.post(
      '/api/v3/auth/login1',
      endpoint('logInWithoutPassword', {
        legacy: true,
        rateClass: 'auth',
        body: OlderCredentials,
        response: { 200: Message },
      }),
      () => {
        throw badRequest('This way to log in is not offered, send the password to /api/v3/auth/login')
      },
    )

    app.post(
      '/api/v3/auth/select-organization',
      endpoint('selectOrganization', {
        auth: ['user', 'user-without-organization'],
        rateClass: 'auth',
        body: SelectedOrganization,
        response: { 200: SelectionAnswer },
      }),
      async ({ actor, body }, reply) => {
        const tokens = await logins.selectOrganization(requireUser(actor), body.organizationId)
        cookie.set(reply, tokens.refreshToken)
        return { token: tokens.accessToken, isMfaEnabled: false as const }
      },
    )

    app.post(
      '/api/v3/signup/email/signup',
      endpoint('signUp', { rateClass: 'auth', body: SignUpRequest, response: { 200: Message } }),
      () => logins.signUp(),
    )
  }
