import type { FastifyReply, FastifyRequest } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** On every response but the preflight. */
export const SECURITY_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const

const METHODS = 'GET,HEAD,POST,PUT,PATCH,DELETE'
const PREFLIGHT_VARY = 'Access-Control-Request-Headers'

/** With a site alone its origin is on every answer; with a list it depends on who asks; with neither no other origin may read. */
export type CorsOptions = { siteUrl?: string | undefined; corsAllowedOrigins?: readonly string[] | undefined }

type Headers = Readonly<Record<string, string>>

/** Writes the headers that every response carries, with the origin that may read it. */
export const responseHeaders = ({ siteUrl, corsAllowedOrigins = [] }: CorsOptions) => {
  const site = siteUrl === undefined ? {} : allow(originOf(siteUrl))
  const listed = new Set([...(siteUrl === undefined ? [] : [siteUrl]), ...corsAllowedOrigins].map(originOf))
  const isFixed = corsAllowedOrigins.length === 0

  const corsFor = (origin: string | undefined): Headers =>
    isFixed ? site : { ...(origin !== undefined && listed.has(origin) && allow(origin)), vary: 'Origin' }
  const fixed: Headers = { ...SECURITY_HEADERS, ...site }

  return {
    write(request: FastifyRequest, reply: FastifyReply): void {
      reply.headers(isFixed ? fixed : { ...SECURITY_HEADERS, ...corsFor(request.headers.origin) })
      reply.header('x-request-id', request.id)
    },

    writePreflight(request: FastifyRequest, reply: FastifyReply): void {
      const cors = corsFor(request.headers.origin)
      const requested = request.headers['access-control-request-headers']
      reply.headers({
        ...cors,
        'access-control-allow-methods': METHODS,
        ...(requested !== undefined && { 'access-control-allow-headers': requested }),
        vary: cors['vary'] ? `${cors['vary']}, ${PREFLIGHT_VARY}` : PREFLIGHT_VARY,
        'content-length': '0',
        'x-request-id': request.id,
      })
    },
  }
}

const originOf = (url: string) => new URL(url).origin

const allow = (origin: string): Headers => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
})
