import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Figure } from '../cases/case.ts'

const run = promisify(execFile)
const CLIENTS = 16
const THREADS = 2

/** What PostgreSQL itself can do here, asked by its own tool; nothing where that is not installed. */
export const measurePgbench = async (databaseUrl: string, seconds: number, signal: AbortSignal): Promise<Figure[]> => {
  try {
    await run('pgbench', ['--initialize', '--quiet', databaseUrl], { signal })
    const { stdout } = await run(
      'pgbench',
      [
        ...['--select-only', '--no-vacuum', '--protocol=prepared', `--client=${CLIENTS}`, `--jobs=${THREADS}`],
        ...[`--time=${Math.max(1, Math.round(seconds))}`, databaseUrl],
      ],
      { signal },
    )
    const perSecond = /^tps = ([\d.]+)/m.exec(stdout)?.[1]
    return perSecond === undefined
      ? []
      : [{ title: `pgbench -S, ${CLIENTS} clients`, value: Number(perSecond), unit: '/s' }]
  } catch {
    // Not installed, or not able to here: one ceiling less is no reason to measure nothing.
    signal.throwIfAborted()
    return []
  }
}
