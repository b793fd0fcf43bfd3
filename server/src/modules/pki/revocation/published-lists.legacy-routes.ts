import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { Bytes } from '../../../platform/http/wire-types.ts'
import { sendList } from './published-lists.routes.ts'
import { ByListId } from './published-lists.schemas.ts'
import type { PublishedLists } from './published-lists.service.ts'

const endpoint = endpoints({ tag: 'Certificate revocation', auth: 'public', legacy: true })
const list = {
  summary: 'Download a revocation list',
  produces: 'application/pkix-crl',
  params: ByListId,
  response: { 200: Bytes },
} as const

/** Addresses that older certificates carry. */
const ADDRESSES = {
  getCrl: '/api/v1/cert-manager/crl/:crlId',
  getPkiCrl: '/api/v1/pki/crl/:crlId',
  getPkiCrlDer: '/api/v1/pki/crl/:crlId/der',
}

export const publishedListLegacyRoutes =
  (lists: PublishedLists): Routes =>
  (app) => {
    const send = sendList(lists)
    for (const [operationId, path] of Object.entries(ADDRESSES)) {
      app.get(path, endpoint(operationId, list), ({ params }, reply) => send(reply, params.crlId, 'der'))
    }
  }
