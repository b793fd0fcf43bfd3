import { type Config } from '../config.ts'
import { createFoundation, type Foundation, prepareDatabase } from '../foundation.ts'
import { createLogger } from '../platform/logger.ts'
import { createServices, type Services } from '../services.ts'
import { joinInstallation } from './installation.ts'
import { Progress } from './progress.ts'

type Administration = { foundation: Foundation; services: Services; write: (line: string) => void }

/** Runs a command on the installation, beside its servers if there are any. */
export const administer = async <T>(
  config: Config,
  work: (administration: Administration) => Promise<T>,
): Promise<T> => {
  const progress = new Progress()
  const installation = await joinInstallation(config, progress)
  const foundation = createFoundation({ ...installation, config, log: createLogger('warn') })
  const services = createServices(foundation)
  try {
    await prepareDatabase(foundation, { report: () => undefined, mayMigrate: false })
    return await work({ foundation, services, write: (line) => progress.line(line) })
  } finally {
    await services.close()
    await installation.close()
  }
}
