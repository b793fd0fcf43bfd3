import { AppError, unavailable } from '../../lib/app-error.ts'

const RETRY_AFTER_SECONDS = 1

/** SQLSTATE of a PostgreSQL error, or the errno name of a socket error. */
const codeOf = (error: unknown): string => {
  if (error instanceof AppError) return codeOf(error.cause)
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code)

const SOCKET_FAILURES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The driver gives these no code. */
const DRIVER_FAILURE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/i

/** 08: connection exceptions · 28, 3D: not let in · 53: out of connections, memory, disk · 57P: shutdown, crash, starting up · 57014: statement_timeout · 25P03: idle in transaction */
const isServerFailure = (code: string): boolean =>
  isSqlState(code) && (/^(08|28|3D|53|57)/.test(code) || code === '25P03' || code === '55P03')

/** The disk, the memory or the connections of the database are used up. */
export const isExhausted = (error: unknown): boolean => /^53...$/.test(codeOf(error))

/** True when the database cannot be reached or is not able to answer now, as opposed to having judged the statement. */
export const isConnectionFailure = (error: unknown): boolean => {
  if (error instanceof AppError) return isConnectionFailure(error.cause)
  const code = codeOf(error)
  return (
    SOCKET_FAILURES.has(code) || isServerFailure(code) || (error instanceof Error && DRIVER_FAILURE.test(error.message))
  )
}

/** Serialization failure or deadlock: the same work may succeed when run again. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/** A commit that was cut off may or may not have happened; one that PostgreSQL refused has not. */
export const leavesOutcomeUnknown = (error: unknown): boolean => isConnectionFailure(error)

/** Turns a failure of the database into a 503 for the caller; everything else stays as it is. */
export const readableFailure = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  if (isConnectionFailure(error) || isRetryable(error)) {
    return unavailable('The database is not available at the moment, please try again', {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
  return error
}

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505'
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === '23503'
export const isUndefinedColumn = (error: unknown): boolean => codeOf(error) === '42703'
