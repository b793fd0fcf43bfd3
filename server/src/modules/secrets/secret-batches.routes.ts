import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as requests from './secret-requests.ts'
import type { SecretWriteService } from './secret-writes.service.ts'
import * as schemas from './secrets.schemas.ts'

const PATH = '/api/v4/secrets/batch'
const endpoint = endpoints({ tag: 'Secrets', auth: ['user', 'identity'] })

export const secretBatchRoutes =
  (secretWrites: SecretWriteService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createSecrets', { body: schemas.NewSecrets, response: { 200: schemas.CreatedSecrets } }),
      async ({ actor, body }) => ({
        secrets: requests.toCreated(
          await secretWrites.create(actor, body, body.secrets.map(requests.toWanted), { isBatch: true }),
        ),
      }),
    )

    app.patch(
      PATH,
      endpoint('updateSecrets', { body: schemas.SecretsChanges, response: { 200: schemas.UpdatedSecrets } }),
      async ({ actor, body }) => {
        const options = { isBatch: true, mode: body.mode }
        const outcome = await secretWrites.update(actor, body, body.secrets.map(requests.toWantedChange), options)
        return { secrets: requests.toUpdated(outcome) }
      },
    )

    app.delete(
      PATH,
      endpoint('deleteSecrets', { body: schemas.SecretsDeletion, response: { 200: schemas.DeletedSecrets } }),
      async ({ actor, body }) => ({
        secrets: requests.toDeleted(
          await secretWrites.delete(actor, body, body.secrets.map(requests.toWantedDeletion), { isBatch: true }),
        ),
      }),
    )
  }
