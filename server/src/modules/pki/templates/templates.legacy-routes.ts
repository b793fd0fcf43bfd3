import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import * as schemas from './templates.schemas.ts'
import type { Template, TemplateService } from './templates.service.ts'

const PATH = '/api/v1/pki/certificate-templates'
const endpoint = endpoints({ tag: 'Certificate templates', auth: ['user', 'identity'], legacy: true })
const response = { 200: schemas.Template }

/** Collections of certificates are not built. */
const toTemplate = (template: Template) => ({ ...template, pkiCollectionId: null })

export const templateLegacyRoutes =
  (templates: TemplateService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createCertificateTemplate', { body: schemas.NewTemplate, response }),
      async ({ actor, body }) => toTemplate(await templates.create(actor, body)),
    )

    app.get(
      `${PATH}/:certificateTemplateId`,
      endpoint('getCertificateTemplate', { params: schemas.ByTemplateId, response }),
      async ({ actor, params }) => toTemplate(await templates.get(actor, params.certificateTemplateId)),
    )

    app.patch(
      `${PATH}/:certificateTemplateId`,
      endpoint('updateCertificateTemplate', { params: schemas.ByTemplateId, body: schemas.TemplateChanges, response }),
      async ({ actor, params, body }) => toTemplate(await templates.update(actor, params.certificateTemplateId, body)),
    )

    app.delete(
      `${PATH}/:certificateTemplateId`,
      endpoint('deleteCertificateTemplate', { params: schemas.ByTemplateId, response }),
      async ({ actor, params }) => toTemplate(await templates.delete(actor, params.certificateTemplateId)),
    )
  }
