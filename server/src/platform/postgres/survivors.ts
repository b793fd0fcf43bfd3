import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unless } from '../../lib/error-code.ts'
import type { Cluster } from './cluster.ts'
import { openDatabase } from './database.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import { listPostgresProcesses } from './postgres-processes.ts'
import { postmasterFilePath, readPostmasterFile } from './postmaster-file.ts'
import type { PostmasterFile } from './postmaster-file.ts'
import { postmasterArguments } from './settings.ts'
import { stopProcesses } from './stop-processes.ts'

/** Recovery after a crash reads at most `max_wal_size` of log; a slow disk may take minutes for it. */
export const RECOVERY_PATIENCE_MS = 600_000

const POLL_MS = 20

/** A postmaster needs milliseconds from its birth to its file; children of a dead one mostly notice as fast. */
const UNANNOUNCED_PATIENCE_MS = 1_000

export const stillRecovering = ({ logFile }: Cluster) =>
  new DataDirectoryError(
    `PostgreSQL is still recovering after ten minutes: start Holdfast again to keep waiting, and see ${logFile}.`,
  )

/** PostgreSQL writes its command line to a file; one that was started with other settings is of no use. */
const hasOurSettings = async (cluster: Cluster) => {
  const options = (await unless(['ENOENT'], readFile(join(cluster.directory, 'postmaster.opts'), 'utf8'))) ?? ''
  const expected = postmasterArguments(cluster).map((argument) => `"${argument}"`)
  return options.trimEnd().endsWith(`/postgres ${expected.join(' ')}`)
}

const isUsable = async (cluster: Cluster) => {
  if (!(await hasOurSettings(cluster))) return false
  try {
    return (await openDatabase(cluster)) === cluster.binaries.version
  } catch {
    // Whatever ails it, a new one is started in its place.
    return false
  }
}

/** For a cluster without processes. Returns the pid of a postmaster that did not end in order. */
const clearLockFiles = async (cluster: Cluster, file: PostmasterFile | 'damaged' | undefined) => {
  // A socket has a lock file of its own, whose pid may by now be another process's, as may that of the postmaster.
  for (const name of await readdir(cluster.socketDirectory))
    await rm(join(cluster.socketDirectory, name), { force: true })
  if (file === 'damaged') await rm(postmasterFilePath(cluster.directory))
  return typeof file === 'object' ? file.pid : undefined
}

type Finding = { adopted: number } | { adopted?: undefined; stalePid: number | undefined }

/**
 * Deals with what a killed server left of the cluster: a healthy postmaster is found to be adopted, one that starts is waited for,
 * anything else is ended. The caller holds the home's lock, so nobody else starts or needs one meanwhile.
 */
export const settleSurvivors = async (cluster: Cluster): Promise<Finding> => {
  const begun = performance.now()
  let isReported = false
  for (;;) {
    const pids = await listPostgresProcesses(cluster)
    const file = await readPostmasterFile(cluster.directory)
    if (pids.length === 0) return { stalePid: await clearLockFiles(cluster, file) }

    const postmaster = typeof file === 'object' && pids.includes(file.pid) ? file : undefined
    if (postmaster?.status === 'ready' && (await isUsable(cluster))) return { adopted: postmaster.pid }

    const elapsedMs = performance.now() - begun
    const isComing = postmaster
      ? [undefined, 'starting'].includes(postmaster.status)
      : elapsedMs < UNANNOUNCED_PATIENCE_MS
    if (!isComing) await stopProcesses(cluster, postmaster?.pid)
    else if (elapsedMs > RECOVERY_PATIENCE_MS) throw stillRecovering(cluster)
    else {
      if (!isReported) cluster.report('Waiting for what is left of an earlier PostgreSQL')
      isReported = true
      await delay(POLL_MS)
    }
  }
}
