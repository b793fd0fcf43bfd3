import { execFile } from 'node:child_process'

/** The system user a command runs as; undefined is whoever runs this process. */
export type RunAs = { uid: number; gid: number } | undefined

type Outcome = { ok: boolean; output: string }

/** The server's own environment holds keys, so its children are given this one instead. */
export const CHILD_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

/** initdb takes a second; the bound is for a disk that does not answer. */
const TIMEOUT_MS = 300_000
const MAX_OUTPUT_BYTES = 1024 * 1024

export const idsOf = (user: RunAs) => (user ? { uid: user.uid, gid: user.gid } : {})

/** Runs a command to its end. Never throws: that it could not be run is an outcome too. */
export const run = (file: string, args: string[], user?: RunAs) =>
  new Promise<Outcome>((resolve) => {
    // The caller's folder may be closed to the user, so the command gets one that is not.
    const options = {
      ...idsOf(user),
      cwd: '/',
      env: CHILD_ENVIRONMENT,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    }
    try {
      execFile(file, args, options, (error, stdout, stderr) => {
        resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') })
      })
    } catch (error) {
      // Node throws, instead of calling back, when the kernel refuses the change of user.
      resolve({ ok: false, output: error instanceof Error ? error.message : String(error) })
    }
  })
