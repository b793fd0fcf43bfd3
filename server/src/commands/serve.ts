import { once } from 'node:events'
import { createApp, type App } from '../app.ts'
import type { Config } from '../config.ts'
import { codeOf } from '../lib/error-code.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { loadLicense } from '../modules/licenses/license-settings.ts'
import { createLogger } from '../platform/logger.ts'
import { databaseProblem } from './database-problem.ts'
import { fillInDemo } from './demo.ts'
import { openInstallation, withInstallation, type Installation } from './installation.ts'
import { Progress } from './progress.ts'
import { stopSignal } from './stop-signal.ts'

const DATABASE_RETRY_MS = 500
/** Streams that a server has lost come back at once. The kernel may allow fewer. */
const CONNECTIONS_WAITING_MAX = 4_096
const DEMO = '--demo'

/** Serves until a signal comes, then stops in order: requests, background work, database. */
export const serve = async (config: Config, args: readonly string[] = []): Promise<void> => {
  const isDemo = readArguments(args)
  // A licence that is none is told before anything has been started.
  loadLicense(config.license)
  const progress = new Progress()
  const stopping = stopSignal()
  const log = createLogger(config.logLevel)
  const opening = openInstallation(config, progress, (message) => log.warn(message))
  await withInstallation(opening, async (installation) => {
    const app = createApp({ ...installation, config, log })
    try {
      await listen(app, config)
      await prepare(app, { installation, progress, stopping })
      if (!stopping.aborted) await greet(app, { config, progress, isDemo })
      await aborted(stopping)
      progress.line('\n  stopping …')
    } finally {
      await app.stop()
    }
  })
  progress.line('  stopped')
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const listen = async ({ http }: App, { host, port }: Config): Promise<void> => {
  await http.ready()
  // Not by the framework's own method, which writes a log line among the lines for people.
  const listening = once(http.server, 'listening')
  http.server.listen({ host, port, backlog: CONNECTIONS_WAITING_MAX })
  await listening.catch((error: unknown) => {
    throw portProblem(error, host, port)
  })
}

const portProblem = (error: unknown, host: string, port: number): unknown => {
  const code = codeOf(error)
  if (code === 'EADDRINUSE')
    return new OperatorError(`Port ${port} on ${host} is in use: stop what uses it, or set PORT to another`)
  if (code === 'EACCES')
    return new OperatorError(`Port ${port} on ${host} may not be used by this user: set PORT to one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorError(`HOST ${host} is not an address of this machine`)
  return error
}

type Preparation = { installation: Installation; progress: Progress; stopping: AbortSignal }

/** Until the database is there and fits, requests are answered 503. One that turns the server away ends it instead. */
const prepare = (app: App, { installation, progress, stopping }: Preparation): Promise<void> =>
  progress.step('database', async (report) => {
    while (!stopping.aborted) {
      try {
        await app.prepare(report)
        return
      } catch (error) {
        if (databaseProblem(error)?.isLasting !== false) throw error
        report(`waiting for ${installation.description}`)
        await new Promise((resolve) => setTimeout(resolve, DATABASE_RETRY_MS))
      }
    }
  })

const readArguments = (args: readonly string[]): boolean => {
  const unknown = args.find((argument) => argument !== DEMO)
  if (unknown !== undefined) throw new OperatorError(`serve: there is no option '${unknown}', only ${DEMO}`)
  return args.length > 0
}

type Greeting = { config: Config; progress: Progress; isDemo: boolean }

const greet = async ({ services }: App, { config, progress, isDemo }: Greeting): Promise<void> => {
  const { siteUrl } = config
  progress.line('')
  progress.line(`  Holdfast is ready at ${siteUrl}`)
  progress.line(`  Its interface is described at ${siteUrl}/api/docs`)
  for (const notice of await services.licenses.notices()) progress.line(`  ${notice}`)
  if (isDemo) await fillInDemo({ services, config, write: (line) => progress.line(line) })
  else
    progress.line('  First time here? The README says how to create the first organization. Ctrl-C stops everything.')
  progress.line('')
}
