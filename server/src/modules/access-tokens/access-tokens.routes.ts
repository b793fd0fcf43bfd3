import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { Message, PresentedToken, TokenAnswer, tokenAnswer } from './access-tokens.schemas.ts'
import type { AccessTokenService } from './access-tokens.service.ts'

const PATH = '/api/v1/auth/token'
const endpoint = endpoints({ tag: 'Access tokens', auth: 'public' })

export const accessTokenRoutes =
  (tokens: AccessTokenService): Routes =>
  (app) => {
    app.post(
      `${PATH}/renew`,
      endpoint('renewAccessToken', {
        summary: 'Renew the access token of a machine identity',
        body: PresentedToken,
        response: { 200: TokenAnswer },
      }),
      async ({ body, origin }) => tokenAnswer(await tokens.renew(body.accessToken, origin)),
    )

    app.post(
      `${PATH}/revoke`,
      endpoint('revokeAccessToken', {
        summary: 'Revoke the access token of a machine identity',
        body: PresentedToken,
        response: { 200: Message },
      }),
      async ({ body, origin }) => {
        await tokens.revoke(body.accessToken, origin)
        return { message: 'The access token has been revoked' }
      },
    )
  }
