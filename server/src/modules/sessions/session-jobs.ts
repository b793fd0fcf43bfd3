import type { Job } from '../../platform/jobs/job-runner.ts'

type Purging = { purge: () => Promise<void> }
type Deps = { sessions: Purging; throttle: Purging; invites: Purging }

const PURGE_EVERY_MS = 10 * 60_000

/** Forgets what has expired. */
export const sessionJobs = ({ sessions, throttle, invites }: Deps): Job[] => [
  { name: 'purge sessions', everyMs: PURGE_EVERY_MS, run: () => sessions.purge() },
  { name: 'purge login attempts', everyMs: PURGE_EVERY_MS, run: () => throttle.purge() },
  { name: 'purge invitations', everyMs: PURGE_EVERY_MS, run: () => invites.purge() },
]
