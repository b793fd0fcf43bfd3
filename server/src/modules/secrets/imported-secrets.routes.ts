import { z } from 'zod'
import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { ImportingFolder, ImportingWorkspaceFolder } from './imports.schemas.ts'
import type { SecretListService } from './secret-lists.service.ts'
import { ImportedBlock } from './secrets.schemas.ts'

const environmentInfo = z.object({ id: z.string(), name: z.string(), slug: z.string() })
const response = { 200: z.object({ secrets: z.array(ImportedBlock.extend({ environmentInfo })) }) }
const endpoint = endpoints({ tag: 'Secret imports', auth: ['user', 'identity'] })

export const importedSecretRoutes =
  (lists: SecretListService): Routes =>
  (app) => {
    app.get(
      '/api/v2/secret-imports/secrets/raw',
      endpoint('listImportedSecrets', { querystring: ImportingFolder, response }),
      async ({ actor, query }) => ({ secrets: await lists.listImported(actor, query) }),
    )

    app.get(
      '/api/v1/secret-imports/secrets/raw',
      endpoint('listWorkspaceImportedSecrets', { legacy: true, querystring: ImportingWorkspaceFolder, response }),
      async ({ actor, query: { workspaceId, ...query } }) => ({
        secrets: await lists.listImported(actor, { ...query, projectId: workspaceId }),
      }),
    )
  }
