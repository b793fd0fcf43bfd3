import { prepareBinaries, refuseWindows } from './binaries.ts'
import { openCluster } from './cluster.ts'
import { databaseUrl } from './database.ts'
import { asDataDirectoryError, DataDirectoryError } from './data-directory-error.ts'
import { lockDirectory } from './directory-lock.ts'
import { openHome } from './home.ts'
import type { Home } from './home.ts'
import { closeSocketDirectory } from './socket-directory.ts'
import { supervise } from './supervisor.ts'

export { DataDirectoryError }

export type EmbeddedPostgres = {
  /** For the `pg` driver; a Unix socket that only this user and root can reach. */
  url: string
  version: string
  stop: () => Promise<void>
}

type Options = {
  /** Holdfast's own folder; made if it does not exist. */
  dataDir: string
  report: (progress: string) => void
  /** What happens to it after the start; by default that is reported too. */
  warn?: (message: string) => void
  /** For tests: quick, and lost when the machine stops. */
  ephemeral?: boolean
}

const startIn = async (
  home: Home,
  { report, warn = report, ephemeral = false }: Options,
): Promise<EmbeddedPostgres> => {
  const lock = await lockDirectory(home.path)
  try {
    const binaries = await prepareBinaries(home)
    const cluster = await openCluster(home, binaries, { ephemeral, report })
    const end = await supervise(cluster, warn)
    const stop = async () => {
      await end()
      await closeSocketDirectory(home, cluster.socketDirectory)
      await lock.release()
    }
    let stopped: Promise<void> | undefined
    return { url: databaseUrl(cluster), version: binaries.version, stop: () => (stopped ??= stop()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * Starts PostgreSQL on the data directory, or takes over the one that a killed server left running there. Holds the directory until
 * `stop`, or the end of this process: a second server is refused.
 */
export const startEmbeddedPostgres = async (options: Options): Promise<EmbeddedPostgres> => {
  refuseWindows()
  try {
    return await startIn(await openHome(options.dataDir), options)
  } catch (error) {
    throw asDataDirectoryError(error, options.dataDir)
  }
}
