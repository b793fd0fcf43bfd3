import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Actor, RateClass, RouteAuth } from './vocabulary.ts'

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** The routes of one module, for `app.register`. */
export type Routes = (app: HttpServer) => Promise<void> | void

/** Where a request came from, for records and limits. */
export type RequestOrigin = { ip: string; userAgent: string; requestId: string }

/** What the document of the interface says of a route. */
export type Operation = {
  id: string
  tag: string
  summary?: string
  description?: string
  /** An older path or vocabulary for something that has a newer one. */
  legacy?: true
  /** Left out of the document. */
  hidden?: true
  /** Media type of the response, where it is not JSON. */
  produces?: string
}

export type RouteConfig = {
  auth: RouteAuth
  operation: Operation
  /** Default: `read` for GET, `write` for the rest. */
  rateClass?: RateClass | false
  /** Also takes `application/x-www-form-urlencoded`. */
  acceptsForm?: true
  /** Answers also while the server is not ready. */
  isProbe?: true
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteConfig> {}
  interface FastifyRequest {
    actor: Actor
    origin: RequestOrigin
  }
}
