import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { SecretListService } from './secret-lists.service.ts'
import * as requests from './secret-requests.ts'
import type { SecretWriteService } from './secret-writes.service.ts'
import * as schemas from './secrets.schemas.ts'
import type { SecretService } from './secrets.service.ts'

const PATH = '/api/v4/secrets'
const endpoint = endpoints({ tag: 'Secrets', auth: ['user', 'identity'] })

type Services = { secrets: SecretService; secretLists: SecretListService; secretWrites: SecretWriteService }

export const secretRoutes =
  ({ secrets, secretLists, secretWrites }: Services): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listSecrets', { querystring: schemas.ListQuery, response: { 200: schemas.SecretList } }),
      async (request, reply) => {
        const { includePersonalOverrides, ...query } = requests.toReading(request.query, true)
        const personal = includePersonalOverrides ? 'instead' : 'none'
        const list = await secretLists.list(request.actor, { ...query, personal, importsAreRelative: true })
        return requests.sendList(request, reply, list)
      },
    )

    app.get(
      `${PATH}/:secretName`,
      endpoint('getSecret', {
        params: schemas.ByName,
        querystring: schemas.GetQuery,
        response: { 200: schemas.SecretAnswer },
        serialize: JSON.stringify,
      }),
      async ({ actor, params, query }) => ({
        secret: await secrets.get(actor, params.secretName, requests.toReading(query, true)),
      }),
    )

    app.get(
      `${PATH}/id/:secretId`,
      endpoint('getSecretById', { params: schemas.ById, response: { 200: schemas.SecretByIdAnswer } }),
      async ({ actor, params }) => ({ secret: await secrets.getById(actor, params.secretId) }),
    )

    app.post(
      `${PATH}/:secretName`,
      endpoint('createSecret', {
        params: schemas.NewByName,
        body: schemas.NewSecret,
        response: { 200: schemas.CreatedSecret },
      }),
      async ({ actor, params, body }) => {
        const secret = { ...requests.toDetails(body), key: params.secretName, value: body.secretValue }
        const outcome = await secretWrites.create(actor, body, [secret], { type: body.type })
        return { secret: requests.only(requests.toCreated(outcome)) }
      },
    )

    app.patch(
      `${PATH}/:secretName`,
      endpoint('updateSecret', {
        params: schemas.ByName,
        body: schemas.SecretChanges,
        response: { 200: schemas.UpdatedSecret },
      }),
      async ({ actor, params, body }) => {
        const change = { ...requests.toChange(body), key: params.secretName }
        const outcome = await secretWrites.update(actor, body, [change], { type: body.type })
        return { secret: requests.only(requests.toUpdated(outcome)) }
      },
    )

    app.delete(
      `${PATH}/:secretName`,
      endpoint('deleteSecret', {
        params: schemas.ByName,
        body: schemas.SecretDeletion,
        response: { 200: schemas.DeletedSecretAnswer },
      }),
      async ({ actor, params, body }) => {
        const outcome = await secretWrites.delete(actor, body, [{ key: params.secretName, type: body.type }])
        return { secret: requests.only(requests.toDeleted(outcome)) }
      },
    )
  }
