import { z } from 'zod'
import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { NO_STORE } from './certificate-headers.ts'
import { toCertificate } from './certificate-views.ts'
import type { CertificateServices } from './certificates.routes.ts'
import * as schemas from './certificates.schemas.ts'
import * as direct from './direct-issuance.schemas.ts'
import type { DirectIssuanceService } from './direct-issuance.service.ts'

const PATH = '/api/v1/pki/certificates'
const params = schemas.BySerialNumber
const endpoint = endpoints({ tag: 'Certificates', auth: ['user', 'identity'], legacy: true })

export const certificateLegacyRoutes =
  (services: CertificateServices & { directIssuance: DirectIssuanceService }): Routes =>
  (app) => {
    const { certificates, certificateImports, directIssuance } = services

    app.post(
      `${PATH}/issue-certificate`,
      endpoint('issuePkiCertificate', { body: direct.DirectOrder, response: { 200: direct.DirectAnswer } }),
      async ({ actor, body }, reply) => {
        const issued = await directIssuance.issue(actor, body)
        reply.headers(NO_STORE)
        return issued
      },
    )

    app.post(
      `${PATH}/sign-certificate`,
      endpoint('signPkiCertificate', {
        body: direct.DirectSigningOrder,
        response: { 200: direct.DirectSigningAnswer },
      }),
      ({ actor, body }) => directIssuance.issue(actor, body),
    )

    app.post(
      `${PATH}/import-certificate`,
      endpoint('importPkiCertificate', { body: schemas.ImportIntoProject, response: { 200: schemas.Imported } }),
      async ({ actor, body: { projectSlug, ...wish } }, reply) => {
        const { certificateChain, ...imported } = await certificateImports.importBySlug(actor, projectSlug, wish)
        reply.headers(NO_STORE)
        return {
          ...imported,
          ...(certificateChain !== '' && { certificateChain }),
          ...(wish.privateKeyPem !== undefined && { privateKey: wish.privateKeyPem }),
        }
      },
    )

    app.get(
      `${PATH}/:serialNumber`,
      endpoint('getPkiCertificate', { params, response: { 200: schemas.CertificateAnswer } }),
      async ({ actor, params: address }) => {
        const { certificate } = await certificates.get(actor, address)
        return { certificate: toCertificate(certificate) }
      },
    )

    app.get(
      `${PATH}/:serialNumber/certificate`,
      endpoint('getPkiCertificateBody', { params, response: { 200: schemas.CertificateBody } }),
      ({ actor, params: address }) => certificates.getBody(actor, address),
    )

    app.get(
      `${PATH}/:serialNumber/bundle`,
      endpoint('getPkiCertificateBundle', { params, response: { 200: schemas.CertificateBundle } }),
      async ({ actor, params: address }, reply) => {
        const bundle = await certificates.getBundle(actor, address)
        reply.headers(NO_STORE)
        return bundle
      },
    )

    app.get(
      `${PATH}/:serialNumber/private-key`,
      endpoint('getPkiCertificatePrivateKey', {
        params,
        response: { 200: z.string() },
        serialize: String,
        produces: 'text/plain',
      }),
      async ({ actor, params: address }, reply) => {
        const pem = await certificates.getPrivateKey(actor, address)
        reply.headers(NO_STORE).type('text/plain; charset=utf-8')
        return pem
      },
    )

    app.delete(
      `${PATH}/:serialNumber`,
      endpoint('deletePkiCertificate', { params, response: { 200: schemas.CertificateAnswer } }),
      async ({ actor, params: address }) => ({ certificate: toCertificate(await certificates.delete(actor, address)) }),
    )
  }
