import { endpoints } from '../../platform/http/endpoint.ts'
import type { Routes } from '../../platform/http/route.ts'
import { toNamedTag, toTag } from './tag-views.ts'
import * as schemas from './tags.schemas.ts'
import type { TagService } from './tags.service.ts'

const PATH = '/api/v1/workspace/:projectId/tags'
const endpoint = endpoints({ tag: 'Secret tags', auth: ['user', 'identity'] })

export const tagLegacyRoutes =
  (tags: TagService): Routes =>
  (app) => {
    app.get(
      PATH,
      endpoint('listWorkspaceTags', {
        legacy: true,
        params: schemas.InProject,
        response: { 200: schemas.WorkspaceTagList },
      }),
      async ({ actor, params }) => ({ workspaceTags: (await tags.list(actor, params.projectId)).map(toTag) }),
    )

    app.get(
      `${PATH}/:tagId`,
      endpoint('getWorkspaceTag', {
        legacy: true,
        params: schemas.OfProject,
        response: { 200: schemas.NamedWorkspaceTagAnswer },
      }),
      async ({ actor, params }) => ({
        workspaceTag: toNamedTag(await tags.get(actor, params.projectId, params.tagId)),
      }),
    )

    app.get(
      `${PATH}/slug/:tagSlug`,
      endpoint('getWorkspaceTagBySlug', {
        legacy: true,
        params: schemas.BySlug,
        response: { 200: schemas.NamedWorkspaceTagAnswer },
      }),
      async ({ actor, params }) => ({
        workspaceTag: toNamedTag(await tags.getBySlug(actor, params.projectId, params.tagSlug)),
      }),
    )

    app.post(
      PATH,
      endpoint('createWorkspaceTag', {
        legacy: true,
        params: schemas.InProject,
        body: schemas.TagBody,
        response: { 200: schemas.WorkspaceTagAnswer },
      }),
      async ({ actor, params, body }) => ({ workspaceTag: toTag(await tags.create(actor, params.projectId, body)) }),
    )

    app.patch(
      `${PATH}/:tagId`,
      endpoint('updateWorkspaceTag', {
        legacy: true,
        params: schemas.OfProject,
        body: schemas.TagBody,
        response: { 200: schemas.WorkspaceTagAnswer },
      }),
      async ({ actor, params: { projectId, tagId: id }, body }) => ({
        workspaceTag: toTag(await tags.update(actor, projectId, { id, ...body })),
      }),
    )

    app.delete(
      `${PATH}/:tagId`,
      endpoint('deleteWorkspaceTag', {
        legacy: true,
        params: schemas.OfProject,
        response: { 200: schemas.WorkspaceTagAnswer },
      }),
      async ({ actor, params }) => ({ workspaceTag: toTag(await tags.delete(actor, params.projectId, params.tagId)) }),
    )
  }
