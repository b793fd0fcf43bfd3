import { fastify, LogController, type FastifyBaseLogger, type FastifyReply, type FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { addBodyParsers } from './body-parsers.ts'
import { answerClientError, answerConnect, answerExpectation } from './client-errors.ts'
import { newRequestId } from './request-id.ts'
import type { HttpServer } from './route.ts'
import { compileSerializer, compileValidator } from './schema-compilers.ts'

const BODY_LIMIT_BYTES = 1_048_576
/** Of what was decoded: the longest key of a secret. */
const PARAMETER_LENGTH_MAX = 500
const CONNECTIONS_MAX = 20_000

/**
 * How long a client may take. A response may take as long as some of it is read now and then: a stream lives on by its
 * pings, and whoever stops reading does not hold what is left of a list for ever.
 */
export type Timeouts = { headersMs: number; requestMs: number; idleMs: number; stalledMs: number; checkEveryMs: number }
const TIMEOUTS: Timeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  idleMs: 72_000,
  stalledMs: 120_000,
  checkEveryMs: 5_000,
}

type Options = {
  logger: FastifyBaseLogger
  bodyLimitBytes?: number | undefined
  timeouts?: Partial<Timeouts> | undefined
  /** For what fails before a route is found. */
  onUnroutable: (error: Error, request: FastifyRequest, reply: FastifyReply) => void
}

const unasked = (): never => {
  throw new Error('The compilers of schemas are set by hand')
}
/** Fastify loads its own compilers, 250 files, unless there are others from the beginning. */
const NO_COMPILERS = { buildValidator: unasked, buildSerializer: unasked }

/** Fastify with the protocol settled: limits, timeouts, parsers, ids, schemas. It has no routes and no rules yet. */
export const createFastify = ({ logger, bodyLimitBytes, timeouts, onUnroutable }: Options): HttpServer => {
  const { headersMs, requestMs, idleMs, stalledMs, checkEveryMs } = { ...TIMEOUTS, ...timeouts }
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: bodyLimitBytes ?? BODY_LIMIT_BYTES,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: stalledMs,
    // Node would answer without a body; we ask for the header ourselves.
    http: { headersTimeout: headersMs, connectionsCheckingInterval: checkEveryMs, requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PARAMETER_LENGTH_MAX },
    // A request that arrives while draining is served, and told to close its connection.
    return503OnClosing: false,
    frameworkErrors: onUnroutable,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: NO_COMPILERS },
  }).withTypeProvider<ZodTypeProvider>()

  app.server.maxConnections = CONNECTIONS_MAX
  app.server.on('connect', (_request, socket) => answerConnect(socket))
  app.server.on('checkExpectation', ({ socket }) => answerExpectation(socket))
  // A logger per request would cost more than all our hooks; a line about a request names it itself.
  app.setChildLoggerFactory((parent) => parent)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  addBodyParsers(app)
  return app
}
