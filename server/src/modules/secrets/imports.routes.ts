import { badRequest } from '../../lib/app-error.ts'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toImport, toImportDetails, toListedImport } from './import-views.ts'
import * as schemas from './imports.schemas.ts'
import type { ImportService } from './imports.service.ts'

const PATH = '/api/v2/secret-imports'
const endpoint = endpoints({ tag: 'Secret imports', auth: ['user', 'identity'] })

export const importRoutes =
  (imports: ImportService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createSecretImport', { body: schemas.NewImport, response: { 200: schemas.ImportMessage } }),
      async ({ actor, body: { import: source, isReplication, ...importing } }) => {
        requireOffered(isReplication)
        const created = await imports.create(actor, importing, toSource(source))
        return { message: 'Successfully created secret import', secretImport: toImport(created) }
      },
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateSecretImport', {
        params: schemas.ById,
        body: schemas.ImportChanges,
        response: { 200: schemas.ImportMessage },
      }),
      async ({ actor, params, body: { import: changes, ...importing } }) => ({
        message: 'Successfully updated secret import',
        secretImport: toImport(await imports.update(actor, importing, { ...changes, ...params })),
      }),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteSecretImport', {
        params: schemas.ById,
        body: schemas.ImportingFolder,
        response: { 200: schemas.ImportMessage },
      }),
      async ({ actor, params, body }) => ({
        message: 'Successfully deleted secret import',
        secretImport: toImport(await imports.delete(actor, body, params.id)),
      }),
    )

    app.get(
      PATH,
      endpoint('listSecretImports', { querystring: schemas.ImportingFolder, response: { 200: schemas.ImportList } }),
      async ({ actor, query }) => ({
        message: 'Successfully fetched secret imports',
        secretImports: (await imports.list(actor, query)).map(toListedImport),
      }),
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getSecretImport', { params: schemas.ById, response: { 200: schemas.ImportDetails } }),
      async ({ actor, params }) => ({ secretImport: toImportDetails(await imports.get(actor, params.id)) }),
    )
  }

export const requireOffered = (isReplication: boolean) => {
  if (isReplication) throw badRequest('Replicating imports is not available on your current plan')
}

type WireSource = { environment: string; path: string; sourceProjectId?: string | null | undefined }

export const toSource = ({ environment, path, sourceProjectId }: WireSource) => ({
  environment,
  path,
  projectId: sourceProjectId || undefined,
})
