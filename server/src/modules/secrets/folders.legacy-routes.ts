import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ROOT } from './folder-paths.ts'
import * as views from './folder-views.ts'
import * as schemas from './folders.schemas.ts'
import type { FolderService } from './folders.service.ts'

const PATH = '/api/v1/folders'
const endpoint = endpoints({ tag: 'Folders', auth: ['user', 'identity'] })

type Words = { workspaceId: string; path?: string | undefined; directory?: string | undefined }

const translated = <Rest extends Words>({ workspaceId, path, directory, ...rest }: Rest) => ({
  ...rest,
  projectId: workspaceId,
  path: path ?? directory ?? ROOT,
})

export const folderLegacyRoutes =
  (folders: FolderService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createWorkspaceFolder', {
        legacy: true,
        body: schemas.NewWorkspaceFolder,
        response: { 200: schemas.FolderWithPathAnswer },
      }),
      async ({ actor, body: { description = null, ...body } }) => ({
        folder: views.toFolderWithPath(await folders.create(actor, { ...translated(body), description })),
      }),
    )

    app.get(
      PATH,
      endpoint('listWorkspaceFolders', {
        legacy: true,
        querystring: schemas.WorkspaceFolderQuery,
        response: { 200: schemas.FolderList },
      }),
      async ({ actor, query: { recursive: isRecursive, lastSecretModified: modifiedSince, ...query } }) => ({
        folders: (await folders.list(actor, { ...translated(query), isRecursive, modifiedSince })).map(
          views.toListedFolder,
        ),
      }),
    )

    app.patch(
      `${PATH}/batch`,
      endpoint('updateWorkspaceFolders', {
        legacy: true,
        body: schemas.WorkspaceFolderBatch,
        response: { 200: schemas.FolderList },
      }),
      async ({ actor, body: { projectSlug, folders: renamings } }) => {
        const wishes = renamings.map(({ id, ...renaming }) => ({ ...renaming, idOrName: id }))
        return { folders: (await folders.updateAll(actor, { projectSlug }, wishes)).map(views.toFolder) }
      },
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getWorkspaceFolder', {
        legacy: true,
        params: schemas.ById,
        response: { 200: schemas.FolderDetails },
      }),
      async ({ actor, params }) => ({ folder: views.toFolderDetails(await folders.get(actor, params.id)) }),
    )

    app.patch(
      `${PATH}/:idOrName`,
      endpoint('updateWorkspaceFolder', {
        legacy: true,
        params: schemas.ByIdOrName,
        body: schemas.WorkspaceFolderChanges,
        response: { 200: schemas.FolderWithPathAnswer },
      }),
      async ({ actor, params, body }) => ({
        folder: views.toFolderWithPath(await folders.update(actor, { ...translated(body), ...params })),
      }),
    )

    app.delete(
      `${PATH}/:idOrName`,
      endpoint('deleteWorkspaceFolder', {
        legacy: true,
        summary: 'Deletes a folder with everything in it',
        params: schemas.ByIdOrName,
        body: schemas.WorkspaceFolderDeletion,
        response: { 200: schemas.FolderAnswer },
      }),
      async ({ actor, params, body }) => ({
        folder: views.toFolder(await folders.delete(actor, { ...translated(body), ...params, isForced: true })),
      }),
    )
  }
