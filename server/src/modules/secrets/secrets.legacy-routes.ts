import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { SecretListService } from './secret-lists.service.ts'
import * as requests from './secret-requests.ts'
import type { SecretWriteService } from './secret-writes.service.ts'
import * as schemas from './secrets.schemas.ts'
import type { SecretService } from './secrets.service.ts'

const PATH = '/api/v3/secrets/raw'
const endpoint = endpoints({ tag: 'Secrets', auth: ['user', 'identity'] })

type Services = { secrets: SecretService; secretLists: SecretListService; secretWrites: SecretWriteService }
export const secretLegacyRoutes =
  ({ secrets, secretLists, secretWrites }: Services): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listRawSecrets', {
        legacy: true,
        querystring: schemas.WorkspaceListQuery,
        response: { 200: schemas.SecretList },
      }),
      async (request, reply) => {
        const query = requests.toReading(requests.translated(request.query), false)
        const options = { personal: 'beside', importsAreRelative: false } as const
        return requests.sendList(request, reply, await secretLists.list(request.actor, { ...query, ...options }))
      },
    )

    app.get(
      `${PATH}/:secretName`,
      endpoint('getRawSecret', {
        legacy: true,
        params: schemas.ByName,
        querystring: schemas.WorkspaceGetQuery,
        response: { 200: schemas.SecretAnswer },
        serialize: JSON.stringify,
      }),
      async ({ actor, params, query }) => ({
        secret: await secrets.get(actor, params.secretName, requests.toReading(requests.translated(query), false)),
      }),
    )

    app.get(
      `${PATH}/id/:secretId`,
      endpoint('getRawSecretById', {
        legacy: true,
        params: schemas.ById,
        response: { 200: schemas.SecretByIdAnswer },
      }),
      async ({ actor, params }) => ({ secret: await secrets.getById(actor, params.secretId) }),
    )

    app.post(
      `${PATH}/:secretName`,
      endpoint('createRawSecret', {
        legacy: true,
        params: schemas.NewByName,
        body: schemas.NewWorkspaceSecret,
        response: { 200: schemas.CreatedSecret },
      }),
      async ({ actor, params, body }) => {
        const secret = { ...requests.toDetails(body), key: params.secretName, value: body.secretValue }
        const outcome = await secretWrites.create(actor, requests.translated(body), [secret], { type: body.type })
        return { secret: requests.only(requests.toCreated(outcome)) }
      },
    )

    app.patch(
      `${PATH}/:secretName`,
      endpoint('updateRawSecret', {
        legacy: true,
        params: schemas.ByName,
        body: schemas.WorkspaceSecretChanges,
        response: { 200: schemas.UpdatedSecret },
      }),
      async ({ actor, params, body }) => {
        const change = { ...requests.toChange(body), key: params.secretName }
        const outcome = await secretWrites.update(actor, requests.translated(body), [change], { type: body.type })
        return { secret: requests.only(requests.toUpdated(outcome)) }
      },
    )

    app.delete(
      `${PATH}/:secretName`,
      endpoint('deleteRawSecret', {
        legacy: true,
        params: schemas.ByName,
        body: schemas.WorkspaceSecretDeletion,
        response: { 200: schemas.DeletedSecretAnswer },
      }),
      async ({ actor, params, body }) => {
        const deletion = [{ key: params.secretName, type: body.type }]
        return {
          secret: requests.only(
            requests.toDeleted(await secretWrites.delete(actor, requests.translated(body), deletion)),
          ),
        }
      },
    )
  }
