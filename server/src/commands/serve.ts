import { once } from 'node:events'
import { createApp, type App } from '../app.ts'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { isConnectionFailure } from '../platform/db/failures.ts'
import { createLogger } from '../platform/logger.ts'
import { openInstallation, type Installation } from './installation.ts'
import { Progress } from './progress.ts'

const DATABASE_RETRY_MS = 500

/** Serves until a signal comes, then stops in order: requests, background work, database. */
export const serve = async (config: Config): Promise<void> => {
  const progress = new Progress()
  const stopping = stopSignal()
  const installation = await openInstallation(config, progress)
  const app = createApp({ ...installation, config, log: createLogger(config.logLevel) })
  try {
    await listen(app, config)
    await prepare(app, { installation, progress, stopping })
    if (!stopping.aborted) greet(config, progress)
    await aborted(stopping)
    progress.line('\n  stopping …')
  } finally {
    await app.stop()
    await installation.close()
  }
  progress.line('  stopped')
}

/** A second signal ends the process at once. */
const stopSignal = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort()
    })
  }
  return controller.signal
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
  http.server.listen({ host, port })
  await listening.catch((error: unknown) => {
    throw portProblem(error, host, port)
  })
}

const portProblem = (error: unknown, host: string, port: number): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new OperatorError(`Port ${port} on ${host} is in use: stop what uses it, or set PORT to another`)
  if (code === 'EACCES')
    return new OperatorError(`Port ${port} on ${host} may not be used by this user: set PORT to one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new OperatorError(`HOST ${host} is not an address of this machine`)
  return error
}

type Preparation = { installation: Installation; progress: Progress; stopping: AbortSignal }

/** Until the database is there and fits, requests are answered 503. */
const prepare = (app: App, { installation, progress, stopping }: Preparation): Promise<void> =>
  progress.step('database', async (report) => {
    while (!stopping.aborted) {
      try {
        await app.prepare(report)
        return
      } catch (error) {
        if (!isConnectionFailure(error)) throw error
        report(`waiting for ${installation.description}`)
        await new Promise((resolve) => setTimeout(resolve, DATABASE_RETRY_MS))
      }
    }
  })

const greet = ({ siteUrl }: Config, progress: Progress): void => {
  progress.line('')
  progress.line(`  Holdfast is ready at ${siteUrl}`)
  progress.line(`  Its interface is described at ${siteUrl}/api/docs`)
  progress.line('  First time here? The README says how to create the first organization. Ctrl-C stops everything.')
  progress.line('')
}
