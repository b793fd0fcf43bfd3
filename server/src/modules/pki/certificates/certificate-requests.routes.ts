import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { RequestList, RequestSearch } from './certificate-requests.schemas.ts'
import type { CertificateRequestService } from './certificate-requests.service.ts'
import { NO_STORE } from './certificate-headers.ts'
import * as schemas from './issuance.schemas.ts'

const PATH = '/api/v1/cert-manager/certificates/certificate-requests'
const endpoint = endpoints({ tag: 'Certificate requests', auth: ['user', 'identity'] })

export const certificateRequestRoutes =
  (requests: CertificateRequestService): Routes =>
  (app) => {
    app.get(
      `${PATH}/:requestId`,
      endpoint('getCertificateRequest', { params: schemas.ByRequestId, response: { 200: schemas.CertificateRequest } }),
      async ({ actor, params }, reply) => {
        const answer = toRequest(await requests.get(actor, params.requestId))
        reply.headers(NO_STORE)
        return answer
      },
    )

    app.post(
      `${PATH}/search`,
      endpoint('searchCertificateRequests', { body: RequestSearch, response: { 200: RequestList }, rateClass: 'read' }),
      async ({ actor, body: { fromDate, toDate, sortOrder, ...search } }) => {
        const query = { ...search, from: fromDate, to: toDate, direction: sortOrder }
        const { requests: found, totalCount } = await requests.search(actor, query)
        const certificateRequests = found.map((request) => ({
          ...request,
          altNames: request.altNames?.join(',') ?? null,
        }))
        return { certificateRequests, totalCount }
      },
    )
  }

const toRequest = ({ request, issued }: Awaited<ReturnType<CertificateRequestService['get']>>) => {
  const { commonName = '', subject = {}, isCa, pathLength = null } = issued?.row ?? {}
  return {
    status: request.status,
    certificate: issued?.certificate ?? null,
    certificateId: request.certificateId,
    privateKey: issued?.privateKey ?? null,
    serialNumber: issued?.row.serialNumber ?? null,
    errorMessage: null,
    ...(commonName !== '' && { commonName }),
    ...subject,
    ...(isCa !== undefined && { basicConstraints: { isCA: isCa, ...(pathLength !== null && { pathLength }) } }),
    ...(issued && { metadata: issued.row.metadata }),
    createdAt: request.createdAt,
    updatedAt: request.updatedAt,
  }
}
