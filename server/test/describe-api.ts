import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { loadRootKeys } from '../src/platform/crypto/root-key-settings.ts'
import { buildOpenApi } from '../src/platform/http/openapi.ts'
import { openDatabase } from './test-database.ts'

const INFO = {
  title: 'Holdfast',
  version: '0.1.0',
  description:
    'Secrets and access for a team: projects, environments, machine identities, roles, groups and privileges.',
}

/** The interface as an OpenAPI document. Nothing is started for it. */
export const describeApi = async (): Promise<string> => {
  const rootKey = Buffer.alloc(32).toString('base64')
  const url = 'postgresql://nowhere.invalid/none'
  const app = createApp({
    config: readConfig({ DATABASE_URL: url, HOLDFAST_ROOT_KEY: rootKey }),
    db: openDatabase(url),
    directUrl: url,
    roots: await loadRootKeys({ rootKey }),
    log: pino({ level: 'silent' }),
  })
  await app.http.ready()
  return `${JSON.stringify(buildOpenApi(app.http, INFO), null, 1)}\n`
}
