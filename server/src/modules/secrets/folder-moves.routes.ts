import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import type { FolderMoveService } from './folder-moves.service.ts'
import { ROOT } from './folder-paths.ts'
import { FolderPath } from './folders.schemas.ts'

const Move = z.object({
  projectId: z.string().trim().describe('Id of the project'),
  folderId: z.guid(),
  destinationEnvironment: z.string().trim().describe('Slug of the environment'),
  destinationPath: FolderPath.default(ROOT).describe('Of the folder into which it goes'),
})
const Moved = z.object({
  folderId: z.uuid(),
  sourceEnvironment: z.string(),
  sourcePath: z.string().describe('Of the folder in which it was'),
  destinationEnvironment: z.string(),
  destinationPath: z.string(),
})

const endpoint = endpoints({ tag: 'Folders', auth: ['user', 'identity'] })

export const folderMoveRoutes =
  (moves: FolderMoveService): Routes =>
  (app) => {
    app.post(
      '/api/v2/folders/move',
      endpoint('moveFolder', { body: Move, response: { 200: Moved } }),
      async ({ actor, body }) => moves.move(actor, body),
    )
  }
