import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { ByCaId, RevocationLists } from './authorities.schemas.ts'
import * as schemas from './authority-certificates.schemas.ts'
import type { AuthorityCertificateService } from './authority-certificates.service.ts'
import { toCertificate, toCertificateVersion, toIntermediate } from './authority-views.ts'

const PATH = '/api/v1/pki/ca/:caId'
const endpoint = endpoints({ tag: 'Certificate authorities', auth: ['user', 'identity'], legacy: true })

export const authorityCertificateLegacyRoutes =
  (certificates: AuthorityCertificateService): Routes =>
  (app) => {
    app.get(
      `${PATH}/csr`,
      endpoint('getCaCsr', { params: ByCaId, response: { 200: schemas.SigningRequest } }),
      async ({ actor, params }) => ({ csr: await certificates.signingRequest(actor, params.caId) }),
    )

    app.post(
      `${PATH}/renew`,
      endpoint('renewCaCert', {
        params: ByCaId,
        body: schemas.RenewalBody,
        response: { 200: schemas.PlainCertificate },
      }),
      async ({ actor, params, body }) => toCertificate(await certificates.renew(actor, params.caId, body.notAfter)),
    )

    app.get(
      `${PATH}/ca-certificates`,
      endpoint('listCaCerts', { params: ByCaId, response: { 200: schemas.PlainCertificateVersions } }),
      async ({ actor, params }) => (await certificates.listFor(actor, params.caId)).map(toCertificateVersion),
    )

    app.get(
      `${PATH}/certificate`,
      endpoint('getCaCert', { params: ByCaId, response: { 200: schemas.PlainCertificate } }),
      async ({ actor, params }) => toCertificate(await certificates.currentFor(actor, params.caId)),
    )

    app.post(
      `${PATH}/sign-intermediate`,
      endpoint('signIntermediateCa', {
        params: ByCaId,
        body: schemas.IntermediateBody,
        response: { 200: schemas.Intermediate },
      }),
      async ({ actor, params, body: { maxPathLength: pathLength, ...body } }) =>
        toIntermediate(await certificates.signIntermediate(actor, params.caId, { ...body, pathLength })),
    )

    app.post(
      `${PATH}/import-certificate`,
      endpoint('importCaCert', { params: ByCaId, body: schemas.ImportBody, response: { 200: schemas.Imported } }),
      async ({ actor, params: { caId }, body }) => {
        await certificates.import(actor, caId, body)
        return { message: 'Successfully imported the certificate', caId }
      },
    )

    app.get(
      `${PATH}/crls`,
      endpoint('listCaCrls', { params: ByCaId, response: { 200: RevocationLists } }),
      ({ actor, params }) => certificates.revocationLists(actor, params.caId),
    )

    app.get(
      `${PATH}/certificates/:caCertId/der`,
      endpoint('getCaCertDer', {
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
