import { AppError, badRequest, notFound, type ErrorKind } from '../../lib/app-error.ts'
import { InvalidInput } from './schema-compilers.ts'

/** THE table: how each kind of error looks on the wire. Clients know these names. */
const WIRE: Record<ErrorKind | 'internal', { status: number; error: string }> = {
  'bad-request': { status: 400, error: 'BadRequest' },
  unauthenticated: { status: 401, error: 'UnauthorizedError' },
  // wire: an expired or forged token is 403 to every client of this interface.
  'token-rejected': { status: 403, error: 'TokenError' },
  'permission-denied': { status: 403, error: 'PermissionDenied' },
  forbidden: { status: 403, error: 'ForbiddenError' },
  boundary: { status: 403, error: 'PermissionBoundaryError' },
  policy: { status: 403, error: 'PolicyViolationError' },
  'not-found': { status: 404, error: 'NotFound' },
  'payload-too-large': { status: 413, error: 'PayloadTooLarge' },
  'unsupported-media-type': { status: 415, error: 'UnsupportedMediaType' },
  'invalid-input': { status: 422, error: 'ValidationFailure' },
  'rate-limited': { status: 429, error: 'RateLimitExceeded' },
  internal: { status: 500, error: 'InternalServerError' },
  unavailable: { status: 503, error: 'ServiceUnavailable' },
}

const INTERNAL_MESSAGE = 'Something went wrong'
const RETRY_AFTER_SECONDS = 1

export type WireError = { status: number; retryAfterSeconds: number | undefined; body: ErrorBody }

export type ErrorBody = { reqId: string; statusCode: number; message: unknown; error: string; details?: unknown }

/** What the caller sees. Undefined stands for a bug, of which the caller learns nothing. */
export const wireErrorOf = (error: AppError | undefined, reqId: string): WireError => {
  const kind = error?.kind ?? 'internal'
  const { status, error: usualName } = WIRE[kind]
  const start = { reqId, statusCode: status, message: error ? messageOf(error) : INTERNAL_MESSAGE }
  const name = { error: error?.code ?? usualName }
  const details = error?.details === undefined || kind === 'invalid-input' ? {} : { details: error.details }
  return {
    status,
    retryAfterSeconds: retryAfterOf(error),
    // wire: in a 403 the details come before the name.
    body: status === 403 ? { ...start, ...details, ...name } : { ...start, ...name, ...details },
  }
}

const messageOf = ({ kind, details, message }: AppError): unknown => {
  if (kind !== 'invalid-input') return message
  return Array.isArray(details) ? details : [{ code: 'custom', message, path: [] }]
}

const retryAfterOf = (error: AppError | undefined): number | undefined => {
  if (error?.kind !== 'rate-limited' && error?.kind !== 'unavailable') return undefined
  return Math.max(1, Math.ceil(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS))
}

/** Puts what the framework and the database say about bad input in our words. Undefined: this is a bug. */
export const appErrorOf = (error: unknown): AppError | undefined => {
  if (error instanceof AppError) return error
  if (error instanceof InvalidInput) return new AppError('invalid-input', error.message, { details: error.issues })
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  if (isBrokenBody(error)) return badRequest('The body ended early')
  if (isUnstorable(error.code)) return unstorable(error)
  return FRAMEWORK[error.code]?.()
}

export const unsupportedMediaType = () =>
  new AppError('unsupported-media-type', 'The content type of the body is not supported here, send application/json')

const FRAMEWORK: Partial<Record<string, () => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('payload-too-large', 'The body is larger than the server accepts'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => badRequest('The body does not have the length that its header says'),
  FST_ERR_BAD_URL: () => badRequest('The URL is not encoded correctly'),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound('A part of the path is longer than any name'),
}

/** The framework marks a body that broke off; the same code without the mark comes from a connection of ours. */
const isBrokenBody = (error: Error & { code: unknown }) =>
  error.code === 'ECONNRESET' && 'statusCode' in error && error.statusCode === 400

/** SQLSTATE of values that PostgreSQL cannot take: too long, out of range, of another form, with a NUL byte. */
const isUnstorable = (code: string) => ['22001', '22003', '22007', '22008', '22021', '22P02', '22P05'].includes(code)

const unstorable = (cause: unknown) =>
  new AppError('invalid-input', 'A value is too long, out of range or holds a character that cannot be stored', {
    cause,
  })
