import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const HOLDFAST = fileURLToPath(new URL('../../bin/holdfast.mjs', import.meta.url))
const TIMEOUT_MS = 30_000

export type Ending = { code: number | string | null | undefined; said: string; shown: string }

/** Runs a command as people do: how it ended, and what it said on standard error and output. */
export const runHoldfast = (
  command: string,
  environment: Record<string, string>,
  executable = HOLDFAST,
): Promise<Ending> =>
  new Promise((resolve) => {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', PORT: '0', ...environment }
    const child = execFile(
      process.execPath,
      [executable, ...command.split(' ')],
      { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) =>
        resolve({ code: error ? (error.signal ?? error.code) : 0, said: stderr, shown: stdout }),
    )
    child.stdin?.end()
  })
