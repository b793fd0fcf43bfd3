import { z } from 'zod'
import type { HttpServer, RouteConfig } from './route.ts'

/** A registered endpoint, as the document of the interface and the tests of the routes want it. */
export type RegisteredOperation = {
  method: string
  path: string
  config: RouteConfig
  schema: Partial<Record<'params' | 'body' | 'querystring' | 'response', z.ZodType>>
}

declare module 'fastify' {
  interface FastifyInstance {
    operations: readonly RegisteredOperation[]
  }
}

/** Keeps a list of what is registered. HEAD goes without saying. */
export const collectOperations = (app: HttpServer): void => {
  const operations: RegisteredOperation[] = []
  app.decorate('operations', operations)

  app.addHook('onRoute', ({ method, url, config, schema }) => {
    if (!config?.auth || !config.operation || method === 'HEAD') return
    for (const verb of [method].flat()) {
      operations.push({
        method: verb,
        path: url,
        config: { ...config, auth: config.auth, operation: config.operation },
        schema: {
          ...schemaAt('params', schema?.params),
          ...schemaAt('body', schema?.body),
          ...schemaAt('querystring', schema?.querystring),
          ...schemaAt('response', Reflect.get(Object(schema?.response), 200)),
        },
      })
    }
  })
}

const schemaAt = (part: string, schema: unknown) => (schema instanceof z.ZodType ? { [part]: schema } : {})
