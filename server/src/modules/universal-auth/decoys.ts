import { createHash } from 'node:crypto'

/** Enough that attempts on many client ids do not wait for each other, few enough to be nothing. */
const DECOYS = 1_024

/**
 * Whom a failed login is booked on that must not count: one of a number of rows that stand for nobody. It costs what
 * booking it on a real one costs, so the time it takes does not tell whether a client id exists or is locked.
 */
export const decoyOf = (clientId: string): { configId: string; identityId: null } => {
  const number = createHash('sha256').update(clientId).digest().readUInt16BE(0) % DECOYS
  return { configId: `00000000-0000-8000-8000-${number.toString(16).padStart(12, '0')}`, identityId: null }
}
