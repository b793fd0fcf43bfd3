import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'
import {
  ByClientSecretId,
  ClientSecretAnswer,
  clientSecretData,
  ClientSecretList,
  NewClientSecret,
  NewClientSecretAnswer,
} from './client-secrets.schemas.ts'
import type { ClientSecretService } from './client-secrets.service.ts'

const PATH = '/api/v1/auth/universal-auth/identities/:identityId/client-secrets'
const endpoint = endpoints({ tag: 'Universal auth', auth: ['user', 'identity'] })

export const clientSecretRoutes =
  (clientSecrets: ClientSecretService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createClientSecret', {
        summary: 'Create a client secret',
        params: ByIdentityId,
        body: NewClientSecret,
        response: { 200: NewClientSecretAnswer },
      }),
      async ({ actor, params, body }) => {
        const { text, secret } = await clientSecrets.create(actor, params.identityId, body)
        return { clientSecret: text, clientSecretData: clientSecretData(secret) }
      },
    )

    app.get(
      PATH,
      endpoint('listClientSecrets', {
        summary: 'List the client secrets that are not revoked',
        params: ByIdentityId,
        response: { 200: ClientSecretList },
      }),
      async ({ actor, params }) => {
        const secrets = await clientSecrets.list(actor, params.identityId)
        return { clientSecretData: secrets.map(clientSecretData) }
      },
    )

    app.get(
      `${PATH}/:clientSecretId`,
      endpoint('getClientSecret', {
        summary: 'Get what is known of a client secret',
        params: ByClientSecretId,
        response: { 200: ClientSecretAnswer },
      }),
      async ({ actor, params }) => {
        const secret = await clientSecrets.get(actor, params.identityId, params.clientSecretId)
        return { clientSecretData: clientSecretData(secret) }
      },
    )

    app.post(
      `${PATH}/:clientSecretId/revoke`,
      endpoint('revokeClientSecret', {
        summary: 'Revoke a client secret and the access tokens it was used for',
        params: ByClientSecretId,
        response: { 200: ClientSecretAnswer },
      }),
      async ({ actor, params }) => {
        const secret = await clientSecrets.revoke(actor, params.identityId, params.clientSecretId)
        return { clientSecretData: clientSecretData(secret) }
      },
    )
  }
