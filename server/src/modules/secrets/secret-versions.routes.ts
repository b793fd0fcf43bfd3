import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as requests from './secret-requests.ts'
import type { SecretVersionService } from './secret-versions.service.ts'
import { ById, UpdatedSecret, VersionedSecret } from './secrets.schemas.ts'

const LIMIT_MAX = 1_000

const Page = z.object({
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX),
})
const VersionNumber = z.object({ version: z.number().int().min(1).max(2_147_483_647) })
const ByVersionId = z.object({ versionId: z.string() })

const endpoint = endpoints({ tag: 'Secret versions', auth: ['user', 'identity'] })

export const secretVersionRoutes =
  (versions: SecretVersionService): Routes =>
  (app) => {
    app.get(
      '/api/v1/secret/:secretId/secret-versions',
      endpoint('listSecretVersions', {
        params: ById,
        querystring: Page,
        response: { 200: z.object({ secretVersions: z.array(VersionedSecret) }) },
      }),
      async ({ actor, params, query }) => ({
        secretVersions: requests.toUpdated(await versions.list(actor, params.secretId, query)),
      }),
    )

    app.post(
      '/api/x/secrets/:secretId/rollback',
      endpoint('rollBackSecret', {
        summary: 'Makes an earlier version of a secret its next one, also of a secret that was deleted',
        params: ById,
        body: VersionNumber,
        response: { 200: UpdatedSecret },
      }),
      async ({ actor, params, body }) => ({
        secret: requests.only(requests.toUpdated(await versions.rollBack(actor, params.secretId, body.version))),
      }),
    )

    app.delete(
      '/api/v2/secret-versions/:versionId/redact-value',
      endpoint('redactSecretVersion', { params: ByVersionId, response: { 200: z.object({ message: z.string() }) } }),
      async ({ actor, params }) => {
        await versions.redact(actor, params.versionId)
        return { message: 'Successfully redacted the value of the version' }
      },
    )
  }
