import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { badRequest, notFound } from '../../lib/app-error.ts'
import { clientAddresses } from './client-address.ts'
import { tagged } from './entity-tag.ts'
import { errorHandler, type OnRefused } from './error-handler.ts'
import { createFastify, type Timeouts } from './fastify-instance.ts'
import { isBehindStream } from './open-stream.ts'
import { collectOperations } from './operations.ts'
import { responseHeaders, type CorsOptions } from './response-headers.ts'
import { guardRoutes, type GuardOptions } from './route-guards.ts'
import type { HttpServer } from './route.ts'

const USER_AGENT_LENGTH_MAX = 512
const PATH_LENGTH_MAX = 200

export type HttpServerOptions = CorsOptions &
  GuardOptions & {
    logger: FastifyBaseLogger
    trustedProxyCidrs?: readonly string[] | undefined
    bodyLimitBytes?: number | undefined
    timeouts?: Partial<Timeouts> | undefined
    onRefused?: OnRefused | undefined
    /** For metrics. The path is the route's pattern, so the number of different ones is bounded. */
    onResponse?: ((routePath: string, method: string, status: number, seconds: number) => void) | undefined
  }

/** The server without port or process. Routes registered on it are guarded, validated, whitelisted and documented. */
export const createHttpServer = (options: HttpServerOptions): HttpServer => {
  const headers = responseHeaders(options)
  const handleError = errorHandler(options.onRefused)
  const app = createFastify({
    ...options,
    onUnroutable: (error, request, reply) => {
      headers.write(request, reply)
      void handleError(error, request, reply)
    },
  })

  app.decorateRequest('actor')
  app.decorateRequest('origin')
  app.setErrorHandler(handleError)
  addRequestHooks(app, options, headers)
  addResponseHooks(app, options)
  guardRoutes(app, options)
  collectOperations(app)
  return app
}

const addRequestHooks = (app: HttpServer, options: HttpServerOptions, headers: ReturnType<typeof responseHeaders>) => {
  const clientAddress = clientAddresses(options.trustedProxyCidrs ?? [])

  app.addHook('onRequest', (request, reply, done) => {
    if (isBehindStream(request)) {
      reply.hijack()
      request.raw.destroy()
      return
    }
    const userAgent = request.headers['user-agent'] ?? ''
    request.origin = {
      ip: clientAddress(request.raw),
      userAgent: userAgent.length > USER_AGENT_LENGTH_MAX ? userAgent.slice(0, USER_AGENT_LENGTH_MAX) : userAgent,
      requestId: request.id,
    }
    if (isPreflight(request)) {
      headers.writePreflight(request, reply)
      reply.code(204).send()
      return
    }
    headers.write(request, reply)
    if (isWithoutHost(request)) {
      reply.header('connection', 'close')
      done(badRequest('The request does not say for which host it is'))
    }
    // Before the body is read: nobody has to parse what no route will take.
    else if (request.is404) done(unknownRoute(request))
    else done()
  })
}

const addResponseHooks = (app: HttpServer, { onResponse }: HttpServerOptions) => {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close')
    done(null, tagged(request, reply, payload))
  })
  if (!onResponse) return
  app.addHook('onResponse', (request, reply, done) => {
    onResponse(request.routeOptions.url ?? 'unmatched', request.method, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** RFC 9112 3.2: older versions of HTTP may leave it out. */
const isWithoutHost = ({ headers, raw }: FastifyRequest) => headers.host === undefined && raw.httpVersion === '1.1'

const unknownRoute = ({ method, url }: FastifyRequest) => {
  const [path = ''] = url.split('?')
  return notFound(`Route ${method}:${path.slice(0, PATH_LENGTH_MAX)} not found`)
}
