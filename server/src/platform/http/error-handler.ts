import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../lib/app-error.ts'
import { isExhausted } from '../db/failures.ts'
import { describeError } from '../logger.ts'
import { entityTagOf } from './entity-tag.ts'
import { JSON_TYPE } from './response-headers.ts'
import { appErrorOf, wireErrorOf } from './wire-errors.ts'

/** Told of every 401 and 403 before it is sent. */
export type OnRefused = (request: FastifyRequest, error: AppError) => unknown

export const errorHandler =
  (onRefused?: OnRefused) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const known = appErrorOf(error)
    const { status, retryAfterSeconds, body } = wireErrorOf(known, request.id)
    logFailure(request, error, status)
    if (known && onRefused && (status === 401 || status === 403)) await recordRefusal(onRefused, request, known)

    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    const payload = JSON.stringify(body)
    return reply
      .code(status)
      .headers({ 'content-type': JSON_TYPE, etag: entityTagOf(payload) })
      .send(payload)
  }

/** The refusal stands, whether or not it could be recorded. */
const recordRefusal = async (onRefused: OnRefused, request: FastifyRequest, error: AppError): Promise<void> => {
  try {
    await onRefused(request, error)
  } catch (failure) {
    request.log.error({ reqId: request.id, error: describeError(failure) }, 'a refusal could not be recorded')
  }
}

const logFailure = (request: FastifyRequest, error: unknown, status: number): void => {
  if (status < 500) return
  const { method, url } = request.routeOptions
  const origin = { reqId: request.id, method, route: url, status }
  const entry = { ...origin, error: describeError(error) }
  if (status === 500) request.log.error(entry, 'request failed')
  // Without the stack: these come by the hundred, and the disk may be full.
  else if (isExhausted(error))
    request.log.warn({ ...origin, reason: reasonOf(error) }, 'the database has run out of room')
  // While the database is away every request ends here, and the change feed has said so once.
  else request.log.debug(entry, 'request could not be served')
}

const reasonOf = (error: unknown): string | undefined =>
  error instanceof Error ? (reasonOf(error.cause) ?? error.message) : undefined
