import { z } from 'zod'
import type { Operation, RouteConfig } from './route.ts'
import { compileSerializer } from './schema-compilers.ts'
import type { RouteAuth } from './vocabulary.ts'

type Schema = z.ZodType | undefined
type Responses = { readonly 200: z.ZodType }

type Definition<Response extends Responses, Params extends Schema, Body extends Schema, Query extends Schema> = Partial<
  Omit<RouteConfig, 'operation'>
> &
  Omit<Operation, 'id' | 'tag'> & {
    params?: Params
    body?: Body
    querystring?: Query
    response: Response
    bodyLimitBytes?: number
    /** Replaces the response schema as the serializer of a hot route; it alone then decides what leaves. */
    serialize?: (payload: z.output<Response[200]>) => string
  }

type RouteOptions<Response extends Responses, Params extends Schema, Body extends Schema, Query extends Schema> = {
  schema: { params: Params; body: Body; querystring: Query; response: Response }
  config: RouteConfig
  bodyLimit?: number
  serializerCompiler?: typeof compileSerializer
}

/** A status that no route declares never leaves with a body. */
const undeclared = z.never()

/** Declares the endpoints under one tag: `app.post(PATH, endpoint('createThing', { body, response }), handler)`. */
export const endpoints =
  ({ auth: sharedAuth, ...shared }: { auth: RouteAuth } & Pick<Operation, 'tag' | 'legacy'>) =>
  <
    const Response extends Responses,
    Params extends Schema = undefined,
    Body extends Schema = undefined,
    Query extends Schema = undefined,
  >(
    operationId: string,
    definition: Definition<Response, Params, Body, Query>,
  ): RouteOptions<Response, Params, Body, Query> => {
    const { params, body, querystring, response, bodyLimitBytes, serialize, ...rest } = definition
    const { auth = sharedAuth, rateClass, acceptsForm, isProbe, ...documentation } = rest
    const schema = { params, body, querystring, response: { ...response, default: undeclared } }
    const operation = { id: operationId, ...shared, ...documentation }
    return {
      schema: withoutUndefined(schema) as RouteOptions<Response, Params, Body, Query>['schema'],
      config: withoutUndefined({ auth, rateClass, acceptsForm, isProbe, operation }) as RouteConfig,
      ...(bodyLimitBytes !== undefined && { bodyLimit: bodyLimitBytes }),
      ...(serialize && {
        serializerCompiler: (route) => (route.schema === response[200] ? serialize : compileSerializer(route)),
      }),
    }
  }

/** Fastify tells a schema that is missing from one that is undefined. */
const withoutUndefined = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
