import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { TokenAnswer, tokenAnswer } from '../access-tokens/access-tokens.schemas.ts'
import { PresentedIdentity } from './login.schemas.ts'
import type { OidcAuthLogin } from './login.service.ts'

const endpoint = endpoints({ tag: 'OIDC auth', auth: 'public' })

export const oidcAuthLoginRoutes =
  (oidcAuth: OidcAuthLogin): Routes =>
  (app) => {
    app.post(
      '/api/v1/auth/oidc-auth/login',
      endpoint('loginWithOidcAuth', {
        summary: 'Log in with a JWT of an OpenID provider',
        body: PresentedIdentity,
        response: { 200: TokenAnswer },
        acceptsForm: true,
      }),
      async ({ body, origin }) => tokenAnswer(await oidcAuth.login(body, origin)),
    )
  }
