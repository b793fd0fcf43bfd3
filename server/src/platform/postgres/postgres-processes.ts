import { readdirSync, readFileSync, statSync } from 'node:fs'
import { codeOf } from '../../lib/error-code.ts'
import { run } from './command.ts'
import type { Cluster } from './cluster.ts'

type Process = { pid: number; uid: number; command: string }

/** Undefined for one that ended meanwhile, also if its parent has not taken note of it. */
const readLinuxProcess = (pid: number): Process | undefined => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
    if (command === '' && /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return undefined
    return { pid, uid: statSync(`/proc/${pid}`).uid, command }
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

const readLinuxProcesses = (pids: number[]) => pids.flatMap((pid) => readLinuxProcess(pid) ?? [])

const listLinuxPids = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []))

const listWithPs = async (selection: string[]) => {
  const { output } = await run('ps', ['-ww', ...selection, '-o', 'pid=', '-o', 'uid=', '-o', 'command='])
  return output.split('\n').flatMap((line) => {
    const [, pid, uid, command] = /^\s*(\d+)\s+(-?\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined ? [] : [{ pid: Number(pid), uid: Number(uid) >>> 0, command: command.trimEnd() }]
  })
}

/** The postmaster has the cluster's name among its arguments, its children have it in their title. */
export const belongsTo = (cluster: Pick<Cluster, 'name' | 'user'>, { uid, command }: Process) =>
  uid === (cluster.user?.uid ?? process.getuid?.()) &&
  (command.startsWith(`postgres: ${cluster.name}: `) ||
    (/^\S.*\/postgres -D /.test(command) && command.includes(` -c cluster_name=${cluster.name} -c `)))

const isLinux = process.platform === 'linux'

/** The pids of every PostgreSQL process, postmaster or child, that works on this very directory. */
export const listPostgresProcesses = async (cluster: Cluster): Promise<number[]> => {
  const processes = isLinux ? readLinuxProcesses(listLinuxPids()) : await listWithPs(['-ax'])
  return processes.filter((candidate) => belongsTo(cluster, candidate)).map(({ pid }) => pid)
}

/** Whether this pid is, now, one of them. */
export const isPostgresProcess = async (cluster: Cluster, pid: number): Promise<boolean> => {
  const processes = isLinux ? readLinuxProcesses([pid]) : await listWithPs(['-p', String(pid)])
  return processes.some((candidate) => belongsTo(cluster, candidate))
}

/** Whether one that was among them has ended for good: on its way out a process first loses its command line. */
export const hasEnded = async (cluster: Cluster, pid: number): Promise<boolean> => {
  const processes = isLinux ? readLinuxProcesses([pid]) : await listWithPs(['-p', String(pid)])
  return processes.every((candidate) => candidate.command !== '' && !belongsTo(cluster, candidate))
}
