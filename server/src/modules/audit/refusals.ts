import type { FastifyRequest } from 'fastify'
import type { AppError } from '../../lib/app-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { OnRefused } from '../../platform/http/error-handler.ts'
import { wireErrorOf } from '../../platform/http/wire-errors.ts'
import type { Actor } from '../permissions/actor.ts'
import type { AuditLog } from './audit.service.ts'

/** A refusal is told after at most this long, recorded or not yet. */
const WAIT_MS_MAX = 1_000
const TARGETS_MAX = 10
const TEXT_LENGTH_MAX = 500

/** Records every answer 401 and 403. */
export const auditRefusals =
  (audit: AuditLog): OnRefused =>
  (request, error) =>
    recordRefusal(audit, request.actor, request, error)

/** The actor is undefined when it was the credential that was refused. */
const recordRefusal = (audit: AuditLog, actor: Actor | undefined, request: FastifyRequest, error: AppError) => {
  const { origin, method, routeOptions } = request
  const { status, body } = wireErrorOf(error, request.id)
  const facts = { method, route: routeOptions.url ?? 'unmatched', statusCode: status, error: body.error }
  if (!actor) {
    audit.refusedAnonymously({ origin, ...facts })
    return
  }
  const metadata = { ...facts, message: error.message.slice(0, TEXT_LENGTH_MAX), target: targetOf(request) }
  return atMost(WAIT_MS_MAX, audit.refused(actor, { projectId: projectOf(request), metadata }))
}

const atMost = async (ms: number, work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms).unref()))
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

/** What the path names. */
const targetOf = ({ params }: FastifyRequest): object =>
  Object.fromEntries(
    textsOf(params)
      .slice(0, TARGETS_MAX)
      .map(([name, text]) => [name, text.slice(0, TEXT_LENGTH_MAX)]),
  )

// wire: older routes say workspaceId.
const projectOf = ({ params, query, body }: FastifyRequest): string | undefined =>
  [params, query, body]
    .flatMap(textsOf)
    .find(([name, text]) => (name === 'projectId' || name === 'workspaceId') && isUuid(text))?.[1]

const textsOf = (source: unknown): [string, string][] =>
  typeof source === 'object' && source !== null
    ? Object.entries(source).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []
