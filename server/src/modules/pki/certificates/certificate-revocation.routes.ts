import { z } from 'zod'
import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import type { CertificateRevocationService } from './certificate-revocation.service.ts'
import * as schemas from './certificates.schemas.ts'

const MESSAGE = 'Successfully revoked certificate'
const response = { 200: schemas.RevocationAnswer }
const endpoint = endpoints({ tag: 'Certificates', auth: ['user', 'identity'] })

export const certificateRevocationRoutes =
  (revocations: CertificateRevocationService): Routes =>
  (app) => {
    app.post(
      '/api/v1/cert-manager/certificates/:id/revoke',
      endpoint('revokeCertificate', { params: schemas.ByAnyId, body: schemas.Revocation, response }),
      async ({ actor, params, body }) => ({
        message: MESSAGE,
        ...(await revocations.revoke(actor, params, body.revocationReason)),
      }),
    )

    app.post(
      '/api/v1/pki/certificates/:serialNumber/revoke',
      endpoint('revokePkiCertificate', {
        legacy: true,
        params: schemas.BySerialNumber,
        body: schemas.Revocation,
        response,
      }),
      async ({ actor, params, body }) => ({
        message: MESSAGE,
        ...(await revocations.revoke(actor, params, body.revocationReason)),
      }),
    )

    app.post(
      '/api/x/certificates/:id/release',
      endpoint('releaseCertificate', {
        summary: 'Lifts the hold of a certificate that was revoked as CERTIFICATE_HOLD',
        params: schemas.ByAnyId,
        response: { 200: z.object({ message: z.string(), serialNumber: z.string() }) },
      }),
      async ({ actor, params }) => {
        const { serialNumber } = await revocations.release(actor, params)
        return { message: 'Successfully released certificate', serialNumber }
      },
    )
  }
