import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'
import { ChangedTokenAuth, NewTokenAuth, TokenAuthAnswer, tokenAuthAnswer } from './token-auth.schemas.ts'
import type { TokenAuthService } from './token-auth.service.ts'

const PATH = '/api/v1/auth/token-auth/identities/:identityId'
const response = { 200: TokenAuthAnswer }
const endpoint = endpoints({ tag: 'Token auth', auth: ['user', 'identity'] })

export const tokenAuthRoutes =
  (tokenAuth: TokenAuthService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('attachTokenAuth', {
        summary: 'Attach token auth to a machine identity',
        params: ByIdentityId,
        body: NewTokenAuth,
        response,
      }),
      async ({ actor, params, body }) => tokenAuthAnswer(await tokenAuth.attach(actor, params.identityId, body)),
    )

    app.patch(
      PATH,
      endpoint('updateTokenAuth', {
        summary: 'Change the token auth of a machine identity',
        params: ByIdentityId,
        body: ChangedTokenAuth,
        response,
      }),
      async ({ actor, params, body }) => tokenAuthAnswer(await tokenAuth.update(actor, params.identityId, body)),
    )

    app.get(
      PATH,
      endpoint('getTokenAuth', {
        summary: 'Get the token auth of a machine identity',
        params: ByIdentityId,
        response,
      }),
      async ({ actor, params }) => tokenAuthAnswer(await tokenAuth.get(actor, params.identityId)),
    )

    app.delete(
      PATH,
      endpoint('detachTokenAuth', {
        summary: 'Take token auth from a machine identity, with its tokens',
        params: ByIdentityId,
        response,
      }),
      async ({ actor, params }) => tokenAuthAnswer(await tokenAuth.detach(actor, params.identityId)),
    )
  }
