import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { ByCaId, RevocationLists } from './authorities.schemas.ts'
import * as schemas from './authority-certificates.schemas.ts'
import type { AuthorityCertificateService } from './authority-certificates.service.ts'
import { toCertificate, toCertificateDetails, toCertificateVersion, toIntermediate } from './authority-views.ts'

const PATH = '/api/v1/cert-manager/ca/internal/:caId'
const endpoint = endpoints({ tag: 'Certificate authorities', auth: ['user', 'identity'] })

export const authorityCertificateRoutes =
  (certificates: AuthorityCertificateService): Routes =>
  (app) => {
    app.get(
      `${PATH}/csr`,
      endpoint('getAuthoritySigningRequest', { params: ByCaId, response: { 200: schemas.SigningRequest } }),
      async ({ actor, params }) => ({ csr: await certificates.signingRequest(actor, params.caId) }),
    )

    app.post(
      `${PATH}/certificate`,
      endpoint('generateAuthorityCertificate', {
        params: ByCaId,
        body: schemas.NewCertificateBody,
        response: { 200: schemas.Certificate },
      }),
      async ({ actor, params, body: { maxPathLength: pathLength, ...body } }) =>
        toCertificate(await certificates.generate(actor, params.caId, { ...body, pathLength })),
    )

    app.post(
      `${PATH}/sign-intermediate`,
      endpoint('signIntermediateAuthority', {
        params: ByCaId,
        body: schemas.IntermediateBody,
        response: { 200: schemas.Intermediate },
      }),
      async ({ actor, params, body: { maxPathLength: pathLength, ...body } }) =>
        toIntermediate(await certificates.signIntermediate(actor, params.caId, { ...body, pathLength })),
    )

    app.post(
      `${PATH}/import-certificate`,
      endpoint('importAuthorityCertificate', {
        params: ByCaId,
        body: schemas.ImportBody,
        response: { 200: schemas.Imported },
      }),
      async ({ actor, params: { caId }, body }) => {
        await certificates.import(actor, caId, body)
        return { message: 'Successfully imported the certificate', caId }
      },
    )

    app.post(
      `${PATH}/renew`,
      endpoint('renewAuthorityCertificate', {
        params: ByCaId,
        body: schemas.RenewalBody,
        response: { 200: schemas.Certificate },
      }),
      async ({ actor, params, body }) => toCertificate(await certificates.renew(actor, params.caId, body.notAfter)),
    )

    app.get(
      `${PATH}/crls`,
      endpoint('listAuthorityRevocationLists', { params: ByCaId, response: { 200: RevocationLists } }),
      ({ actor, params }) => certificates.revocationLists(actor, params.caId),
    )

    addPublicReads(app, certificates)
  }

/** What every client needs to check a chain. */
const addPublicReads = (app: Parameters<Routes>[0], certificates: AuthorityCertificateService): void => {
  app.get(
    `${PATH}/certificate`,
    endpoint('getAuthorityCertificate', {
      auth: 'public',
      params: schemas.OfAuthority,
      response: { 200: schemas.Certificate },
    }),
    async ({ params }) => toCertificate(await certificates.current(params.caId)),
  )

  app.get(
    `${PATH}/certificate/:certId`,
    endpoint('getAuthorityCertificateById', {
      auth: 'public',
      params: schemas.CertificateOfAuthority,
      response: { 200: schemas.CertificateDetails },
    }),
    async ({ params }) => toCertificateDetails(await certificates.byId(params.caId, params.certId)),
  )

  app.get(
    `${PATH}/ca-certificates`,
    endpoint('listAuthorityCertificates', {
      auth: 'public',
      params: schemas.OfAuthority,
      response: { 200: schemas.CertificateVersions },
    }),
    async ({ params }) => (await certificates.list(params.caId)).map(toCertificateVersion),
  )

  app.get(
    `${PATH}/certificates/:caCertId/der`,
    endpoint('getAuthorityCertificateDer', {
      auth: 'public',
      params: schemas.DerOfAuthority,
      produces: 'application/pkix-cert',
      response: { 200: schemas.Der },
    }),
    async ({ params }, reply) => {
      const { der } = await certificates.byId(params.caId, params.caCertId)
      return reply.type('application/pkix-cert').send(Buffer.from(der))
    },
  )
}
