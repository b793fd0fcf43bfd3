import type { onRequestAsyncHookHandler, onRequestHookHandler, preValidationHookHandler, RouteOptions } from 'fastify'
import { badRequest, rateLimited, type AppError } from '../../lib/app-error.ts'
import type { Authenticate } from './authentication.ts'
import { RateLimiter } from './rate-limit.ts'
import type { HttpServer, RouteConfig } from './route.ts'
import type { AuthKind, RateClass } from './vocabulary.ts'

export type GuardOptions = {
  authenticate: Authenticate
  /** An error while the server cannot serve: every route but the probes answers with it. */
  isReady?: (() => true | AppError) | undefined
  /** Requests per minute and client. A class without a number is not limited. */
  rateLimits?: Partial<Record<RateClass, number>> | undefined
}

/** Gives every route its guards when it is registered, from its own declaration and never from the URL of a request. */
export const guardRoutes = (app: HttpServer, { authenticate, isReady, rateLimits = {} }: GuardOptions): void => {
  const limiter = new RateLimiter()
  const perMinute = new Map<string, number>(Object.entries(rateLimits))

  app.addHook('onRoute', (route) => {
    const { auth, isProbe, rateClass = defaultRateClass(route) } = declared(route)
    const guards = [
      ...(isReady && !isProbe ? [readinessHook(isReady)] : []),
      ...(auth === 'public' ? [] : [authenticationHook(authenticate, auth)]),
    ]
    route.onRequest = [...guards, ...[route.onRequest ?? []].flat()]

    const limit = rateClass === false ? undefined : perMinute.get(rateClass)
    if (rateClass === false || limit === undefined) return
    route.preValidation = [rateLimitHook(limiter, rateClass, limit), ...[route.preValidation ?? []].flat()]
  })
}

const declared = ({ method, url, config }: RouteOptions): Pick<RouteConfig, 'auth' | 'isProbe' | 'rateClass'> => {
  if (!config?.auth?.length) throw new Error(`${String(method)} ${url} does not declare who may call it`)
  return { ...config, auth: config.auth }
}

const defaultRateClass = ({ method }: RouteOptions) => ([method].flat().every(isSafe) ? 'read' : 'write')

const isSafe = (method: string) => method === 'GET' || method === 'HEAD'

const readinessHook =
  (isReady: () => true | AppError): onRequestHookHandler =>
  (_request, _reply, done) => {
    const state = isReady()
    done(state === true ? undefined : state)
  }

const authenticationHook =
  (authenticate: Authenticate, auth: readonly AuthKind[]): onRequestAsyncHookHandler =>
  async (request) => {
    if (request.headers['x-api-key'] !== undefined) {
      throw badRequest('API keys are not supported, send an access token in the Authorization header')
    }
    request.actor = await authenticate(request, auth)
  }

const rateLimitHook =
  (limiter: RateLimiter, rateClass: string, limitPerMinute: number): preValidationHookHandler =>
  (request, reply, done) => {
    const { limit, remaining, resetSeconds, isAllowed } = limiter.take(rateClass, request.origin.ip, limitPerMinute)
    reply.headers({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(resetSeconds),
    })
    // wire: clients look for the number of seconds in the text.
    const message = `Too many requests, please try again in ${resetSeconds} seconds`
    done(isAllowed ? undefined : rateLimited(message, { retryAfterSeconds: resetSeconds }))
  }
