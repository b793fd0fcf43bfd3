import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '../../lib/error-code.ts'
import type { Cluster } from './cluster.ts'
import { hasEnded, isPostgresProcess, listPostgresProcesses } from './postgres-processes.ts'

/** Fast: ends the sessions and writes everything out. Immediate: recovery at the next start makes up for it. */
const WAYS_TO_STOP = [
  { signal: 'SIGINT', patienceMs: 8_000 },
  { signal: 'SIGQUIT', patienceMs: 7_000 },
] as const

/** Children notice the end of their postmaster, unless they are busy. */
const CHILDREN_PATIENCE_MS = 1_000
const KILL_PATIENCE_MS = 5_000
const POLL_MS = 20

const within = async (patienceMs: number, isDone: () => Promise<boolean>) => {
  const deadline = performance.now() + patienceMs
  while (!(await isDone())) {
    if (performance.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It may have ended since it was looked at.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

const stopPostmaster = async (cluster: Cluster, pid: number) => {
  for (const way of WAYS_TO_STOP) {
    if (!(await isPostgresProcess(cluster, pid))) return
    signal(pid, way.signal)
    if (await within(way.patienceMs, () => hasEnded(cluster, pid))) return
  }
}

/** Ends every process of the cluster and none other: the postmaster in order, and what is left after it by force. */
export const stopProcesses = async (cluster: Cluster, postmasterPid?: number) => {
  if (postmasterPid !== undefined) await stopPostmaster(cluster, postmasterPid)
  if (await within(CHILDREN_PATIENCE_MS, async () => (await listPostgresProcesses(cluster)).length === 0)) return

  const left = await listPostgresProcesses(cluster)
  for (const pid of left) signal(pid, 'SIGKILL')
  const areGone = async () => (await Promise.all(left.map((pid) => hasEnded(cluster, pid)))).every(Boolean)
  if (!(await within(KILL_PATIENCE_MS, areGone))) {
    throw new Error(`The processes ${left.join(', ')} of ${cluster.directory} do not end`)
  }
}
