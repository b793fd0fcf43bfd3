import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import { optionalBody } from '../../../platform/http/wire-types.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { Authority, AuthorityArray, AuthorityDetails, InProject } from './authorities.schemas.ts'
import type { AuthorityService } from './authorities.service.ts'
import { toAuthority, toAuthorityDetails, toNewAuthority } from './authority-views.ts'
import * as schemas from './flat-authorities.schemas.ts'

const PATH = '/api/v1/pki/ca/internal'
const endpoint = endpoints({ tag: 'Certificate authorities', auth: ['user', 'identity'], legacy: true })

type Services = { authorities: AuthorityService; certManagerProjects: CertManagerProjects }

/** Authorities by their names, which are unique in a project. */
export const namedAuthorityLegacyRoutes =
  ({ authorities, certManagerProjects }: Services): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listCasWithNames', { querystring: InProject, response: { 200: AuthorityArray } }),
      async ({ actor, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId)
        return (await authorities.list(actor, projectId)).map(toAuthority)
      },
    )

    app.post(
      PATH,
      endpoint('createCaWithName', {
        querystring: InProject,
        body: schemas.NewNamedAuthority,
        response: { 200: Authority },
      }),
      async ({ actor, query, body }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId ?? body.projectId)
        return toAuthority(await authorities.create(actor, projectId, toNewAuthority(body)))
      },
    )

    app.get(
      `${PATH}/:caName`,
      endpoint('getCaByName', { params: schemas.ByName, querystring: InProject, response: { 200: AuthorityDetails } }),
      async ({ actor, params, query }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId)
        return toAuthorityDetails(await authorities.getByName(actor, projectId, params.caName))
      },
    )

    app.patch(
      `${PATH}/:caName`,
      endpoint('updateCaByName', {
        params: schemas.ByName,
        querystring: InProject,
        body: schemas.NamedChanges,
        response: { 200: Authority },
      }),
      async ({ actor, params, query, body: { projectId: inBody, configuration, ...body } }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId ?? inBody)
        const id = await authorities.findIdByName(actor, { projectId, name: params.caName }, 'edit')
        return toAuthority(await authorities.update(actor, id, { ...body, ...configuration }))
      },
    )

    app.delete(
      `${PATH}/:caName`,
      endpoint('deleteCaByName', {
        params: schemas.ByName,
        querystring: InProject,
        body: optionalBody(schemas.ProjectBody),
        response: { 200: Authority },
      }),
      async ({ actor, params, query, body }) => {
        const projectId = await certManagerProjects.resolve(actor, query.projectId ?? body.projectId)
        const id = await authorities.findIdByName(actor, { projectId, name: params.caName }, 'delete')
        return toAuthority(await authorities.delete(actor, id))
      },
    )
  }
