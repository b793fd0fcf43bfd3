/** What went wrong, in the words of the house. `platform/http/wire-errors.ts` alone knows how each looks on the wire. */
export type ErrorKind =
  | 'bad-request'
  | 'unauthenticated'
  | 'token-rejected'
  | 'permission-denied'
  | 'forbidden'
  | 'boundary'
  | 'policy'
  | 'not-found'
  | 'invalid-input'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'unavailable'

type Options = {
  /** For the caller: any JSON. */
  details?: unknown
  /** For the caller: replaces the kind's usual `error` name where clients look for a particular one. */
  code?: string
  /** For the log only. */
  cause?: unknown
  /** For `rate-limited` and `unavailable`: when to come back. */
  retryAfterSeconds?: number
}

/** An error whose message is meant for the caller. Anything else that is thrown is a bug and answers 500. */
export class AppError extends Error {
  readonly kind: ErrorKind
  readonly details: unknown
  readonly code: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ErrorKind, message: string, { details, code, cause, retryAfterSeconds }: Options = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'AppError'
    this.kind = kind
    this.details = details
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const errorOf = (kind: ErrorKind) => (message: string, options?: Options) => new AppError(kind, message, options)

export const badRequest = errorOf('bad-request')
export const unauthenticated = errorOf('unauthenticated')
export const tokenRejected = errorOf('token-rejected')
export const forbidden = errorOf('forbidden')
export const notFound = errorOf('not-found')
export const rateLimited = errorOf('rate-limited')
export const unavailable = errorOf('unavailable')
