import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE } from './response-headers.ts'

/** Strong, and the same for the same bytes. */
export const entityTagOf = (payload: string | Buffer): string => `"${hash('sha1', payload, 'base64')}"`

/** Whether the client already holds this representation (RFC 9110 13.1.2). */
export const holdsCurrent = ({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>, tag: string): boolean => {
  const known = headers['if-none-match']
  if (known === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  if (known === tag || known === '*') return true
  return known.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag)
}

/** For a route that knows its tag beforehand: says that the client's copy is current, without making the response. */
export const notModified = (reply: FastifyReply, tag: string): FastifyReply =>
  reply.code(304).headers({ 'content-type': JSON_TYPE, etag: tag, 'content-length': '0' }).send('')

/** Tags a JSON response that has no tag of its own. Returns the payload to send: none when the client already holds it. */
export const tagged = (request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown => {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload

  let tag = reply.getHeader('etag')
  if (tag === undefined) {
    if (!isJson(reply.getHeader('content-type'))) return payload
    tag = entityTagOf(payload)
    reply.header('etag', tag)
  }
  if (reply.statusCode !== 200 || !holdsCurrent(request, String(tag))) return payload

  reply.code(304).header('content-length', '0')
  return ''
}

const isJson = (contentType: unknown) => typeof contentType === 'string' && contentType.startsWith('application/json')
