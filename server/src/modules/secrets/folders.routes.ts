import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import * as views from './folder-views.ts'
import * as schemas from './folders.schemas.ts'
import type { FolderService } from './folders.service.ts'

const PATH = '/api/v2/folders'
const endpoint = endpoints({ tag: 'Folders', auth: ['user', 'identity'] })

export const folderRoutes =
  (folders: FolderService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createFolder', { body: schemas.NewFolder, response: { 200: schemas.FolderWithPathAnswer } }),
      async ({ actor, body: { description = null, ...body } }) => ({
        folder: views.toFolderWithPath(await folders.create(actor, { ...body, description })),
      }),
    )

    app.get(
      PATH,
      endpoint('listFolders', { querystring: schemas.FolderQuery, response: { 200: schemas.FolderList } }),
      async ({ actor, query: { recursive: isRecursive, lastSecretModified: modifiedSince, ...query } }) => ({
        folders: (await folders.list(actor, { ...query, isRecursive, modifiedSince })).map(views.toListedFolder),
      }),
    )

    app.get(
      '/api/v1/projects/:projectId/environment-folder-tree',
      endpoint('listProjectFolders', { params: schemas.InProject, response: { 200: schemas.FolderTree } }),
      async ({ actor, params }) => views.toFolderTree(await folders.listAll(actor, params.projectId)),
    )

    app.patch(
      `${PATH}/batch`,
      endpoint('updateFolders', { body: schemas.FolderBatch, response: { 200: schemas.FolderList } }),
      async ({ actor, body: { projectId, folders: renamings } }) => {
        const wishes = renamings.map(({ id, ...renaming }) => ({ ...renaming, idOrName: id }))
        return { folders: (await folders.updateAll(actor, { projectId }, wishes)).map(views.toFolder) }
      },
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getFolder', { params: schemas.ById, response: { 200: schemas.FolderDetails } }),
      async ({ actor, params }) => ({ folder: views.toFolderDetails(await folders.get(actor, params.id)) }),
    )

    app.patch(
      `${PATH}/:idOrName`,
      endpoint('updateFolder', {
        params: schemas.ByIdOrName,
        body: schemas.FolderChanges,
        response: { 200: schemas.FolderWithPathAnswer },
      }),
      async ({ actor, params, body }) => ({
        folder: views.toFolderWithPath(await folders.update(actor, { ...body, ...params })),
      }),
    )

    app.delete(
      `${PATH}/:idOrName`,
      endpoint('deleteFolder', {
        params: schemas.ByIdOrName,
        body: schemas.FolderDeletion,
        response: { 200: schemas.FolderAnswer },
      }),
      async ({ actor, params, body: { forceDelete: isForced, ...body } }) => ({
        folder: views.toFolder(await folders.delete(actor, { ...body, ...params, isForced })),
      }),
    )
  }
