import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { CHILD_ENVIRONMENT, idsOf } from './command.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import { openDatabase } from './database.ts'
import { isPostgresProcess } from './postgres-processes.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { openLog } from './postmaster-log.ts'
import { postmasterArguments } from './settings.ts'
import { stopProcesses } from './stop-processes.ts'
import { RECOVERY_PATIENCE_MS, settleSurvivors, stillRecovering } from './survivors.ts'

/** A running database server: our child, or one that an earlier Holdfast left behind. */
export type Postmaster = { pid: number; exited: Promise<void> }

const POLL_MS = 10
const ADOPTED_POLL_MS = 1_000
const MAX_ATTEMPTS = 3

/** A start without recovery is done well before this. */
const USUAL_START_MS = 2_000

const spawnPostmaster = (cluster: Cluster, logDescriptor: number, stalePid: number | undefined) =>
  spawn(cluster.binaries.postgres, postmasterArguments(cluster), {
    ...idsOf(cluster.user),
    cwd: '/',
    // PostgreSQL does not start while the pid in a left-over postmaster.pid is in use, by whomever, except for that of the process
    // it is told to be a grandchild of. It still makes sure that no other postmaster holds the shared memory named in that file.
    env: { ...CHILD_ENVIRONMENT, ...(stalePid && { PG_GRANDPARENT_PID: String(stalePid) }) },
    // A session of its own: Ctrl-C in the terminal is for the server, which stops the database in order.
    detached: true,
    stdio: ['ignore', logDescriptor, logDescriptor],
  })

/** True when it accepts connections; false when it ended instead. */
const becomesReady = async (cluster: Cluster, child: ChildProcess, hasExited: () => boolean) => {
  const begun = performance.now()
  let isRecoveryReported = false
  while (!hasExited()) {
    const file = await readPostmasterFile(cluster.directory)
    if (typeof file === 'object' && file.pid === child.pid && file.status === 'ready') return true
    const elapsedMs = performance.now() - begun
    if (elapsedMs > RECOVERY_PATIENCE_MS) throw stillRecovering(cluster)
    if (elapsedMs > USUAL_START_MS && !isRecoveryReported) {
      cluster.report('PostgreSQL is recovering what was written before it was interrupted')
      isRecoveryReported = true
    }
    await delay(POLL_MS)
  }
  return false
}

const startPostmaster = async (
  cluster: Cluster,
  stalePid: number | undefined,
): Promise<Postmaster | { reason: string }> => {
  const { file, lastReason } = await openLog(cluster.logFile)
  try {
    const child = spawnPostmaster(cluster, file.fd, stalePid)
    let hasExited = false
    let spawnError = ''
    const exited = new Promise<void>((resolve) => {
      child.once('error', (error) => resolve(void (spawnError = error.message)))
      child.once('exit', () => resolve())
    }).then(() => void (hasExited = true))
    child.unref()
    const isReady = await becomesReady(cluster, child, () => hasExited)
    return isReady && child.pid !== undefined
      ? { pid: child.pid, exited }
      : { reason: spawnError || (await lastReason()) }
  } finally {
    await file.close()
  }
}

/** Resolves when a postmaster that is not our child is gone; not being able to look, for want of descriptors, proves nothing. */
const watchAdopted = async (cluster: Cluster, pid: number) => {
  while (await isPostgresProcess(cluster, pid).catch(() => true))
    await delay(ADOPTED_POLL_MS, undefined, { ref: false })
}

/** Starts the database server, or adopts the one that is there. */
export const runPostmaster = async (cluster: Cluster): Promise<Postmaster> => {
  let reason = ''
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await settleSurvivors(cluster)
    if (found.adopted !== undefined) {
      cluster.report(`PostgreSQL ${cluster.binaries.version} was still running (pid ${found.adopted})`)
      return { pid: found.adopted, exited: watchAdopted(cluster, found.adopted) }
    }
    cluster.report(`Starting PostgreSQL ${cluster.binaries.version}`)
    const started = await startPostmaster(cluster, found.stalePid)
    if ('pid' in started) {
      await openDatabase(cluster).catch(async (error: unknown) => {
        await stopProcesses(cluster, started.pid)
        throw error
      })
      return started
    }
    reason = started.reason
  }
  throw new DataDirectoryError(`PostgreSQL does not start (${reason}): see ${cluster.logFile}.`)
}
