import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMember } from '../../../test/test-projects.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const PATH = `/api/v1/projects/${projectId}/tags`
const LEGACY = `/api/v1/workspace/${projectId}/tags`

const create = async (slug: string, color = '') => (await server.post(PATH, { slug, color }, { token })).body.tag

describe('tags', () => {
  test('are made, shown, changed and deleted in both words', async () => {
    const created = await server.post(PATH, { slug: 'team-a', color: '#fff' }, { token })
    assert.equal(created.status, 200)
    const { id, createdAt, updatedAt, ...rest } = created.body.tag
    assert.ok(createdAt && updatedAt)
    assert.deepEqual(rest, {
      slug: 'team-a',
      color: '#fff',
      createdBy: admin.identityId,
      projectId,
      createdByActorType: 'identity',
    })
    assert.equal((await server.get(`${PATH}/${id}`, { token })).body.tag.name, 'team-a')
    assert.equal((await server.get(`${LEGACY}/slug/team-a`, { token })).body.workspaceTag.id, id)
    const changed = await server.patch(`${LEGACY}/${id}`, { slug: 'team-b', color: '' }, { token })
    assert.equal(changed.body.workspaceTag.slug, 'team-b')
    assert.equal((await server.get(LEGACY, { token })).body.workspaceTags.length, 1)
    assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 200)
    assert.deepEqual((await server.get(PATH, { token })).body, { tags: [] })
  })

  test('on secrets are found by, shown under their present name, and gone with themselves', async () => {
    const tag = await create('shown', 'red')
    const created = await secrets.create('TAGGED', 'v', { tagIds: [tag.id] })
    assert.equal(created.status, 200)
    await secrets.create('PLAIN', 'v')
    assert.deepEqual(await secrets.values({ tagSlugs: 'other,shown' }), { TAGGED: 'v' })
    const shown = async () => (await secrets.get('TAGGED')).body.secret.tags
    assert.deepEqual(await shown(), [{ id: tag.id, slug: 'shown', color: 'red', name: 'shown' }])
    await server.patch(`${PATH}/${tag.id}`, { slug: 'renamed', color: 'red' }, { token })
    assert.equal((await shown())[0].slug, 'renamed')
    assert.equal((await secrets.update('TAGGED', { secretValue: 'w' })).status, 200)
    assert.equal((await shown()).length, 1)
    await server.delete(`${PATH}/${tag.id}`, { token })
    assert.deepEqual(await shown(), [])
  })

  test('decide who may do what', async () => {
    const mine = await create('mine')
    const theirs = await create('theirs')
    await secrets.create('MINE', 'v', { tagIds: [mine.id] })
    await secrets.create('THEIRS', 'v', { tagIds: [theirs.id] })
    const owner = await secrets.tokenAllowing(db, {
      subject: 'secrets',
      action: ['read', 'edit', 'create', 'delete'],
      conditions: { secretTags: { $in: ['mine'] } },
    })
    assert.deepEqual(await secrets.values({}, owner), { MINE: 'v' })
    assert.equal((await secrets.get('THEIRS', {}, owner)).status, 403)
    assert.equal((await secrets.update('MINE', { secretValue: 'w' }, owner)).status, 200)
    assert.equal((await secrets.update('THEIRS', { secretValue: 'w' }, owner)).status, 403)
    assert.equal((await secrets.update('MINE', { tagIds: [theirs.id] }, owner)).status, 403)
    assert.equal((await secrets.create('NEW', 'v', {}, owner)).status, 403)
    assert.equal((await secrets.create('NEW', 'v', { tagIds: [mine.id] }, owner)).status, 200)
    assert.equal((await secrets.remove('THEIRS', {}, owner)).status, 403)
    assert.equal((await secrets.remove('NEW', {}, owner)).status, 200)
  })

  test('400 for a slug that is taken', async () => {
    await create('twice')
    const other = await create('other-one')
    assert.equal((await server.post(PATH, { slug: 'twice', color: '' }, { token })).status, 400)
    assert.equal((await server.patch(`${PATH}/${other.id}`, { slug: 'twice', color: '' }, { token })).status, 400)
  })

  for (const id of [UNKNOWN_ID, 'none']) {
    test(`404 for ${id}`, async () => {
      assert.equal((await server.get(`${PATH}/${id}`, { token })).status, 404)
      assert.equal((await server.patch(`${PATH}/${id}`, { slug: 'x', color: '' }, { token })).status, 404)
      assert.equal((await server.delete(`${PATH}/${id}`, { token })).status, 404)
    })
  }

  test('422 for a slug that is none and without a colour, 403 for a viewer', async () => {
    assert.equal((await server.post(PATH, { slug: 'A b', color: '' }, { token })).status, 422)
    assert.equal((await server.post(PATH, { slug: 'a' }, { token })).status, 422)
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    assert.equal((await server.post(PATH, { slug: 'a', color: '' }, { token: viewer.token })).status, 403)
    assert.equal((await server.get(PATH, { token: viewer.token })).status, 200)
  })
})
