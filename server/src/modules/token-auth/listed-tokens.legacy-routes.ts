import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByIdentityAndTokenId, ListedTokenAnswer, tokenData } from './listed-tokens.schemas.ts'
import type { ListedTokenService } from './listed-tokens.service.ts'

const endpoint = endpoints({ tag: 'Token auth', auth: ['user', 'identity'], legacy: true })

/** The older path of a token, which names its identity too. */
export const legacyListedTokenRoutes =
  (tokens: ListedTokenService): Routes =>
  (app) => {
    app.get(
      '/api/v1/auth/token-auth/identities/:identityId/tokens/:tokenId',
      endpoint('getTokenAuthTokenOfIdentity', {
        summary: 'Get an access token by its identity and id',
        params: ByIdentityAndTokenId,
        response: { 200: ListedTokenAnswer },
      }),
      async ({ actor, params }) => ({ token: tokenData(await tokens.get(actor, params.tokenId, params.identityId)) }),
    )
  }
