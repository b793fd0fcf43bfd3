import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { TokenAnswer, tokenAnswer } from '../access-tokens/access-tokens.schemas.ts'
import { Credentials } from './login.schemas.ts'
import type { UniversalAuthLogin } from './login.service.ts'

const endpoint = endpoints({ tag: 'Universal auth', auth: 'public' })

export const universalAuthLoginRoutes =
  (universalAuth: UniversalAuthLogin): Routes =>
  (app) => {
    app.post(
      '/api/v1/auth/universal-auth/login',
      endpoint('loginWithUniversalAuth', {
        summary: 'Log in with a client id and a client secret',
        body: Credentials,
        response: { 200: TokenAnswer },
        acceptsForm: true,
      }),
      async ({ body, origin }) => tokenAnswer(await universalAuth.login(body, origin)),
    )
  }
