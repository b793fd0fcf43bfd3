import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import * as schemas from '../profiles/profiles.schemas.ts'
import { NO_STORE } from './certificate-headers.ts'
import type { CertificateService } from './certificates.service.ts'

const FAMILIES = [
  { path: '/api/v1/cert-manager/certificate-profiles', noun: 'CertificateProfile' },
  { path: '/api/v1/pki/certificate-profiles', noun: 'PkiCertificateProfile', legacy: true },
] as const
const NO_BUNDLE = { certificate: null, certificateChain: null, privateKey: null, serialNumber: null }
const endpoint = endpoints({ tag: 'Certificate profiles', auth: ['user', 'identity'] })

/** What was issued from a profile. */
export const profileCertificateRoutes =
  (certificates: CertificateService): Routes =>
  (app) => {
    for (const { path, noun, ...rest } of FAMILIES) {
      app.get(
        `${path}/:id/certificates`,
        endpoint(`list${noun}Certificates`, {
          ...rest,
          params: schemas.ById,
          querystring: schemas.IssuedQuery,
          response: { 200: schemas.IssuedList },
        }),
        async ({ actor, params, query }) => {
          const issued = await certificates.listOfProfile(actor, params.id, query)
          return { certificates: issued.map((certificate) => ({ ...certificate, cn: certificate.commonName })) }
        },
      )

      app.get(
        `${path}/:id/certificates/latest-active-bundle`,
        endpoint(`get${noun}LatestBundle`, { ...rest, params: schemas.ById, response: { 200: schemas.LatestBundle } }),
        async ({ actor, params }, reply) => {
          const bundle = await certificates.latestOfProfile(actor, params.id)
          reply.headers(NO_STORE)
          return bundle ?? NO_BUNDLE
        },
      )
    }
  }
