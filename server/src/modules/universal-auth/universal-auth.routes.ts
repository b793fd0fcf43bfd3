import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'
import {
  ChangedUniversalAuth,
  NewUniversalAuth,
  UniversalAuthAnswer,
  universalAuthAnswer,
} from './universal-auth.schemas.ts'
import type { UniversalAuthService } from './universal-auth.service.ts'

const PATH = '/api/v1/auth/universal-auth/identities/:identityId'
const response = { 200: UniversalAuthAnswer }
const endpoint = endpoints({ tag: 'Universal auth', auth: ['user', 'identity'] })

export const universalAuthRoutes =
  (universalAuth: UniversalAuthService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('attachUniversalAuth', {
        summary: 'Attach universal auth to a machine identity',
        params: ByIdentityId,
        body: NewUniversalAuth,
        response,
      }),
      async ({ actor, params, body }) =>
        universalAuthAnswer(await universalAuth.attach(actor, params.identityId, body)),
    )

    app.patch(
      PATH,
      endpoint('updateUniversalAuth', {
        summary: 'Change the universal auth of a machine identity',
        params: ByIdentityId,
        body: ChangedUniversalAuth,
        response,
      }),
      async ({ actor, params, body }) =>
        universalAuthAnswer(await universalAuth.update(actor, params.identityId, body)),
    )

    app.get(
      PATH,
      endpoint('getUniversalAuth', {
        summary: 'Get the universal auth of a machine identity',
        params: ByIdentityId,
        response,
      }),
      async ({ actor, params }) => universalAuthAnswer(await universalAuth.get(actor, params.identityId)),
    )

    app.delete(
      PATH,
      endpoint('detachUniversalAuth', {
        summary: 'Take universal auth from a machine identity, with its client secrets and tokens',
        params: ByIdentityId,
        response,
      }),
      async ({ actor, params }) => universalAuthAnswer(await universalAuth.detach(actor, params.identityId)),
    )

    app.post(
      `${PATH}/clear-lockouts`,
      endpoint('clearUniversalAuthLockouts', {
        summary: 'End the lock of a machine identity, and forget its failed logins',
        params: ByIdentityId,
        response: { 200: z.object({ deleted: z.number() }) },
      }),
      async ({ actor, params }) => ({ deleted: await universalAuth.clearLockouts(actor, params.identityId) }),
    )
  }
