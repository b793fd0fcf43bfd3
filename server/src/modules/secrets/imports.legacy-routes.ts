import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toImport, toImportDetails } from './import-views.ts'
import { requireOffered, toSource } from './imports.routes.ts'
import * as schemas from './imports.schemas.ts'
import type { ImportService } from './imports.service.ts'

const PATH = '/api/v1/secret-imports'
const endpoint = endpoints({ tag: 'Secret imports', auth: ['user', 'identity'] })

const translated = <Rest extends { workspaceId: string }>({ workspaceId, ...rest }: Rest) => ({
  ...rest,
  projectId: workspaceId,
})

export const importLegacyRoutes =
  (imports: ImportService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createWorkspaceSecretImport', {
        legacy: true,
        body: schemas.NewWorkspaceImport,
        response: { 200: schemas.ImportMessage },
      }),
      async ({ actor, body: { import: source, isReplication, ...importing } }) => {
        requireOffered(isReplication)
        const created = await imports.create(actor, translated(importing), toSource(source))
        return { message: 'Successfully created secret import', secretImport: toImport(created) }
      },
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateWorkspaceSecretImport', {
        legacy: true,
        params: schemas.ById,
        body: schemas.WorkspaceImportChanges,
        response: { 200: schemas.ImportMessage },
      }),
      async ({ actor, params, body: { import: changes, ...importing } }) => ({
        message: 'Successfully updated secret import',
        secretImport: toImport(await imports.update(actor, translated(importing), { ...changes, ...params })),
      }),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteWorkspaceSecretImport', {
        legacy: true,
        params: schemas.ById,
        body: schemas.ImportingWorkspaceFolder,
        response: { 200: schemas.ImportMessage },
      }),
      async ({ actor, params, body }) => ({
        message: 'Successfully deleted secret import',
        secretImport: toImport(await imports.delete(actor, translated(body), params.id)),
      }),
    )

    app.get(
      PATH,
      endpoint('listWorkspaceSecretImports', {
        legacy: true,
        querystring: schemas.ImportingWorkspaceFolder,
        response: { 200: schemas.ImportList },
      }),
      async ({ actor, query }) => ({
        message: 'Successfully fetched secret imports',
        secretImports: (await imports.list(actor, translated(query))).map(toImport),
      }),
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getWorkspaceSecretImport', {
        legacy: true,
        params: schemas.ById,
        response: { 200: schemas.ImportDetails },
      }),
      async ({ actor, params }) => ({ secretImport: toImportDetails(await imports.get(actor, params.id)) }),
    )
  }
