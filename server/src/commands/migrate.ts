import type { Config } from '../config.ts'
import { createFoundation, prepareDatabase } from '../foundation.ts'
import { createLogger } from '../platform/logger.ts'
import { joinInstallation, withInstallation } from './installation.ts'
import { Progress } from './progress.ts'

/** Brings the schema up to date without serving, for those who do that in a step of its own. */
export const migrateOnly = async (config: Config): Promise<void> => {
  const progress = new Progress()
  await withInstallation(joinInstallation(config, progress), async (installation) => {
    const foundation = createFoundation({ ...installation, config, log: createLogger('warn') })
    await progress.step('database', (report) => prepareDatabase(foundation, { report, mayMigrate: true }))
  })
}
