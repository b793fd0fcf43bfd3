import pg from 'pg'
import { AppError } from '../lib/app-error.ts'
import { codeOf } from '../lib/error-code.ts'
import { isConnectionFailure } from '../platform/db/failures.ts'

/** `isLasting`: only a person can mend it. Anything else may pass, and a server waits for that. */
export type DatabaseProblem = { advice: string; isLasting: boolean }

const CORRECT = 'or correct DATABASE_URL'

/** By SQLSTATE: PostgreSQL has answered, and will answer the same until somebody changes something. */
const ADVICE_BY_STATE: Record<string, string> = {
  '3D000': `create that database, ${CORRECT}`,
  '28P01': 'correct the user or the password in DATABASE_URL',
  '28000': `create that role and let it in (pg_hba.conf), ${CORRECT}`,
  '42501': 'make the role in DATABASE_URL the owner of the database',
  '25006': 'point DATABASE_URL to the primary, not to a copy',
}

const TLS_FAILURE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|ERR_TLS_|ERR_SSL_|EPROTO$)/
/** The driver gives these no code. */
const WITHOUT_TLS = /does not support SSL connections/
const WITHOUT_PASSWORD = /client password must be a string/

/** What a person can do about it, in one line without credentials; undefined when the error is not about the database. */
export const databaseProblem = (error: unknown): DatabaseProblem | undefined => {
  if (error instanceof AppError) return databaseProblem(error.cause)
  // A name with several addresses, none of which answers.
  if (error instanceof AggregateError) return databaseProblem(error.errors[0])
  if (!(error instanceof Error)) return undefined
  const advice = lastingAdvice(error)
  if (advice !== undefined) return { advice: sentence(error, advice), isLasting: true }
  if (!isConnectionFailure(error) || !isConnecting(error)) return undefined
  return { advice: sentence(error, `start it, ${CORRECT}`), isLasting: false }
}

const lastingAdvice = (error: Error): string | undefined => {
  const code = codeOf(error) ?? ''
  if (error instanceof pg.DatabaseError) return ADVICE_BY_STATE[code]
  if (TLS_FAILURE.test(code) || WITHOUT_TLS.test(error.message)) {
    return 'correct sslmode or sslrootcert in DATABASE_URL, or the certificate of PostgreSQL'
  }
  if (WITHOUT_PASSWORD.test(error.message)) return 'it asks for a password: put one into DATABASE_URL'
  return code === 'EACCES' && isConnecting(error) ? `let this user use the socket, ${CORRECT}` : undefined
}

/** A file or folder that is missing has the same code as a socket that is. */
const FILE_CALLS: unknown[] = ['open', 'scandir']
const isConnecting = (error: Error): boolean => !('syscall' in error) || !FILE_CALLS.includes(error.syscall)

const sentence = ({ message }: Error, advice: string): string =>
  `The database cannot be used (${message.replace(/\s+/g, ' ').trim()}): ${advice}`
