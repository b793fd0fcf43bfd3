import { readFile } from 'node:fs/promises'

export type Usage = { cpuSeconds: number; memoryMb: number }

/** What `getconf CLK_TCK` says on every Linux of today. */
const TICKS_PER_SECOND = 100
/** proc(5), counted from the field behind the name, which may hold spaces. */
const USER_TIME_FIELD = 11
const SYSTEM_TIME_FIELD = 12

/** What a process has used and holds; undefined where the system has no /proc, or for a process elsewhere. */
export const usageOf = async (pid: number | undefined): Promise<Usage | undefined> => {
  if (pid === undefined) return undefined
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ])
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD])
    const residentKb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN)
    return { cpuSeconds: ticks / TICKS_PER_SECOND, memoryMb: (residentKb * 1_024) / 1_000_000 }
  } catch {
    return undefined
  }
}
