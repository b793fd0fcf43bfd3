import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import * as schemas from './authorities.schemas.ts'
import type { AuthorityService } from './authorities.service.ts'
import { toAuthority, toAuthorityDetails, toNewAuthority } from './authority-views.ts'
import type { AutoRenewalService } from './auto-renewals.service.ts'

const PATH = '/api/v1/cert-manager/ca/internal'
const endpoint = endpoints({ tag: 'Certificate authorities', auth: ['user', 'identity'] })

type Services = {
  authorities: AuthorityService
  authorityRenewals: AutoRenewalService
  certManagerProjects: CertManagerProjects
}

export const authorityRoutes =
  ({ authorities, authorityRenewals, certManagerProjects }: Services): Routes =>
  (app) => {
    app.get(
      '/api/v1/cert-manager/ca',
      endpoint('listCertificateAuthorities', {
        querystring: schemas.InProject,
        response: { 200: schemas.AuthorityList },
      }),
      async ({ actor, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId)
        return { certificateAuthorities: (await authorities.list(actor, projectId)).map(toAuthority) }
      },
    )

    app.get(
      PATH,
      endpoint('listInternalCertificateAuthorities', {
        querystring: schemas.InProject,
        response: { 200: schemas.AuthorityArray },
      }),
      async ({ actor, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId)
        return (await authorities.list(actor, projectId)).map(toAuthority)
      },
    )

    app.post(
      PATH,
      endpoint('createInternalCertificateAuthority', {
        querystring: schemas.InProject,
        body: schemas.NewAuthorityBody,
        response: { 200: schemas.Authority },
      }),
      async ({ actor, body, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId ?? body.projectId)
        return toAuthority(await authorities.create(actor, projectId, toNewAuthority(body)))
      },
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getInternalCertificateAuthority', {
        params: schemas.ById,
        response: { 200: schemas.AuthorityDetails },
      }),
      async ({ actor, params }) => toAuthorityDetails(await authorities.get(actor, params.id)),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateInternalCertificateAuthority', {
        params: schemas.ById,
        body: schemas.AuthorityChangesBody,
        response: { 200: schemas.Authority },
      }),
      async ({ actor, params, body: { configuration, ...body } }) =>
        toAuthority(await authorities.update(actor, params.id, { ...body, ...configuration })),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteInternalCertificateAuthority', {
        params: schemas.ById,
        response: { 200: schemas.Authority },
      }),
      async ({ actor, params }) => toAuthority(await authorities.delete(actor, params.id)),
    )

    app.get(
      `${PATH}/:caId/auto-renewal`,
      endpoint('getAuthorityAutoRenewal', { params: schemas.ByCaId, response: { 200: schemas.AutoRenewal } }),
      ({ actor, params }) => authorityRenewals.get(actor, params.caId),
    )

    app.patch(
      `${PATH}/:caId/auto-renewal`,
      endpoint('updateAuthorityAutoRenewal', {
        params: schemas.ByCaId,
        body: schemas.AutoRenewalChanges,
        response: { 200: schemas.AutoRenewal },
      }),
      ({ actor, params, body }) => authorityRenewals.update(actor, params.caId, body),
    )
  }
