import { isUtf8 } from 'node:buffer'
import { parse as parseForm } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { badRequest } from '../../lib/app-error.ts'
import { unsupportedMediaType } from './wire-errors.ts'

/** Far above what any client sends; below what makes validation slow or a recursive function overflow. */
const DEPTH_MAX = 100
const VALUES_MAX = 25_000
const FORM_FIELDS_MAX = 100

const LONE_SURROGATE = /\p{Surrogate}/u

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** JSON everywhere, forms where the route says so, nothing else. */
export const addBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()

  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    parseInto(done, () => parseJson(body))
  })

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      parseInto(done, () => {
        if (!request.routeOptions.config.acceptsForm) throw unsupportedMediaType()
        return parseForm(utf8(body), '&', '=', { maxKeys: FORM_FIELDS_MAX })
      })
    },
  )
}

/** An empty body counts as none. Throws a bad request for what is no JSON, and for JSON nobody sends in good faith. */
const parseJson = (body: Buffer): unknown => {
  if (body.length === 0) return undefined
  const text = utf8(body)
  const hasEscapes = scan(body)
  const value = parse(text)
  if (hasEscapes || text.includes('__proto__')) refuseHidden(value)
  return value
}

const parseInto = (done: (error: Error | null, body?: unknown) => void, parseBody: () => unknown): void => {
  let body: unknown
  try {
    body = parseBody()
  } catch (error) {
    done(error instanceof Error ? error : badRequest('The body cannot be read'))
    return
  }
  done(null, body)
}

const utf8 = (body: Buffer): string => {
  if (!isUtf8(body)) throw badRequest('The body is not valid UTF-8')
  return body.toString('utf8')
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause, whose message quotes the body.
    throw badRequest('The body is not valid JSON')
  }
}

/** Bounds depth and size before anything is built. True when a string holds a `\` and so may hide something. */
const scan = (body: Buffer): boolean => {
  let depth = 0
  let values = 1
  let isInString = false
  let hasEscapes = false
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === BACKSLASH) {
      hasEscapes = true
      index++
    } else if (byte === QUOTE) isInString = !isInString
    else if (isInString) continue
    else if (byte === COMMA) values++
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    if (depth > DEPTH_MAX) throw badRequest('The body is nested too deeply')
    if (values > VALUES_MAX) throw badRequest('The body holds too many values')
  }
  return hasEscapes
}

/** `__proto__` could poison an object; a lone surrogate would be stored as another character than was sent. */
const refuseHidden = (value: unknown): void => {
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw badRequest('The body holds a string that is not valid Unicode')
  } else if (Array.isArray(value)) {
    value.forEach(refuseHidden)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__') throw badRequest("The body holds the forbidden key '__proto__'")
      refuseHidden(key)
      refuseHidden(child)
    }
  }
}
