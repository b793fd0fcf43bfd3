import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { watchLog } from './postmaster-log.ts'
import { runPostmaster } from './run-postmaster.ts'
import type { Postmaster } from './run-postmaster.ts'
import { stopProcesses } from './stop-processes.ts'

/** Between two starts; longer after one that failed. */
const RESTART_INTERVAL_MS = 1_000
const RETRY_INTERVAL_MS = 10_000

/**
 * Runs the database server, and again whenever it ends unasked; the returned function ends it for good. `warn` is told
 * of that, and of every alarm in its log.
 */
export const supervise = async (cluster: Cluster, warn: (message: string) => void): Promise<() => Promise<void>> => {
  let postmaster: Postmaster | undefined = await runPostmaster(cluster)
  const log = await watchLog(cluster.logFile, (line) => warn(`PostgreSQL says: ${line}`))
  const stopping = new AbortController()
  const stopAsked = once(stopping.signal, 'abort')
  const isStopping = () => stopping.signal.aborted

  const restart = async () => {
    await log.look()
    warn('PostgreSQL ended unexpectedly')
    try {
      postmaster = await runPostmaster({ ...cluster, report: warn })
    } catch (error) {
      postmaster = undefined
      warn(error instanceof Error ? error.message : String(error))
    }
  }
  const watch = async () => {
    while (!isStopping()) {
      const interval = delay(postmaster ? RESTART_INTERVAL_MS : RETRY_INTERVAL_MS, undefined, { ref: false })
      await Promise.race([stopAsked, Promise.all([postmaster?.exited, interval])])
      if (!isStopping()) await restart()
    }
  }

  const watching = watch()
  return async () => {
    stopping.abort()
    await watching
    log.close()
    await stopProcesses(cluster, postmaster?.pid)
  }
}
