import { endpoints } from '../../../platform/http/endpoint.ts'
import type { HttpServer, Routes } from '../../../platform/http/route.ts'
import { toDetailedProfile, toListedProfile, toProfile } from './profile-views.ts'
import * as schemas from './profiles.schemas.ts'
import type { ProfileService } from './profiles.service.ts'

const response = { 200: schemas.ProfileAnswer }
const detailed = { 200: schemas.DetailedProfileAnswer }
const endpoint = endpoints({ tag: 'Certificate profiles', auth: ['user', 'identity'] })

export const profileRoutes =
  (profiles: ProfileService): Routes =>
  (app) => {
    registerProfiles(app, profiles, { path: '/api/v1/cert-manager/certificate-profiles', noun: 'CertificateProfile' })
    registerProfiles(app, profiles, {
      path: '/api/v1/pki/certificate-profiles',
      noun: 'PkiCertificateProfile',
      legacy: true,
    })
  }

type Family = {
  path: '/api/v1/cert-manager/certificate-profiles' | '/api/v1/pki/certificate-profiles'
  noun: string
  legacy?: true
}

/** The same under each of its paths. */
const registerProfiles = (app: HttpServer, profiles: ProfileService, { path, noun, ...rest }: Family): void => {
  app.post(
    path,
    endpoint(`create${noun}`, { ...rest, querystring: schemas.InProject, body: schemas.NewProfile, response }),
    async ({ actor, query, body: { projectId, ...profile } }) => ({
      certificateProfile: toProfile(await profiles.create(actor, query.projectId ?? projectId, profile)),
    }),
  )

  app.get(
    path,
    endpoint(`list${noun}s`, {
      ...rest,
      querystring: schemas.ProfileQuery,
      response: { 200: schemas.ProfileList },
    }),
    async ({ actor, query }) => {
      const { profiles: found, totalCount } = await profiles.list(actor, query)
      return { certificateProfiles: found.map(toListedProfile), totalCount }
    },
  )

  app.get(
    `${path}/slug/:slug`,
    endpoint(`get${noun}BySlug`, {
      ...rest,
      params: schemas.BySlug,
      querystring: schemas.InProject,
      response: detailed,
    }),
    async ({ actor, params, query }) => ({
      certificateProfile: toDetailedProfile(await profiles.getBySlug(actor, query.projectId, params.slug)),
    }),
  )

  app.get(
    `${path}/:id`,
    endpoint(`get${noun}`, { ...rest, params: schemas.ById, response: detailed }),
    async ({ actor, params }) => ({ certificateProfile: toDetailedProfile(await profiles.get(actor, params.id)) }),
  )

  app.patch(
    `${path}/:id`,
    endpoint(`update${noun}`, { ...rest, params: schemas.ById, body: schemas.ProfileChanges, response }),
    async ({ actor, params, body }) => ({
      certificateProfile: toProfile(await profiles.update(actor, params.id, body)),
    }),
  )

  app.delete(
    `${path}/:id`,
    endpoint(`delete${noun}`, { ...rest, params: schemas.ById, response }),
    async ({ actor, params }) => ({ certificateProfile: toProfile(await profiles.delete(actor, params.id)) }),
  )
}
