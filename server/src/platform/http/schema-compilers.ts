import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { z } from 'zod'
import { parseInput, type WireIssue } from './validation-issues.ts'

/** What a client sent does not fit. Not an AppError, because Fastify writes a code of its own on what a validator returns. */
export class InvalidInput extends Error {
  readonly issues: readonly WireIssue[]

  constructor(issues: readonly WireIssue[]) {
    super('The input is not valid')
    this.issues = issues
  }
}

export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const isUrlPart = httpPart === 'params' || httpPart === 'querystring'
  return (input: unknown) => {
    const nul = isUrlPart ? nulIssues(input) : []
    if (nul.length > 0) return { error: new InvalidInput(nul) }

    const result = parseInput(schema, input)
    return 'issues' in result ? { error: new InvalidInput(result.issues) } : { value: result.value }
  }
}

/** No name has a NUL byte, and PostgreSQL fails on one. */
const nulIssues = (input: unknown): WireIssue[] =>
  Object.entries(input ?? {})
    .filter(([, value]) => [value].flat().some((text) => typeof text === 'string' && text.includes('\0')))
    .map(([key]) => ({ code: 'custom', message: 'Must not contain a NUL character', path: [key] }))

/** A handler answered with something else than its route declares. Holds the places, never the values. */
class ResponseMismatch extends Error {
  readonly paths: readonly string[]

  constructor(route: string, issues: readonly z.core.$ZodRawIssue[]) {
    const paths = issues.slice(0, 10).map(({ path = [] }) => path.join('.'))
    super(`The response of ${route} does not match its schema at '${paths.join("', '")}'`)
    this.name = 'ResponseMismatch'
    this.paths = paths
  }
}

/** What `z.encode` passes, made once: from the handler's values to those of the wire. */
const ENCODING = { async: false, direction: 'backward' } as const

/** Only what the schema names leaves the server. */
export const compileSerializer: FastifySerializerCompiler<unknown> = ({ schema, method, url }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError(`A response of ${method} ${url} is no Zod schema`)
  return (payload: unknown) => {
    const result = schema._zod.run({ value: payload, issues: [] }, ENCODING)
    if (result instanceof Promise) throw new TypeError(`A response of ${method} ${url} has an asynchronous schema`)
    if (result.issues.length > 0) throw new ResponseMismatch(`${method} ${url}`, result.issues)
    return JSON.stringify(result.value)
  }
}
