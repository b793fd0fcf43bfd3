import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { JsonSchemas } from './json-schemas.ts'
import type { RegisteredOperation } from './operations.ts'

type Json = Record<string, unknown>
export type DocumentInfo = { title: string; version: string; description?: string }

const ERRORS = [400, 401, 403, 404, 422, 429, 500, 503]
const CREDENTIAL_ERRORS = [401, 403]
const RETRYABLE_ERRORS = [429, 503]
const METHOD_ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const ErrorBody = {
  type: 'object',
  required: ['reqId', 'statusCode', 'message', 'error'],
  properties: {
    reqId: { type: 'string', description: 'Names this request in the log; also in the header x-request-id' },
    statusCode: { type: 'integer' },
    message: { description: 'A sentence. With 422 the list of what is wrong: objects with code, path and message' },
    error: { type: 'string', description: 'A stable name for the kind of error' },
    details: { description: 'More for programs, where there is more' },
  },
}

/** The OpenAPI 3.1 document of all that is registered and not hidden. The same routes always give the same text. */
export const buildOpenApi = (app: { operations: readonly RegisteredOperation[] }, info: DocumentInfo): Json => {
  const schemas = new JsonSchemas()
  const operations = app.operations.filter(({ config }) => !config.operation.hidden).sort(byPathAndMethod)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, schemas) }
  }
  const tags = new Set(operations.map(({ config }) => config.operation.tag))
  return {
    openapi: '3.1.0',
    info,
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      responses: Object.fromEntries(ERRORS.map((status) => [nameOf(status), errorResponse(status)])),
      schemas: { Error: ErrorBody, ...schemas.named() },
    },
  }
}

const operationObject = ({ path, schema, config }: RegisteredOperation, schemas: JsonSchemas): Json => {
  const { id, tag, summary, description, legacy, produces = 'application/json' } = config.operation
  const isPublic = config.auth === 'public'
  const parameters = [...pathParameters(path, schema.params, schemas), ...queryParameters(schema.querystring, schemas)]
  const errors = ERRORS.filter((status) => !isPublic || !CREDENTIAL_ERRORS.includes(status))
  const ok = schema.response && { content: { [produces]: { schema: schemas.convert(schema.response, 'output') } } }
  return {
    operationId: id,
    tags: [tag],
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(legacy && { deprecated: true }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body && { requestBody: requestBody(schema.body, config.acceptsForm ?? false, schemas) }),
    responses: {
      200: { description: 'OK', ...ok },
      ...Object.fromEntries(errors.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }])),
    },
    security: isPublic ? [] : [{ bearerAuth: [] }],
  }
}

const requestBody = (body: z.ZodType, acceptsForm: boolean, schemas: JsonSchemas): Json => {
  const content = { schema: schemas.convert(body, 'input') }
  return {
    // A body that is left out arrives as null.
    required: !body.safeParse(null).success,
    content: { 'application/json': content, ...(acceptsForm && { 'application/x-www-form-urlencoded': content }) },
  }
}

const pathParameters = (path: string, params: z.ZodType | undefined, schemas: JsonSchemas): Json[] => {
  const members = schemas.members(params)
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const member = members.find((candidate) => candidate.name === name)
    return { name, in: 'path', required: true, ...described(member?.schema ?? { type: 'string' }) }
  })
}

const queryParameters = (querystring: z.ZodType | undefined, schemas: JsonSchemas): Json[] =>
  schemas
    .members(querystring)
    .map(({ name, schema, isRequired }) => ({ name, in: 'query', required: isRequired, ...described(schema) }))

const described = ({ description, ...schema }: Json): Json => ({
  ...(description !== undefined && { description }),
  schema,
})

const errorResponse = (status: number): Json => ({
  description: STATUS_CODES[status],
  ...(RETRYABLE_ERRORS.includes(status) && {
    headers: { 'retry-after': { description: 'Seconds to wait', schema: { type: 'integer' } } },
  }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const nameOf = (status: number) => (STATUS_CODES[status] ?? '').replaceAll(/\W/g, '')

const byPathAndMethod = (a: RegisteredOperation, b: RegisteredOperation): number => {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method)
}
