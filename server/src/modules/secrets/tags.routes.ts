import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toNamedTag, toTag } from './tag-views.ts'
import * as schemas from './tags.schemas.ts'
import type { TagService } from './tags.service.ts'

const PATH = '/api/v1/projects/:projectId/tags'
const endpoint = endpoints({ tag: 'Secret tags', auth: ['user', 'identity'] })

export const tagRoutes =
  (tags: TagService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listSecretTags', { params: schemas.InProject, response: { 200: schemas.TagList } }),
      async ({ actor, params }) => ({ tags: (await tags.list(actor, params.projectId)).map(toTag) }),
    )

    app.get(
      `${PATH}/:tagId`,
      endpoint('getSecretTag', { params: schemas.OfProject, response: { 200: schemas.NamedTagAnswer } }),
      async ({ actor, params }) => ({ tag: toNamedTag(await tags.get(actor, params.projectId, params.tagId)) }),
    )

    app.get(
      `${PATH}/slug/:tagSlug`,
      endpoint('getSecretTagBySlug', { params: schemas.BySlug, response: { 200: schemas.NamedTagAnswer } }),
      async ({ actor, params }) => ({
        tag: toNamedTag(await tags.getBySlug(actor, params.projectId, params.tagSlug)),
      }),
    )

    app.post(
      PATH,
      endpoint('createSecretTag', {
        params: schemas.InProject,
        body: schemas.TagBody,
        response: { 200: schemas.TagAnswer },
      }),
      async ({ actor, params, body }) => ({ tag: toTag(await tags.create(actor, params.projectId, body)) }),
    )

    app.patch(
      `${PATH}/:tagId`,
      endpoint('updateSecretTag', {
        params: schemas.OfProject,
        body: schemas.TagBody,
        response: { 200: schemas.TagAnswer },
      }),
      async ({ actor, params: { projectId, tagId: id }, body }) => ({
        tag: toTag(await tags.update(actor, projectId, { id, ...body })),
      }),
    )

    app.delete(
      `${PATH}/:tagId`,
      endpoint('deleteSecretTag', { params: schemas.OfProject, response: { 200: schemas.TagAnswer } }),
      async ({ actor, params }) => ({ tag: toTag(await tags.delete(actor, params.projectId, params.tagId)) }),
    )
  }
