import { endpoints } from '../../../platform/http/endpoint.ts'
import type { Routes } from '../../../platform/http/route.ts'
import * as schemas from './policies.schemas.ts'
import type { Policy, PolicyService } from './policies.service.ts'

const PATH = '/api/v1/cert-manager/certificate-policies'
const response = { 200: schemas.PolicyAnswer }
const endpoint = endpoints({ tag: 'Certificate policies', auth: ['user', 'identity'] })

export const policyRoutes =
  (policies: PolicyService): Routes =>
  (app) => {
    app.post(
      PATH,
      endpoint('createCertificatePolicy', { querystring: schemas.InProject, body: schemas.NewPolicy, response }),
      async ({ actor, query, body: { projectId, name, description, ...rules } }) => ({
        certificatePolicy: toPolicy(
          await policies.create(actor, query.projectId ?? projectId, { name, description, rules }),
        ),
      }),
    )

    app.get(
      PATH,
      endpoint('listCertificatePolicies', { querystring: schemas.PolicyQuery, response: { 200: schemas.PolicyList } }),
      async ({ actor, query }) => {
        const { policies: found, totalCount } = await policies.list(actor, query)
        return { certificatePolicies: found.map(toPolicy), totalCount }
      },
    )

    app.get(
      `${PATH}/:id`,
      endpoint('getCertificatePolicy', { params: schemas.ById, response }),
      async ({ actor, params }) => ({ certificatePolicy: toPolicy(await policies.get(actor, params.id)) }),
    )

    app.patch(
      `${PATH}/:id`,
      endpoint('updateCertificatePolicy', { params: schemas.ById, body: schemas.PolicyChanges, response }),
      async ({ actor, params, body: { name, description, ...rules } }) => ({
        certificatePolicy: toPolicy(await policies.update(actor, params.id, { name, description, rules })),
      }),
    )

    app.delete(
      `${PATH}/:id`,
      endpoint('deleteCertificatePolicy', { params: schemas.ById, response }),
      async ({ actor, params }) => ({ certificatePolicy: toPolicy(await policies.delete(actor, params.id)) }),
    )
  }

const toPolicy = ({ rules, ...policy }: Policy) => ({ ...policy, ...rules })
