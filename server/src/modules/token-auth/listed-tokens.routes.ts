import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { Message, tokenAnswer } from '../access-tokens/access-tokens.schemas.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'
import {
  ByTokenId,
  ChangedToken,
  ListedTokenAnswer,
  ListedTokens,
  NewToken,
  NewTokenAnswer,
  Page,
  tokenData,
} from './listed-tokens.schemas.ts'
import type { ListedTokenService } from './listed-tokens.service.ts'

const PATH = '/api/v1/auth/token-auth'
const endpoint = endpoints({ tag: 'Token auth', auth: ['user', 'identity'] })

export const listedTokenRoutes =
  (tokens: ListedTokenService): Routes =>
  (app) => {
    app.post(
      `${PATH}/identities/:identityId/tokens`,
      endpoint('createTokenAuthToken', {
        summary: 'Make an access token for a machine identity',
        params: ByIdentityId,
        body: NewToken,
        response: { 200: NewTokenAnswer },
      }),
      async ({ actor, params, body }) => {
        const { issued, token } = await tokens.create(actor, params.identityId, body)
        return { ...tokenAnswer(issued), tokenData: tokenData(token) }
      },
    )

    app.get(
      `${PATH}/identities/:identityId/tokens`,
      endpoint('listTokenAuthTokens', {
        summary: 'List the access tokens that were made for a machine identity',
        params: ByIdentityId,
        querystring: Page,
        response: { 200: ListedTokens },
      }),
      async ({ actor, params, query }) => {
        const listed = await tokens.list(actor, params.identityId, query)
        return { tokens: listed.map(tokenData) }
      },
    )

    app.get(
      `${PATH}/tokens/:tokenId`,
      endpoint('getTokenAuthToken', {
        summary: 'Get an access token that was made for a machine identity',
        params: ByTokenId,
        response: { 200: ListedTokenAnswer },
      }),
      async ({ actor, params }) => ({ token: tokenData(await tokens.get(actor, params.tokenId)) }),
    )

    app.patch(
      `${PATH}/tokens/:tokenId`,
      endpoint('updateTokenAuthToken', {
        summary: 'Name an access token anew',
        params: ByTokenId,
        body: ChangedToken,
        response: { 200: ListedTokenAnswer },
      }),
      async ({ actor, params, body }) => ({ token: tokenData(await tokens.rename(actor, params.tokenId, body.name)) }),
    )

    app.post(
      `${PATH}/tokens/:tokenId/revoke`,
      endpoint('revokeTokenAuthToken', {
        summary: 'Revoke an access token that was made for a machine identity',
        params: ByTokenId,
        response: { 200: Message },
      }),
      async ({ actor, params }) => {
        await tokens.revoke(actor, params.tokenId)
        return { message: 'The access token has been revoked' }
      },
    )
  }
