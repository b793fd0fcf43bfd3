import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'
import {
  ChangedOidcAuth,
  DetachedOidcAuthAnswer,
  detachedOidcAuthAnswer,
  NewOidcAuth,
  OidcAuthAnswer,
  oidcAuthAnswer,
} from './oidc-auth.schemas.ts'
import type { OidcAuthService } from './oidc-auth.service.ts'

const PATH = '/api/v1/auth/oidc-auth/identities/:identityId'
const response = { 200: OidcAuthAnswer }
const endpoint = endpoints({ tag: 'OIDC auth', auth: ['user', 'identity'] })

export const oidcAuthRoutes =
  (oidcAuth: OidcAuthService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('attachOidcAuth', {
        summary: 'Attach OIDC auth to a machine identity',
        params: ByIdentityId,
        body: NewOidcAuth,
        response,
      }),
      async ({ actor, params, body }) => oidcAuthAnswer(await oidcAuth.attach(actor, params.identityId, body)),
    )

    app.patch(
      PATH,
      endpoint('updateOidcAuth', {
        summary: 'Change the OIDC auth of a machine identity',
        params: ByIdentityId,
        body: ChangedOidcAuth,
        response,
      }),
      async ({ actor, params, body }) => oidcAuthAnswer(await oidcAuth.update(actor, params.identityId, body)),
    )

    app.get(
      PATH,
      endpoint('getOidcAuth', {
        summary: 'Get the OIDC auth of a machine identity',
        params: ByIdentityId,
        response,
      }),
      async ({ actor, params }) => oidcAuthAnswer(await oidcAuth.get(actor, params.identityId)),
    )

    app.delete(
      PATH,
      endpoint('detachOidcAuth', {
        summary: 'Take OIDC auth from a machine identity, with its tokens',
        params: ByIdentityId,
        response: { 200: DetachedOidcAuthAnswer },
      }),
      async ({ actor, params }) => detachedOidcAuthAnswer(await oidcAuth.detach(actor, params.identityId)),
    )
  }
