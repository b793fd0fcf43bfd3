import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { AuthorityList, AuthoritySearch, ByCaId, InProject } from './authorities.schemas.ts'
import type { AuthorityService } from './authorities.service.ts'
import { toAuthority, toFlatAuthority } from './authority-views.ts'
import * as schemas from './flat-authorities.schemas.ts'

const PATH = '/api/v1/pki/ca'
const endpoint = endpoints({ tag: 'Certificate authorities', auth: ['user', 'identity'], legacy: true })
const answer = { 200: schemas.FlatAuthorityAnswer }
const list = { 200: schemas.FlatAuthorityList }

type Services = { authorities: AuthorityService; certManagerProjects: CertManagerProjects }

export const authorityLegacyRoutes =
  ({ authorities, certManagerProjects }: Services): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createCa', { body: schemas.NewFlatAuthority, response: answer }),
      async ({ actor, body: { projectSlug, ...body } }) => {
        const projectId = await certManagerProjects.resolveBySlug(actor, projectSlug)
        return { ca: toFlatAuthority(await authorities.create(actor, projectId, toNewAuthority(body))) }
      },
    )

    app.get(`${PATH}/:caId`, endpoint('getCa', { params: ByCaId, response: answer }), async ({ actor, params }) => ({
      ca: toFlatAuthority(await authorities.get(actor, params.caId)),
    }))

    app.patch(
      `${PATH}/:caId`,
      endpoint('updateCa', { params: ByCaId, body: schemas.FlatChanges, response: answer }),
      async ({ actor, params, body }) => ({ ca: toFlatAuthority(await authorities.update(actor, params.caId, body)) }),
    )

    app.delete(
      `${PATH}/:caId`,
      endpoint('deleteCa', { params: ByCaId, response: answer }),
      async ({ actor, params }) => ({ ca: toFlatAuthority(await authorities.delete(actor, params.caId)) }),
    )

    app.get(
      '/api/v2/pki/ca',
      endpoint('listCas', { querystring: InProject, response: { 200: AuthorityList } }),
      async ({ actor, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId)
        return { certificateAuthorities: (await authorities.list(actor, projectId)).map(toAuthority) }
      },
    )

    app.get(
      '/api/v1/projects/:projectId/cas',
      endpoint('listProjectCas', { params: schemas.ByProjectId, querystring: AuthoritySearch, response: list }),
      async ({ actor, params, query }) => {
        const projectId = await certManagerProjects.resolve(actor, params.projectId)
        return { cas: (await authorities.search(actor, projectId, query)).map(toFlatAuthority) }
      },
    )

    app.get(
      '/api/v2/workspace/:slug/cas',
      endpoint('listWorkspaceCas', { params: schemas.ByProjectSlug, querystring: AuthoritySearch, response: list }),
      async ({ actor, params, query }) => {
        const projectId = await certManagerProjects.resolveBySlug(actor, params.slug)
        return { cas: (await authorities.search(actor, projectId, query)).map(toFlatAuthority) }
      },
    )
  }

const toNewAuthority = (body: Omit<schemas.NewFlatAuthority, 'projectSlug'>) => ({
  ...body,
  name: undefined,
  keySource: 'infisical',
  notBefore: body.notBefore ?? null,
  notAfter: body.notAfter ?? null,
  crlDistributionPointUrls: [],
  disableManagedCrlDistributionPointUrl: false,
})
