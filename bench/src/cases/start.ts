import { setTimeout as sleep } from 'node:timers/promises'
import { usageOf } from '../process-usage.ts'
import { createDataDirectory, type DataDirectory } from '../server-process.ts'
import { median } from '../statistics.ts'
import type { Figure, FigureCase } from './case.ts'

/** Time for what runs once after a start to be done. */
const SETTLE_MS = 3_000

const startAndStop = async (directory: DataDirectory, signal: AbortSignal): Promise<number> => {
  const server = await directory.start({ signal })
  await server.stop()
  return server.startSeconds
}

/** From nothing and from a data directory that is there, PostgreSQL included; and what a server that has nothing to do holds. */
export const start: FigureCase = {
  name: 'start',
  measure: async ({ repeats, signal }) => {
    const cold: number[] = []
    const warm: number[] = []
    const memoryMb: number[] = []
    for (let turn = 0; turn < repeats; turn++) {
      const directory = await createDataDirectory()
      try {
        cold.push(await startAndStop(directory, signal))
        warm.push(await startAndStop(directory, signal))
        const server = await directory.start({ signal })
        try {
          await sleep(SETTLE_MS)
          const usage = await usageOf(server.pid)
          if (usage) memoryMb.push(usage.memoryMb)
        } finally {
          await server.stop()
        }
      } finally {
        await directory.remove()
      }
    }
    return figures({ cold, warm, memoryMb })
  },
}

const figures = ({ cold, warm, memoryMb }: Record<'cold' | 'warm' | 'memoryMb', number[]>): Figure[] => [
  { title: 'start to first answer, empty data directory', value: median(cold), unit: 's', goalMax: 6 },
  { title: 'start to first answer, schema up to date', value: median(warm), unit: 's', goalMax: 1 },
  ...(memoryMb.length > 0
    ? [{ title: 'memory of the idle server', value: median(memoryMb), unit: 'MB', goalMax: 100 }]
    : []),
]
