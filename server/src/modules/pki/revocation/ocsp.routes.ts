import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { Bytes } from '../../../platform/http/wire-types.ts'
import { ByAuthority, ByRequest } from './ocsp.schemas.ts'
import type { OcspReply, OcspService } from './ocsp.service.ts'

const PATH = '/api/x/ocsp/:caId'
const RESPONSE_TYPE = 'application/ocsp-response'
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
/** The router passes over a slash at the end, which is a digit of base64 like others unless it follows the padding. */
const LAST_SLASH = /^[^?]*[^?=]\/(?:\?|$)/

const endpoint = endpoints({ tag: 'Certificate revocation', auth: 'public' })
const answer = {
  summary: 'Ask whether certificates of an authority are good (OCSP)',
  description:
    'The body is the DER of a request; GET with the same in base64 as the last part of the path answers too.',
  produces: RESPONSE_TYPE,
  rateClass: 'read',
  response: { 200: Bytes },
} as const

export const ocspRoutes =
  (ocsp: OcspService): Routes =>
  (app) => {
    // Whatever is sent is taken for a request, so that every refusal is one of the protocol.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload: IncomingMessage, done) => {
      readAtMost(payload, ocsp.requestBytesMax, done)
    })

    app.post(PATH, endpoint('askOcsp', { params: ByAuthority, ...answer }), async ({ params, body }, reply) => {
      const request = Buffer.isBuffer(body) ? body : undefined
      // The rest of what was too large is not waited for.
      if (!request) reply.header('connection', 'close')
      return send(reply, { ...(await ocsp.answer(params.caId, request)), freshSeconds: 0 })
    })

    // Left out of the document, which has no word for a wildcard.
    app.get(
      `${PATH}/*`,
      endpoint('askOcspByUrl', { params: ByRequest, ...answer, hidden: true }),
      async ({ params, url }, reply) => {
        const text = params['*'] + (LAST_SLASH.test(url) ? '/' : '')
        const request = BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
        return send(reply, await ocsp.answer(params.caId, request))
      },
    )
  }

const send = (reply: FastifyReply, { body, freshSeconds }: OcspReply): FastifyReply =>
  reply
    .headers({
      'content-type': RESPONSE_TYPE,
      'cache-control': freshSeconds > 0 ? `public, max-age=${freshSeconds}, must-revalidate` : 'no-store',
    })
    .send(body)

type Done = (error: Error | null, body?: Buffer) => void

/** Undefined as soon as it is more. */
const readAtMost = (payload: IncomingMessage, bytesMax: number, done: Done): void => {
  const chunks: Buffer[] = []
  let bytes = 0
  payload.on('data', (chunk: Buffer) => {
    if (bytes > bytesMax) return
    bytes += chunk.length
    if (bytes > bytesMax) done(null)
    else chunks.push(chunk)
  })
  payload.on('end', () => {
    if (bytes <= bytesMax) done(null, Buffer.concat(chunks))
  })
  // Whoever went away gets no answer, and is no failure of ours.
  payload.on('error', () => {
    if (bytes <= bytesMax) done(null)
  })
}
