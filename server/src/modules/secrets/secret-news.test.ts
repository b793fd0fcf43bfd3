import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NewsReader } from '../../../test/test-news.ts'
import { logIn } from '../../../test/test-people.ts'
import { joinUser, startSecretServer } from '../../../test/test-secrets.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const news = new NewsReader(db, projectId)

const item = (secretKey: string, more: object = {}) => ({ secretKey, secretValue: 'v', ...more })
const folder = async (name: string, ...keys: string[]): Promise<{ secretPath: string; ids: string[] }> => {
  await secrets.folder(name)
  const secretPath = `/${name}`
  const { body } =
    keys.length > 0 ? await secrets.batch('POST', { secretPath, secrets: keys.map((k) => item(k)) }) : { body: {} }
  await news.skip()
  return { secretPath, ids: ((body.secrets ?? []) as { id: string }[]).map(({ id }) => id) }
}
const environment = async (slug: string) => {
  const { body } = await server.post(`/api/v1/projects/${projectId}/environments`, { name: slug, slug }, { token })
  return body.environment.id as string
}
const ok = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer
  assert.equal(status, 200, text)
}

describe('a write of one secret tells', () => {
  test('of its creation, change, new name and end', async () => {
    const { secretPath } = await folder('one')
    await ok(secrets.create('A', 'a', { secretPath }))
    assert.deepEqual(await news.next(), ['secret-created dev /one A'])
    await ok(secrets.update('A', { secretPath, secretValue: 'b' }))
    assert.deepEqual(await news.next(), ['secret-updated dev /one A'])
    await ok(secrets.update('A', { secretPath, newSecretName: 'B' }))
    assert.deepEqual(await news.next(), [
      'secret-deleted dev /one A',
      'secret-created dev /one B',
      'secret-updated dev /one B',
    ])
    await ok(secrets.remove('B', { secretPath }))
    assert.deepEqual(await news.next(), ['secret-deleted dev /one B'])
  })

  test('of its metadata and tags, and of what happens to a tag that it has', async () => {
    const { secretPath } = await folder('meta', 'A', 'B')
    const tag = await server.post(`/api/v1/projects/${projectId}/tags`, { slug: 'red', color: '' }, { token })
    const { id } = tag.body.tag as { id: string }
    await ok(secrets.update('A', { secretPath, secretMetadata: [{ key: 'k', value: 'v' }] }))
    await ok(secrets.update('A', { secretPath, tagIds: [id] }))
    assert.deepEqual(await news.next(), ['secret-updated dev /meta A', 'secret-updated dev /meta A'])
    const path = `/api/v1/projects/${projectId}/tags/${id}`
    await ok(server.patch(path, { slug: 'blue', color: '' }, { token }))
    assert.deepEqual(await news.next(), ['secret-updated dev /meta A'])
    await ok(server.delete(path, { token }))
    assert.deepEqual(await news.next(), ['secret-updated dev /meta A'])
  })

  test('of a return to what it was, before and after its end', async () => {
    const { secretPath, ids } = await folder('back', 'A')
    const rollBack = () => server.post(`/api/x/secrets/${ids[0]}/rollback`, { version: 1 }, { token })
    await ok(rollBack())
    assert.deepEqual(await news.next(), ['secret-updated dev /back A'])
    await ok(secrets.remove('A', { secretPath }))
    await ok(rollBack())
    assert.deepEqual(await news.next(), ['secret-deleted dev /back A', 'secret-created dev /back A'])
  })

  test('nothing when it is personal, and nothing when it fails', async () => {
    const { secretPath } = await folder('mine', 'A')
    await joinUser(db, projectId, { userId: admin.userId, role: 'admin' })
    const person = await logIn(server, admin)
    await ok(secrets.create('A', '${dev.one.X}', { secretPath, type: 'personal' }, person))
    await ok(secrets.update('A', { secretPath, type: 'personal', secretValue: 'y' }, person))
    await ok(secrets.remove('A', { secretPath, type: 'personal' }, person))
    assert.equal((await secrets.create('A', 'again', { secretPath })).status, 400)
    assert.equal((await secrets.update('NONE', { secretPath })).status, 404)
    assert.deepEqual(await news.next(), [])
  })
})

describe('a write of many tells', () => {
  test('a hundred keys at a time', async () => {
    const { secretPath } = await folder('many')
    const keys = Array.from({ length: 250 }, (_, index) => `K${String(index).padStart(3, '0')}`)
    await ok(secrets.batch('POST', { secretPath, secrets: keys.map((key) => item(key)) }))
    const told = (await news.next()).map((text) => text.split(' '))
    assert.deepEqual(
      told.map((words) => words.length - 3),
      [100, 100, 50],
    )
    assert.deepEqual(
      told.flatMap((words) => words.slice(3)),
      keys,
    )
  })

  test('each folder of its own, and what was created as created', async () => {
    const { secretPath } = await folder('b1', 'A')
    await folder('b2', 'B')
    const changes = [item('A'), item('NEW'), item('B', { secretPath: '/b2' }), item('X', { secretPath: '/b2' })]
    await ok(secrets.batch('PATCH', { secretPath, mode: 'upsert', secrets: changes }))
    assert.deepEqual((await news.next()).sort(), [
      'secret-created dev /b1 NEW',
      'secret-created dev /b2 X',
      'secret-updated dev /b1 A',
      'secret-updated dev /b2 B',
    ])
    await ok(secrets.batch('PATCH', { secretPath, mode: 'ignore', secrets: [item('A'), item('NONE')] }))
    assert.deepEqual(await news.next(), ['secret-updated dev /b1 A'])
    await ok(secrets.batch('DELETE', { secretPath, secrets: [{ secretKey: 'A' }, { secretKey: 'NEW' }] }))
    assert.deepEqual(await news.next(), ['secret-deleted dev /b1 A NEW'])
  })

  test('of a move and of a copy at both places', async () => {
    const { ids } = await folder('from', 'A', 'B')
    await folder('to', 'B')
    await secrets.update('B', { secretPath: '/to', secretValue: 'other' })
    await news.skip()
    const transfer = {
      projectId,
      sourceEnvironment: 'dev',
      sourceSecretPath: '/from',
      destinationEnvironment: 'dev',
      destinationSecretPath: '/to',
      secretIds: ids,
      shouldOverwrite: true,
    }
    await ok(server.post('/api/v4/secrets/duplicate', { ...transfer, attributesToCopy: { value: true } }, { token }))
    assert.deepEqual(await news.next(), ['secret-created dev /to A', 'secret-updated dev /to B'])
    await ok(secrets.update('B', { secretPath: '/to', secretValue: 'again' }))
    await news.skip()
    await ok(server.post('/api/v4/secrets/move', transfer, { token }))
    assert.deepEqual(await news.next(), ['secret-updated dev /to B', 'secret-deleted dev /from A B'])
  })
})

describe('a change of folders tells of all that is in them', () => {
  test('renamed, moved and deleted', async () => {
    await folder('tree', 'A')
    await secrets.folder('deep', { path: '/tree' })
    await secrets.create('B', 'b', { secretPath: '/tree/deep' })
    await secrets.folder('empty', { path: '/tree' })
    await folder('shelf')
    const id = (
      await server.get('/api/v2/folders', { token, query: { projectId, environment: 'dev', path: '/' } })
    ).body.folders.find(({ name }: { name: string }) => name === 'tree').id as string
    await news.skip()
    await ok(server.patch(`/api/v2/folders/${id}`, { projectId, environment: 'dev', name: 'wood' }, { token }))
    assert.deepEqual(await news.next(), [
      'secret-deleted dev /tree A',
      'secret-deleted dev /tree/deep B',
      'secret-created dev /wood A',
      'secret-created dev /wood/deep B',
    ])
    const move = { projectId, folderId: id, destinationEnvironment: 'prod', destinationPath: '/' }
    await ok(server.post('/api/v2/folders/move', move, { token }))
    assert.deepEqual(await news.next(), [
      'secret-deleted dev /wood A',
      'secret-deleted dev /wood/deep B',
      'secret-created prod /wood A',
      'secret-created prod /wood/deep B',
    ])
    const place = { projectId, environment: 'prod', forceDelete: true }
    await ok(server.delete(`/api/v2/folders/${id}`, { body: place, token }))
    assert.deepEqual(await news.next(), ['secret-deleted prod /wood A', 'secret-deleted prod /wood/deep B'])
  })
})

describe('a change of an environment tells of all that is in it', () => {
  test('another slug, hidden, restored and deleted for good', async () => {
    const id = await environment('qa')
    await secrets.create('A', 'a', { environment: 'qa' })
    await secrets.folder('f', { environment: 'qa' })
    await secrets.create('B', 'b', { environment: 'qa', secretPath: '/f' })
    await news.skip()
    const path = `/api/v1/projects/${projectId}/environments/${id}`
    await ok(server.patch(path, { slug: 'test' }, { token }))
    assert.deepEqual(await news.next(), [
      'secret-deleted qa / A',
      'secret-deleted qa /f B',
      'secret-created test / A',
      'secret-created test /f B',
    ])
    await ok(server.patch(path, { name: 'Only a name' }, { token }))
    assert.deepEqual(await news.next(), [])
    await ok(server.delete(path, { token }))
    assert.deepEqual(await news.next(), ['secret-deleted test / A', 'secret-deleted test /f B'])
    await ok(server.post(`${path}/restore`, {}, { token }))
    assert.deepEqual(await news.next(), ['secret-created test / A', 'secret-created test /f B'])
    await ok(server.delete(path, { token, query: { hardDelete: 'true' } }))
    assert.deepEqual(await news.next(), ['secret-deleted test / A', 'secret-deleted test /f B'])
  })

  test('nothing more when one that is hidden is deleted for good', async () => {
    const id = await environment('hidden')
    await secrets.create('A', 'a', { environment: 'hidden' })
    const path = `/api/v1/projects/${projectId}/environments/${id}`
    await ok(server.delete(path, { token }))
    await news.skip()
    await ok(server.delete(path, { token, query: { hardDelete: 'true' } }))
    assert.deepEqual(await news.next(), [])
  })

  test('whoever writes while it goes is told of, or refused', async () => {
    const id = await environment('race')
    await news.skip()
    const path = `/api/v1/projects/${projectId}/environments/${id}`
    const writes = Array.from({ length: 12 }, (_, index) => secrets.create(`K${index}`, 'v', { environment: 'race' }))
    const [gone, ...answers] = await Promise.all([server.delete(path, { token }), ...writes])
    assert.equal(gone.status, 200)
    const written = answers.filter(({ status }) => status === 200).map(({ body }) => body.secret.secretKey as string)
    for (const { status } of answers) assert.ok([200, 404].includes(status))
    const told = await news.next()
    const created = told.filter((text) => text.startsWith('secret-created')).map((text) => text.split(' ')[3])
    assert.deepEqual(created.sort(), written.sort())
    const last = told.at(-1)?.split(' ') ?? []
    if (written.length > 0) assert.deepEqual([last[0], last.slice(3)], ['secret-deleted', written])
  })
})
