import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()

const SECRETS = { subject: 'secrets', action: ['describeSecret', 'readValue', 'create', 'edit', 'delete'] }
const FOLDERS = { subject: 'secret-folders', action: ['create', 'edit', 'delete'] }
const HISTORY = { subject: 'commits', action: ['read', 'perform-rollback'] }
const ENVIRONMENTS = { subject: 'environments', action: ['read', 'edit'] }

const idOf = async (place: TestSecrets, name: string, secretPath = '/') =>
  (await place.get(name, { secretPath })).body.secret.id as string
const renameFolder = (id: string, name: string, as: string) =>
  server.patch(`/api/v2/folders/${id}`, { projectId, environment: 'dev', path: '/', name }, { token: as })
const moveFolder = (folderId: string, destinationPath: string, as: string) => {
  const wish = { projectId, folderId, destinationEnvironment: 'dev', destinationPath }
  return server.post('/api/v2/folders/move', wish, { token: as })
}
/** Of a folder in which there was a secret once. */
const emptied = async (name: string) => {
  const { id } = (await secrets.folder(name)).body.folder
  await secrets.create('KEPT', 'kept', { secretPath: `/${name}` })
  const secretId = await idOf(secrets, 'KEPT', `/${name}`)
  await secrets.remove('KEPT', { secretPath: `/${name}` })
  return { id: id as string, secretId }
}
/** With an environment of their own slug, which nothing has been in. */
const openPlace = async () => {
  const place = await TestSecrets.open(server, admin)
  const { environments } = (await server.get(`/api/v1/projects/${place.projectId}`, { token })).body.project
  const path = `/api/v1/projects/${place.projectId}/environments/${environments[0].id as string}`
  return { place, rename: (slug: string, as: string) => server.patch(path, { slug }, { token: as }) }
}
const versionsOf = (secretId: string, as: string) =>
  server.get(`/api/v1/secret/${secretId}/secret-versions`, { token: as, query: { offset: '0', limit: '20' } })

describe('what has been deleted is kept from whom it was kept from', () => {
  test('403 its environment is not given a slug under which they may read its versions', async () => {
    const { place, rename } = await openPlace()
    await place.create('KEPT', 'kept')
    const inOpen = { ...SECRETS, conditions: { environment: { $eq: 'open' } } }
    const renamer = await place.tokenAllowing(db, ENVIRONMENTS, HISTORY, inOpen)
    assert.equal((await rename('open', renamer)).status, 403)
    const id = await idOf(place, 'KEPT')
    await place.remove('KEPT')
    assert.equal((await rename('open', renamer)).status, 403)
    assert.equal((await rename('closed', renamer)).status, 200)
    assert.equal((await rename('open', token)).status, 200)
    const { status, body } = await versionsOf(id, renamer)
    assert.deepEqual([status, body.secretVersions[0].secretValue], [200, 'kept'])
  })

  test('403 to delete it shows nothing of what it was before it was kept from them', async () => {
    const place = await TestSecrets.open(server, admin)
    const wish = { slug: 'guarded', color: '#000000' }
    const { tag } = (await server.post(`/api/v1/projects/${place.projectId}/tags`, wish, { token })).body
    await place.create('KEPT', 'kept')
    await place.update('KEPT', { tagIds: [tag.id] })
    const id = await idOf(place, 'KEPT')
    const guarded = { subject: 'secrets', inverted: true, action: ['readValue'] }
    const conditions = { secretTags: { $in: ['guarded'] } }
    const deleter = await place.tokenAllowing(db, HISTORY, SECRETS, { ...guarded, conditions })
    assert.equal((await place.remove('KEPT', {}, deleter)).status, 200)
    const { body } = await versionsOf(id, deleter)
    const shown = body.secretVersions.map(({ secretValue }: { secretValue: string }) => secretValue)
    assert.equal(shown.length, 2)
    assert.ok(!shown.includes('kept'))
    const restore = await server.post(`/api/x/secrets/${id}/rollback`, { version: 1 }, { token: deleter })
    assert.equal(restore.status, 403)
  })

  test('200 an environment in which nothing has been kept from them may have any slug', async () => {
    const { rename, place } = await openPlace()
    const inOpen = { ...SECRETS, conditions: { environment: { $eq: 'open' } } }
    assert.equal((await rename('open', await place.tokenAllowing(db, ENVIRONMENTS, HISTORY, inOpen))).status, 200)
  })

  test('403 nor what a secret was before it lost the tag by which it was kept', async () => {
    const { place, rename } = await openPlace()
    const tags = `/api/v1/projects/${place.projectId}/tags`
    const tag = await server.post(tags, { slug: 'high', color: '' }, { token })
    await place.create('LOWERED', 'high', { tagIds: [tag.body.tag.id] })
    await place.update('LOWERED', { secretValue: 'low', tagIds: [] })
    const kept = { environment: { $in: ['dev', 'test'] }, secretTags: { $in: ['high'] } }
    const permissions = [ENVIRONMENTS, HISTORY, SECRETS, { ...SECRETS, inverted: true, conditions: kept }]
    const renamer = await place.tokenAllowing(db, ...permissions)
    assert.equal((await rename('test', renamer)).status, 200)
    assert.equal((await rename('other', renamer)).status, 403)
  })

  test('403 its folder is not renamed, nor moved, to where they may read it', async () => {
    const { id } = await emptied('vault')
    await secrets.folder('open')
    const inOpen = { ...SECRETS, conditions: { secretPath: { $glob: '/open{,/**,ed}' } } }
    const writer = await secrets.tokenAllowing(db, FOLDERS, HISTORY, inOpen)
    assert.equal((await renameFolder(id, 'opened', writer)).status, 403)
    assert.equal((await moveFolder(id, '/open', writer)).status, 403)
    assert.equal((await renameFolder(id, 'closed', writer)).status, 200)
  })

  test('400 so much has been there that it cannot be judged, except by whoever may do the same everywhere', async () => {
    const { id } = await emptied('heap')
    await sql`
      insert into secret_versions (id, secret_id, folder_id, version, key, value, actor_type)
      select gen_random_uuid(), gen_random_uuid(), ${id}, 1, 'K' || n, '', 'platform'
      from generate_series(1, 100000) n`.execute(db)
    const inHeap = { ...SECRETS, conditions: { secretPath: { $glob: '/heap*' } } }
    assert.equal((await renameFolder(id, 'heaped', await secrets.tokenAllowing(db, FOLDERS, inHeap))).status, 400)
    assert.equal((await renameFolder(id, 'heaped', await secrets.tokenAllowing(db, FOLDERS, SECRETS))).status, 200)
  })

  test('200 it stands in nobody’s way who may read it where it was', async () => {
    const { id, secretId } = await emptied('yard')
    const inBoth = { ...SECRETS, conditions: { secretPath: { $in: ['/yard', '/garden'] } } }
    const writer = await secrets.tokenAllowing(db, FOLDERS, HISTORY, inBoth)
    const before = await versionsOf(secretId, writer)
    assert.equal((await renameFolder(id, 'garden', writer)).status, 200)
    assert.deepEqual((await versionsOf(secretId, writer)).body, before.body)
  })
})
