import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { NO_STORE } from './certificate-headers.ts'
import { toConfig } from './certificates.routes.ts'
import { ByAnyId, RenewalConfig, RenewalConfigAnswer } from './certificates.schemas.ts'
import type { CertificateService } from './certificates.service.ts'
import * as schemas from './issuance.schemas.ts'
import type { IssuanceService } from './issuance.service.ts'
import type { RenewalService } from './renewal.service.ts'

const PATH = '/api/v1/cert-manager/certificates'
const endpoint = endpoints({ tag: 'Certificates', auth: ['user', 'identity'] })

export type IssuanceServices = {
  certificates: CertificateService
  certificateIssuance: IssuanceService
  certificateRenewals: RenewalService
}

export const issuanceRoutes =
  (services: IssuanceServices): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createCertificate', { body: schemas.Order, response: { 200: schemas.OrderAnswer } }),
      async ({ actor, body }, reply) => {
        const { certificateRequestId, ...certificate } = await services.certificateIssuance.issue(actor, body)
        reply.headers(NO_STORE)
        return { certificate, certificateRequestId, status: 'issued', message: 'Successfully issued certificate' }
      },
    )

    app.post(
      `${PATH}/:id/renew`,
      endpoint('renewCertificate', {
        params: ByAnyId,
        body: schemas.OptionalRenewal,
        response: { 200: schemas.FlatAnswer },
      }),
      async ({ actor, params, body }, reply) => {
        const renewed = await services.certificateRenewals.renew(actor, params, body)
        reply.headers(NO_STORE)
        return renewed
      },
    )

    for (const family of FAMILIES) registerFlat(app, services, family)
    app.post(
      '/api/v3/pki/certificates/:id/renew',
      endpoint('renewPkiCertificate', {
        legacy: true,
        params: ByAnyId,
        body: schemas.OptionalRenewal,
        response: { 200: schemas.FlatAnswer },
      }),
      async ({ actor, params, body }, reply) => {
        const renewed = await services.certificateRenewals.renew(actor, params, body)
        reply.headers(NO_STORE)
        return renewed
      },
    )
    app.patch(
      '/api/v3/pki/certificates/:id/config',
      endpoint('configurePkiCertificate', {
        legacy: true,
        params: ByAnyId,
        body: RenewalConfig,
        response: { 200: RenewalConfigAnswer },
      }),
      async ({ actor, params, body }) => toConfig(await services.certificates.configureRenewal(actor, params, body)),
    )
  }

const FAMILIES = [
  { path: PATH, noun: 'CertificateFromProfile' },
  { path: '/api/v3/pki/certificates', noun: 'PkiCertificateFromProfile' },
] as const

type App = Parameters<Routes>[0]

/** The older forms, where everything stands side by side. */
const registerFlat = (app: App, services: IssuanceServices, { path, noun }: (typeof FAMILIES)[number]): void => {
  const response = { 200: schemas.FlatAnswer }
  for (const [verb, isOrder] of [
    ['issue', false],
    ['order', true],
  ] as const) {
    app.post(
      `${path}/${verb}-certificate`,
      endpoint(`${verb}${noun}`, { legacy: true, body: schemas.FlatOrder, response }),
      async ({ actor, body }, reply) => {
        const issued = await services.certificateIssuance.issue(actor, toOrder(body), { isOrder })
        reply.headers(NO_STORE)
        return issued
      },
    )
  }

  app.post(
    `${path}/sign-certificate`,
    endpoint(`sign${noun}`, { legacy: true, body: schemas.FlatSigningOrder, response }),
    ({ actor, body }) => services.certificateIssuance.issue(actor, { ...toOrder(body), csr: body.csr }),
  )
}

type Flat = Parameters<IssuanceService['issue']>[1]['attributes'] & {
  profileId: string
  subjectAlternativeNames?: { type: 'dns_name' | 'ip_address' | 'email' | 'uri' | 'upn'; value: string }[] | undefined
  removeRootsFromChain: boolean
  metadata?: { key: string; value: string }[] | undefined
}

/** wire: with a ttl at hand the end that was given is of no account. */
const toOrder = ({ profileId, removeRootsFromChain, metadata, subjectAlternativeNames, ...rest }: Flat) => ({
  profileId,
  removeRootsFromChain,
  metadata,
  attributes: { ...rest, notAfter: undefined, altNames: rest.altNames ?? subjectAlternativeNames },
})
