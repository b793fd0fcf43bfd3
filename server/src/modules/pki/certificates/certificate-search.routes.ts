import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import * as search from './certificate-search.schemas.ts'
import type { CertificateSearchService } from './certificate-search.service.ts'
import { toListedCertificate } from './certificate-views.ts'
import { CertificateList } from './certificates.schemas.ts'

const response = { 200: CertificateList }
const endpoint = endpoints({ tag: 'Certificates', auth: ['user', 'identity'] })

export const certificateSearchRoutes =
  (certificates: CertificateSearchService): Routes =>
  (app) => {
    app.post(
      '/api/v1/projects/:projectId/certificates/search',
      endpoint('searchCertificates', {
        params: search.InProject,
        body: search.CertificateSearch,
        response,
        rateClass: 'read',
      }),
      async ({ actor, params, body }) => toList(await certificates.search(actor, params.projectId, body)),
    )

    app.get(
      '/api/v1/projects/:projectId/certificates',
      endpoint('listProjectCertificates', {
        legacy: true,
        params: search.InProject,
        querystring: search.CertificateQuery,
        response,
      }),
      async ({ actor, params, query }) => toList(await certificates.search(actor, params.projectId, query)),
    )

    app.get(
      '/api/v2/workspace/:slug/certificates',
      endpoint('listWorkspaceCertificates', {
        legacy: true,
        params: search.InWorkspace,
        querystring: search.CertificateQuery,
        response,
      }),
      async ({ actor, params, query }) => toList(await certificates.searchBySlug(actor, params.slug, query)),
    )
  }

const toList = ({ certificates, totalCount }: Awaited<ReturnType<CertificateSearchService['search']>>) => ({
  certificates: certificates.map(toListedCertificate),
  totalCount,
})
