import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { translated } from './secret-requests.ts'
import type { SecretTaggingService } from './secret-tagging.service.ts'
import { concealed, toListedSecret } from './secret-views.ts'
import { ByName, SecretAnswer, WorkspaceSecretDeletion } from './secrets.schemas.ts'

const PATH = '/api/v3/secrets/tags/:secretName'
const TAGS_MAX = 100

const Tagging = WorkspaceSecretDeletion.omit({ type: true }).extend({
  tagSlugs: z.array(z.string().trim().min(1)).min(1).max(TAGS_MAX),
})
const endpoint = endpoints({ tag: 'Secrets', auth: ['user', 'identity'] })
const definition = { legacy: true as const, params: ByName, body: Tagging, response: { 200: SecretAnswer } }

export const secretTaggingLegacyRoutes =
  (tagging: SecretTaggingService): Routes =>
  (app) => {
    app.post(PATH, endpoint('attachSecretTags', definition), async ({ actor, params, body }) => ({
      secret: shown(await tagging.attach(actor, { ...translated(body), key: params.secretName })),
    }))

    app.delete(PATH, endpoint('detachSecretTags', definition), async ({ actor, params, body }) => ({
      secret: shown(await tagging.detach(actor, { ...translated(body), key: params.secretName })),
    }))
  }

const shown = ({ secret, isReadable, ...where }: Awaited<ReturnType<SecretTaggingService['attach']>>) => {
  const listed = toListedSecret(secret, where)
  return isReadable ? listed : concealed(listed)
}
