import type { FastifyReply } from 'fastify'
import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { Bytes } from '../../../platform/http/wire-types.ts'
import { ByListId } from './published-lists.schemas.ts'
import type { ListForm, PublishedLists } from './published-lists.service.ts'

const PATH = '/api/v1/cert-manager/crl/:crlId'
const DER_TYPE = 'application/pkix-crl'
const TYPES: Record<ListForm, string> = { der: DER_TYPE, delta: DER_TYPE, pem: 'application/x-pem-file' }

const endpoint = endpoints({ tag: 'Certificate revocation', auth: 'public' })
const list = { params: ByListId, response: { 200: Bytes } }

export const publishedListRoutes =
  (lists: PublishedLists): Routes =>
  (app) => {
    const send = sendList(lists)

    app.get(
      `${PATH}/der`,
      endpoint('getCrlDer', { summary: 'Download a revocation list', produces: DER_TYPE, ...list }),
      ({ params }, reply) => send(reply, params.crlId, 'der'),
    )

    app.get(
      `${PATH}/pem`,
      endpoint('getCrlPem', { summary: 'Download a revocation list as PEM', produces: TYPES.pem, ...list }),
      ({ params }, reply) => send(reply, params.crlId, 'pem'),
    )

    app.get(
      `${PATH}/delta`,
      endpoint('getDeltaCrl', {
        summary: 'Download what a revocation list says beyond an earlier one',
        produces: DER_TYPE,
        ...list,
      }),
      ({ params }, reply) => send(reply, params.crlId, 'delta'),
    )
  }

/** The platform turns it into a 304 for whoever holds it already. */
export const sendList = (lists: PublishedLists) => async (reply: FastifyReply, id: string, form: ListForm) => {
  const { body, entityTag, publishedAt, freshSeconds } = await lists.get(id, form)
  return reply
    .headers({
      'content-type': TYPES[form],
      etag: entityTag,
      'last-modified': publishedAt.toUTCString(),
      'cache-control': `public, max-age=${freshSeconds}`,
    })
    .send(body)
}
