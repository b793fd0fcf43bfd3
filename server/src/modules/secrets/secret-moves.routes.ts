import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { tidyPath } from './folder-paths.ts'
import * as schemas from './secret-moves.schemas.ts'
import type { SecretMoveService } from './secret-moves.service.ts'

const PATH = '/api/v4/secrets'
const endpoint = endpoints({ tag: 'Secrets', auth: ['user', 'identity'] })

export const secretMoveRoutes =
  (moves: SecretMoveService): Routes =>
  (app) => {
    app.post(
      `${PATH}/move`,
      endpoint('moveSecrets', { body: schemas.Move, response: { 200: schemas.MoveAnswer } }),
      async ({ actor, body }) => {
        await moves.move(actor, { ...toTransfer(body), projectId: body.projectId })
        return { isSourceUpdated: true, isDestinationUpdated: true }
      },
    )

    app.post(
      `${PATH}/duplicate`,
      endpoint('duplicateSecrets', { body: schemas.Duplication, response: { 200: schemas.DuplicationAnswer } }),
      async ({ actor, body }) => ({
        results: await moves.duplicate(
          actor,
          { ...toTransfer(body), projectId: body.projectId },
          body.attributesToCopy,
        ),
      }),
    )

    app.post(
      '/api/v3/secrets/move',
      endpoint('moveRawSecrets', { legacy: true, body: schemas.WorkspaceMove, response: { 200: schemas.MoveAnswer } }),
      async ({ actor, body }) => {
        await moves.move(actor, { ...toTransfer(body), projectSlug: body.projectSlug })
        return { isSourceUpdated: true, isDestinationUpdated: true }
      },
    )
  }

const toTransfer = (body: Omit<schemas.Move, 'projectId'>) => ({
  source: { environment: body.sourceEnvironment, path: tidyPath(body.sourceSecretPath) },
  destination: { environment: body.destinationEnvironment, path: tidyPath(body.destinationSecretPath) },
  secretIds: body.secretIds,
  shouldOverwrite: body.shouldOverwrite,
})
