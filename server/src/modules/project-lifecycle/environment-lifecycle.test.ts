import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBeside } from '../../../test/test-database.ts'
import { UNKNOWN_ID } from '../../../test/test-members.ts'
import { logIn } from '../../../test/test-people.ts'
import {
  auditOf,
  createIdentity,
  createMember,
  createOtherOrganization,
  createProject,
  type ProjectBody,
} from '../../../test/test-projects.ts'
import { startTestServer } from '../../../test/test-server.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const server = await startTestServer()
const admin = await server.bootstrap()
const { token } = admin
const beside = openBeside(server.url)
const db = beside.pool

const paths = {
  'the present words': (projectId: string, id = '') => `/api/v1/projects/${projectId}/environments/${id}`,
  'the older words': (projectId: string, id = '') => `/api/v1/workspace/${projectId}/environments/${id}`,
}
const path = paths['the present words']
const legacyPath = paths['the older words']

const idOf = (project: ProjectBody, slug: string): string =>
  project.environments.find((environment) => environment.slug === slug)?.id ?? ''

const read = async (projectId: string): Promise<ProjectBody> =>
  (await server.get(`/api/v1/projects/${projectId}`, { token })).body.project as ProjectBody

const slugsOf = async (projectId: string) => (await read(projectId)).environments.map(({ slug }) => slug)

describe('creating an environment', () => {
  for (const [words, at] of Object.entries(paths)) {
    test(`200 in ${words}: it stands behind the others`, async () => {
      const { id } = await createProject(server, token)
      const wish = { name: ' Quality ', slug: 'qa', workspaceId: id, projectId: id }
      const { status, body } = await server.post(at(id), wish, { token })
      assert.equal(status, 200)
      const { environment, message, ...echo } = body
      assert.equal(message, 'Successfully created new environment')
      assert.deepEqual(echo, words === 'the older words' ? { workspace: id } : { projectId: id })
      const { id: environmentId, createdAt, updatedAt, ...rest } = environment
      assert.ok(createdAt && updatedAt)
      assert.deepEqual(rest, {
        name: 'Quality',
        slug: 'qa',
        position: 4,
        projectId: id,
        deleteAfter: null,
        softDeletedAt: null,
        deletedByUserId: null,
        deletedByIdentityId: null,
      })
      assert.deepEqual(await slugsOf(id), ['dev', 'staging', 'prod', 'qa'])
      assert.equal(idOf(await read(id), 'qa'), environmentId)
      assert.deepEqual((await auditOf(db, id, 'create-environment'))[0]?.eventMetadata, { name: 'Quality', slug: 'qa' })
    })
  }

  test('200 at a position that is taken: the others move up; at one that is free: it is kept', async () => {
    const { id } = await createProject(server, token)
    const second = await server.post(path(id), { name: 'QA', slug: 'qa', position: 2 }, { token })
    assert.equal(second.body.environment.position, 2)
    assert.deepEqual(await slugsOf(id), ['dev', 'qa', 'staging', 'prod'])
    const far = await server.post(path(id), { name: 'Far', slug: 'far', position: 40 }, { token })
    assert.equal(far.body.environment.position, 40)
    const last = await server.post(path(id), { name: 'Last', slug: 'last' }, { token })
    assert.equal(last.body.environment.position, 41)
  })

  for (const [status, error, reason, body] of [
    [400, 'CreateEnvironment', 'the slug is taken', { name: 'x', slug: 'dev' }],
    [422, 'ValidationFailure', 'there is no name', { slug: 'x' }],
    [422, 'ValidationFailure', 'the name is empty', { name: ' ', slug: 'x' }],
    [422, 'ValidationFailure', 'the name is too long', { name: 'x'.repeat(256), slug: 'x' }],
    [422, 'ValidationFailure', 'there is no slug', { name: 'x' }],
    [422, 'ValidationFailure', 'the slug is too long', { name: 'x', slug: 'a'.repeat(65) }],
    [422, 'ValidationFailure', 'the slug is none', { name: 'x', slug: 'a_b' }],
    [422, 'ValidationFailure', 'the position is 0', { name: 'x', slug: 'x', position: 0 }],
    [422, 'ValidationFailure', 'the position is a fraction', { name: 'x', slug: 'x', position: 1.5 }],
    [422, 'ValidationFailure', 'the position is text', { name: 'x', slug: 'x', position: '1' }],
    [422, 'ValidationFailure', 'the position is beyond all bounds', { name: 'x', slug: 'x', position: 1e12 }],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const { id } = await createProject(server, token)
      const answer = await server.post(path(id), body, { token })
      assert.deepEqual([answer.status, answer.body.error], [status, error])
      assert.deepEqual(await slugsOf(id), ['dev', 'staging', 'prod'])
    })
  }
})

describe('reading an environment', () => {
  test('200 by id on three paths, and by slug', async () => {
    const project = await createProject(server, token)
    const id = idOf(project, 'prod')
    const found = [
      await server.get(path(project.id, id), { token }),
      await server.get(legacyPath(project.id, id), { token }),
      await server.get(`/api/v1/workspace/environments/${id}`, { token }),
      await server.get(path(project.id, 'slug/prod'), { token }),
    ]
    for (const { status, body } of found) {
      assert.equal(status, 200)
      assert.deepEqual(body, found[0]?.body)
      assert.deepEqual([body.environment.slug, body.environment.position], ['prod', 3])
    }
    assert.deepEqual((await auditOf(db, project.id, 'get-environment'))[0]?.eventMetadata, { id })
  })

  test('404 for ids and slugs that are none, 422 for a project id that is none before a slug', async () => {
    const { id } = await createProject(server, token)
    for (const unknown of ['x', UNKNOWN_ID]) {
      assert.equal((await server.get(path(id, unknown), { token })).status, 404)
      assert.equal((await server.get(`/api/v1/workspace/environments/${unknown}`, { token })).status, 404)
    }
    assert.equal((await server.get(path(id, 'slug/nope'), { token })).status, 404)
    assert.equal((await server.get(path('x', 'slug/dev'), { token })).status, 422)
    assert.equal((await server.get(path(UNKNOWN_ID, 'slug/dev'), { token })).status, 404)
  })
})

describe('changing an environment', () => {
  for (const [words, at] of Object.entries(paths)) {
    test(`200 in ${words}: what is named changes, and nothing else`, async () => {
      const project = await createProject(server, token)
      const id = idOf(project, 'staging')
      const wish = { ID: id, ProjectID: project.id, name: 'Stage', slug: 'stage', position: 9 }
      const before = await server.get(path(project.id, id), { token })
      const { status, body } = await server.patch(at(project.id, id), wish, { token })
      assert.equal(status, 200)
      assert.equal(body.message, 'Successfully updated environment')
      assert.equal(body[words === 'the older words' ? 'workspace' : 'projectId'], project.id)
      assert.deepEqual(body.environment, { ...before.body.environment, name: 'Stage', slug: 'stage', position: 9 })
      assert.deepEqual(await slugsOf(project.id), ['dev', 'prod', 'stage'])
      assert.deepEqual((await auditOf(db, project.id, 'update-environment'))[0]?.eventMetadata, {
        oldName: 'Staging',
        oldSlug: 'staging',
        oldPos: 2,
        newName: 'Stage',
        newSlug: 'stage',
        newPos: 9,
      })
    })
  }

  test('200 with an empty body, with position 0 and with what it has already: nothing changes', async () => {
    const project = await createProject(server, token)
    const id = idOf(project, 'dev')
    const before = await server.get(path(project.id, id), { token })
    for (const changes of [{}, { position: 0 }, { position: 1 }, { name: 'Development', slug: 'dev' }]) {
      const { status, body } = await server.patch(legacyPath(project.id, id), changes, { token })
      assert.equal(status, 200)
      assert.deepEqual(body.environment, before.body.environment)
    }
    assert.deepEqual(await auditOf(db, project.id, 'update-environment'), [])
  })

  test('400 for a slug that is taken or held; 422 for what no environment can have', async () => {
    const project = await createProject(server, token)
    const id = idOf(project, 'dev')
    await server.delete(path(project.id, idOf(project, 'prod')), { token })
    for (const slug of ['staging', 'prod']) {
      const answer = await server.patch(legacyPath(project.id, id), { slug }, { token })
      assert.deepEqual([answer.status, answer.body.error], [400, 'UpdateEnvironment'])
    }
    for (const wrong of [
      { position: 1.5 },
      { position: '2' },
      { position: 1e12 },
      { slug: '' },
      { slug: 'A' },
      { name: '' },
    ]) {
      assert.equal((await server.patch(legacyPath(project.id, id), wrong, { token })).status, 422)
    }
    assert.deepEqual(await slugsOf(project.id), ['dev', 'staging'])
  })
})

describe('deleting an environment', () => {
  test('200 hides it and says who did it; 200 restores it behind the others', async () => {
    const project = await createProject(server, token)
    const id = idOf(project, 'staging')
    const { status, body } = await server.delete(path(project.id, id), { token })
    assert.equal(status, 200)
    assert.equal(body.message, 'Successfully deleted environment')
    const { softDeletedAt, deleteAfter, deletedByIdentityId, deletedByUserId } = body.environment
    assert.equal(Date.parse(deleteAfter) - Date.parse(softDeletedAt), 14 * DAY_MS)
    assert.deepEqual([deletedByIdentityId, deletedByUserId], [admin.identityId, null])

    const shown = await read(project.id)
    assert.deepEqual(
      shown.environments.map(({ slug }) => slug),
      ['dev', 'prod'],
    )
    assert.equal(shown.deletedEnvironments.length, 1)
    const { deletedBy, ...hidden } = shown.deletedEnvironments[0] ?? {}
    assert.deepEqual(hidden, { id, name: 'Staging', slug: 'staging', deleteAfter, softDeletedAt })
    assert.deepEqual(Object.keys(Object(deletedBy)), ['type', 'id', 'name'])
    assert.equal(Object(deletedBy).id, admin.identityId)

    for (const gone of [
      path(project.id, id),
      path(project.id, 'slug/staging'),
      `/api/v1/workspace/environments/${id}`,
    ]) {
      assert.equal((await server.get(gone, { token })).status, 404)
    }
    assert.equal((await server.patch(path(project.id, id), { name: 'x' }, { token })).status, 404)
    assert.equal((await server.delete(path(project.id, id), { token })).status, 404)
    const held = await server.post(path(project.id), { name: 'x', slug: 'staging' }, { token })
    assert.deepEqual([held.status, held.body.error], [400, 'CreateEnvironment'])
    const { body: v2 } = await server.get(`/api/v2/workspace/${project.slug}`, { token })
    assert.deepEqual([v2.environments.length, 'deletedEnvironments' in v2], [2, false])

    const restored = await server.post(path(project.id, `${id}/restore`), undefined, { token })
    assert.equal(restored.status, 200)
    assert.equal(restored.body.message, 'Successfully restored environment')
    assert.deepEqual(
      ['softDeletedAt', 'deleteAfter', 'deletedByIdentityId', 'deletedByUserId', 'position'].map(
        (field) => restored.body.environment[field] as unknown,
      ),
      [null, null, null, null, 4],
    )
    assert.deepEqual(await slugsOf(project.id), ['dev', 'prod', 'staging'])
    assert.deepEqual((await auditOf(db, project.id, 'delete-environment'))[0]?.eventMetadata, {
      slug: 'staging',
      name: 'Staging',
      hardDelete: false,
    })
    assert.equal((await auditOf(db, project.id, 'restore-environment')).length, 1)
    assert.equal((await server.post(path(project.id, `${id}/restore`), {}, { token })).status, 404)
  })

  test('a person who deletes is shown with all six members', async () => {
    const person = await logIn(server, admin)
    const project = await createProject(server, person)
    await server.delete(path(project.id, idOf(project, 'dev')), { token: person })
    const { body } = await server.get(`/api/v1/projects/slug/${project.slug}`, { token: person })
    const { deletedBy } = body.deletedEnvironments[0]
    assert.deepEqual(Object.keys(deletedBy), ['type', 'id', 'email', 'username', 'firstName', 'lastName'])
    assert.deepEqual([deletedBy.type, deletedBy.id, deletedBy.email], ['user', admin.userId, admin.email])
  })

  test('an identity that deleted and is renamed, then deleted, is shown as it is now', async () => {
    const project = await createProject(server, token)
    const { identityId, ...member } = await createMember(server, admin, { db, projectId: project.id, role: 'admin' })
    await server.delete(path(project.id, idOf(project, 'dev')), { token: member.token })
    const shown = async () => {
      const { body } = await server.get(`/api/v1/projects/slug/${project.slug}`, { token })
      return body.deletedEnvironments[0].deletedBy as unknown
    }
    assert.deepEqual(await shown(), { type: 'identity', id: identityId, name: 'admin' })
    await server.patch(`/api/v1/identities/${identityId}`, { name: 'renamed' }, { token })
    assert.deepEqual(await shown(), { type: 'identity', id: identityId, name: 'renamed' })
    await server.delete(`/api/v1/identities/${identityId}`, { token })
    assert.equal(await shown(), null)
  })

  test('200 in the older words, or with hardDelete, it is gone for good, hidden before or not', async () => {
    const project = await createProject(server, token)
    const [dev, staging, prod] = ['dev', 'staging', 'prod'].map((slug) => idOf(project, slug))
    const answer = await server.delete(legacyPath(project.id, dev), { token, body: { workspaceId: project.id } })
    assert.deepEqual([answer.status, answer.body.workspace, answer.body.environment.id], [200, project.id, dev])
    const hard = await server.delete(path(project.id, staging), { token, query: { hardDelete: 'true' } })
    assert.deepEqual([hard.status, hard.body.environment.softDeletedAt], [200, null])
    await server.delete(path(project.id, prod), { token })
    assert.equal((await server.delete(path(project.id, prod), { token, query: { hardDelete: 'true' } })).status, 200)

    const { environments, deletedEnvironments } = await read(project.id)
    assert.deepEqual([environments, deletedEnvironments], [[], []])
    assert.equal((await server.delete(legacyPath(project.id, dev), { token })).status, 404)
    assert.equal((await server.post(path(project.id), { name: 'Again', slug: 'dev' }, { token })).status, 200)
  })

  test('when its time is over it cannot be restored, and the job removes it', async () => {
    const project = await createProject(server, token)
    const [dev, staging] = ['dev', 'staging'].map((slug) => idOf(project, slug))
    await server.delete(path(project.id, dev), { token })
    server.clock.advance(DAY_MS)
    await server.delete(path(project.id, staging), { token })
    server.clock.advance(13 * DAY_MS)
    const late = await server.post(path(project.id, `${dev}/restore`), undefined, { token })
    assert.deepEqual([late.status, late.body.error], [400, 'BadRequest'])

    await server.app.services.environmentLifecycle.purgeExpired()
    const { deletedEnvironments } = await read(project.id)
    assert.deepEqual(
      deletedEnvironments.map(({ slug }) => slug),
      ['staging'],
    )
    const recorded = (await auditOf(db, project.id, 'delete-environment')).at(-1)
    assert.deepEqual([recorded?.actorType, recorded?.organizationId], ['platform', admin.organizationId])
    assert.deepEqual(recorded?.eventMetadata, { slug: 'dev', name: 'Development', hardDelete: true })
    assert.equal((await server.post(path(project.id, `${staging}/restore`), undefined, { token })).status, 200)
  })
})

describe('who may', () => {
  test('a viewer reads, a member changes, a stranger does neither, another organization sees nothing', async () => {
    const project = await createProject(server, token)
    const elsewhere = await createOtherOrganization(server, admin)
    const own = await createProject(server, elsewhere.token)
    const viewer = await createMember(server, admin, { db, projectId: project.id, role: 'viewer' })
    const powerless = await createMember(server, admin, { db, projectId: project.id, role: 'no-access' })
    const member = await createMember(server, admin, { db, projectId: project.id, role: 'member' })
    const stranger = await createIdentity(server, admin)
    const statuses = async (actor: string | undefined, projectId = project.id) => {
      const id = idOf(project, 'dev')
      const options = { token: actor }
      return [
        await server.get(`/api/v1/workspace/environments/${id}`, options),
        await server.post(path(projectId), { name: 'x', slug: 'x' }, options),
        await server.patch(path(projectId, id), { name: 'x' }, options),
        await server.patch(legacyPath(projectId, id), { name: 'x' }, options),
        await server.delete(path(projectId, id), options),
        await server.post(path(projectId, `${id}/restore`), undefined, options),
        await server.delete(legacyPath(projectId, id), options),
      ].map(({ status }) => status)
    }
    assert.deepEqual(await statuses(undefined), [401, 401, 401, 401, 401, 401, 401])
    assert.deepEqual(await statuses(viewer.token), [200, 403, 403, 403, 403, 403, 403])
    assert.deepEqual(await statuses(powerless.token), [403, 403, 403, 403, 403, 403, 403])
    assert.deepEqual(await statuses(stranger.token), [403, 403, 403, 403, 403, 403, 403])
    assert.deepEqual(await statuses(elsewhere.token), [404, 404, 404, 404, 404, 404, 404])
    assert.deepEqual(await statuses(elsewhere.token, own.id), [404, 200, 404, 404, 404, 404, 404])
    assert.deepEqual(await statuses(member.token), [200, 200, 200, 200, 200, 200, 200])
  })
})
