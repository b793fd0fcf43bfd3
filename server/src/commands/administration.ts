import { type Config } from '../config.ts'
import { createFoundation, type Foundation, prepareDatabase } from '../foundation.ts'
import { createLogger } from '../platform/logger.ts'
import { createServices, type Services } from '../services.ts'
import { joinInstallation, withInstallation } from './installation.ts'
import { Progress } from './progress.ts'

type Administration = { foundation: Foundation; services: Services; write: (line: string) => void }

/** Runs a command on the installation, beside its servers if there are any. */
export const administer = async <T>(
  config: Config,
  work: (administration: Administration) => Promise<T>,
): Promise<T> => {
  const progress = new Progress()
  return withInstallation(joinInstallation(config, progress), async (installation) => {
    const foundation = createFoundation({ ...installation, config, log: createLogger('warn') })
    await prepareDatabase(foundation, { report: () => undefined, mayMigrate: false })
    const services = createServices(foundation)
    const write = (line: string) => progress.line(line)
    return work({ foundation, services, write }).finally(() => services.close())
  })
}
