import { z } from 'zod'
import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { NO_STORE } from './certificate-headers.ts'
import type { CertificateImportService } from './certificate-import.service.ts'
import { toCertificate, toDetailedCertificate } from './certificate-views.ts'
import * as schemas from './certificates.schemas.ts'
import type { CertificateService } from './certificates.service.ts'

const PATH = '/api/v1/cert-manager/certificates'
const endpoint = endpoints({ tag: 'Certificates', auth: ['user', 'identity'] })

export type CertificateServices = { certificates: CertificateService; certificateImports: CertificateImportService }

export const certificateRoutes =
  ({ certificates, certificateImports }: CertificateServices): Routes =>
  (app) => {
    app.get(
      `${PATH}/:id`,
      endpoint('getCertificate', { params: schemas.ById, response: { 200: schemas.DetailedCertificateAnswer } }),
      async ({ actor, params }) => {
        const { certificate, names } = await certificates.get(actor, params)
        return { certificate: toDetailedCertificate(certificate, names) }
      },
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateCertificate', {
        params: schemas.ByAnyId,
        body: schemas.MetadataChanges,
        response: { 200: schemas.MetadataAnswer },
      }),
      async ({ actor, params, body }) => ({ metadata: await certificates.setMetadata(actor, params, body.metadata) }),
    )

    app.get(
      `${PATH}/:id/certificate`,
      endpoint('getCertificateBody', { params: schemas.ByAnyId, response: { 200: schemas.CertificateBody } }),
      ({ actor, params }) => certificates.getBody(actor, params),
    )

    app.get(
      `${PATH}/:id/bundle`,
      endpoint('getCertificateBundle', { params: schemas.ByAnyId, response: { 200: schemas.CertificateBundle } }),
      async ({ actor, params }, reply) => {
        const bundle = await certificates.getBundle(actor, params)
        reply.headers(NO_STORE)
        return bundle
      },
    )

    app.get(
      `${PATH}/:id/private-key`,
      endpoint('getCertificatePrivateKey', {
        params: schemas.ByAnyId,
        response: { 200: z.string() },
        serialize: String,
        produces: 'text/plain',
      }),
      async ({ actor, params }, reply) => {
        const pem = await certificates.getPrivateKey(actor, params)
        reply.headers(NO_STORE).type('text/plain; charset=utf-8')
        return pem
      },
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteCertificate', { params: schemas.ByAnyId, response: { 200: schemas.CertificateAnswer } }),
      async ({ actor, params }) => ({ certificate: toCertificate(await certificates.delete(actor, params)) }),
    )

    app.patch(
      `${PATH}/:id/config`,
      endpoint('configureCertificate', {
        params: schemas.ByAnyId,
        body: schemas.RenewalConfig,
        response: { 200: schemas.RenewalConfigAnswer },
      }),
      async ({ actor, params, body }) => toConfig(await certificates.configureRenewal(actor, params, body)),
    )

    app.post(
      `${PATH}/import-certificate`,
      endpoint('importCertificate', {
        body: schemas.Import,
        response: { 200: schemas.Imported },
      }),
      async ({ actor, body: { projectId, ...wish } }, reply) => {
        const { certificateChain, ...imported } = await certificateImports.importInto(actor, projectId, wish)
        reply.headers(NO_STORE)
        return {
          ...imported,
          ...(certificateChain !== '' && { certificateChain }),
          ...(wish.privateKeyPem !== undefined && { privateKey: wish.privateKeyPem }),
        }
      },
    )
  }

export const toConfig = (renewBeforeDays: number | undefined) =>
  renewBeforeDays === undefined
    ? { message: 'Successfully disabled auto-renewal for certificate' }
    : { message: 'Successfully updated certificate renewal configuration', renewBeforeDays }
