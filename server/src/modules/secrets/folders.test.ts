import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditOf, createMember } from '../../../test/test-projects.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const place = { projectId, environment: 'dev' }
const legacy = { workspaceId: projectId, environment: 'dev' }
const PATH = '/api/v2/folders'
const LEGACY = '/api/v1/folders'

const namesIn = async (path: string, query: Record<string, string> = {}): Promise<string[]> => {
  const { body } = await server.get(PATH, { token, query: { ...place, path, ...query } })
  return (body.folders as { name: string }[]).map(({ name }) => name)
}

describe('creating a folder', () => {
  test('200 with everything that the wire knows of it, and what is missing on the way', async () => {
    const { status, body } = await secrets.folder('deep', { path: '/way/to/', description: 'far' })
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, envId, parentId, ...rest } = body.folder
    assert.ok(id && createdAt && updatedAt && envId && parentId)
    assert.deepEqual(rest, {
      name: 'deep',
      version: 1,
      isReserved: false,
      description: 'far',
      lastSecretModified: null,
      path: '/way/to/deep',
    })
    assert.deepEqual(await namesIn('/way'), ['to'])
    const [record] = (await auditOf(db, projectId, 'create-folder')).slice(-1)
    assert.deepEqual(record?.eventMetadata['folderPath'], '/way/to/deep')
  })

  test('200 in the older words, where a path may be called a directory', async () => {
    const { status, body } = await server.post(LEGACY, { ...legacy, name: 'old', directory: '/way' }, { token })
    assert.deepEqual([status, body.folder.path], [200, '/way/old'])
    const listed = await server.get(LEGACY, { token, query: { ...legacy, path: '/way' } })
    assert.deepEqual(
      listed.body.folders.map(({ name }: { name: string }) => name),
      ['old', 'to'],
    )
  })

  test('one wins when many create the same at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => secrets.folder('once', { path: '/many' })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(400)])
  })

  const cases: [number, string, object][] = [
    [400, 'it is there already', { name: 'way' }],
    [400, 'the path holds what no folder is called', { name: 'a', path: '/x y' }],
    [404, 'the environment is unknown', { name: 'a', environment: 'nowhere' }],
    [404, 'the project is unknown', { name: 'a', projectId: UNKNOWN_ID }],
    [404, 'the id of the project is none', { name: 'a', projectId: 'none' }],
    [422, 'the name has a space', { name: 'a b' }],
    [422, 'the name is empty', { name: '' }],
    [422, 'the name is too long', { name: 'x'.repeat(256) }],
  ]
  for (const [status, reason, body] of cases) {
    test(`${status} when ${reason}`, async () => {
      const answer = await server.post(PATH, { ...place, ...body }, { token })
      assert.equal(answer.status, status, answer.text)
    })
  }

  test('403 for a viewer', async () => {
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    const answer = await secrets.folder('no', {}, viewer.token)
    assert.deepEqual([answer.status, answer.body.error], [403, 'PermissionDenied'])
    assert.equal((await server.get(PATH, { token: viewer.token, query: { ...place, path: '/' } })).status, 200)
  })
})

describe('listing folders', () => {
  test('only those directly in one, or all below with the way to them', async () => {
    await secrets.folder('b', { path: '/list/a' })
    await secrets.folder('ab', { path: '/list' })
    assert.deepEqual(await namesIn('/list'), ['a', 'ab'])
    const { body } = await server.get(PATH, { token, query: { ...place, path: '/list', recursive: 'True' } })
    const found = body.folders.map((folder: { relativePath: string }) => folder.relativePath)
    assert.deepEqual(found.sort(), ['/a', '/a/b', '/ab'])
  })

  test('nothing in a folder that is not there, 404 in an environment that is not', async () => {
    assert.deepEqual(await namesIn('/nowhere'), [])
    const { status } = await server.get(PATH, { token, query: { ...place, environment: 'x', path: '/' } })
    assert.equal(status, 404)
  })

  test('those in which something happened since', async () => {
    await secrets.folder('fresh', { path: '/since' })
    await secrets.folder('stale', { path: '/since' })
    const before = new Date(Date.now() - 60_000).toISOString()
    await secrets.create('A', 'a', { secretPath: '/since/fresh' })
    assert.deepEqual(await namesIn('/since', { lastSecretModified: before }), ['fresh'])
  })
})

describe('one folder', () => {
  test('is shown with its environment and project', async () => {
    const { body } = await secrets.folder('shown')
    for (const base of [PATH, LEGACY]) {
      const answer = await server.get(`${base}/${body.folder.id}`, { token })
      assert.equal(answer.status, 200)
      const { environment, path, projectId: project } = answer.body.folder
      assert.deepEqual(
        [environment.envSlug, environment.envName, path, project],
        ['dev', 'Development', '/shown', projectId],
      )
    }
  })

  for (const id of [UNKNOWN_ID, 'none']) {
    test(`404 for ${id}`, async () => {
      assert.equal((await server.get(`${PATH}/${id}`, { token })).status, 404)
    })
  }
})

describe('renaming a folder', () => {
  test('moves what is below along, with its secrets', async () => {
    const { body } = await secrets.folder('before')
    await secrets.folder('inner', { path: '/before' })
    await secrets.create('KEY', 'kept', { secretPath: '/before/inner' })
    assert.deepEqual(await secrets.values({ secretPath: '/before/inner' }), { KEY: 'kept' })
    const renamed = await server.patch(`${PATH}/${body.folder.id}`, { ...place, name: 'after' }, { token })
    assert.deepEqual([renamed.status, renamed.body.folder.path], [200, '/after'])
    assert.deepEqual(await secrets.values({ secretPath: '/after/inner' }), { KEY: 'kept' })
    assert.equal((await secrets.list({ secretPath: '/before/inner' })).status, 404)
  })

  test('400 for a name that is taken, 404 for one that is not there', async () => {
    await secrets.folder('taken')
    const { body } = await secrets.folder('other')
    const clash = await server.patch(`${LEGACY}/${body.folder.id}`, { ...legacy, name: 'taken' }, { token })
    assert.equal(clash.status, 400)
    assert.equal((await server.patch(`${PATH}/absent`, { ...place, name: 'x' }, { token })).status, 404)
  })

  test('several at once, or none', async () => {
    const one = await secrets.folder('one')
    const two = await secrets.folder('two')
    const folders = [one, two].map(({ body }, index) => ({ id: body.folder.id, environment: 'dev', name: `n${index}` }))
    const done = await server.patch(`${PATH}/batch`, { projectId, folders }, { token })
    assert.deepEqual([done.status, done.body.folders.length], [200, 2])
    const half = [
      { ...folders[0], name: 'n9' },
      { ...folders[1], name: 'taken' },
    ]
    assert.equal((await server.patch(`${PATH}/batch`, { projectId, folders: half }, { token })).status, 400)
    assert.ok((await namesIn('/')).includes('n0'))
  })
})

describe('deleting a folder', () => {
  test('refuses what is not empty unless forced; the older words always force', async () => {
    await secrets.folder('full')
    await secrets.create('KEY', 'v', { secretPath: '/full' })
    assert.equal((await server.delete(`${PATH}/full`, { body: place, token })).status, 400)
    const { status } = await server.delete(`${PATH}/full`, { body: { ...place, forceDelete: true }, token })
    assert.equal(status, 200)
    assert.equal((await secrets.list({ secretPath: '/full' })).status, 404)

    await secrets.folder('inner', { path: '/old' })
    assert.equal((await server.delete(`${LEGACY}/old`, { body: legacy, token })).status, 200)
    assert.equal((await secrets.list({ secretPath: '/old/inner' })).status, 404)
  })

  test('by id too; never the root', async () => {
    const { body } = await secrets.folder('by-id')
    const { status } = await server.delete(`${PATH}/${body.folder.id}`, { body: place, token })
    assert.equal(status, 200)
    assert.equal((await server.delete(`${PATH}/root`, { body: place, token })).status, 404)
    assert.equal((await server.delete(`${PATH}/${body.folder.envId}`, { body: place, token })).status, 404)
  })
})

describe('moving a folder', () => {
  const move = (folderId: string, destinationPath: string, more: object = {}, as = token) =>
    server.post(
      `${PATH}/move`,
      { projectId, folderId, destinationEnvironment: 'dev', destinationPath, ...more },
      { token: as },
    )
  const idOf = async (name: string, path = '/'): Promise<string> =>
    (await secrets.folder(name, { path })).body.folder.id as string

  test('takes along what is below it, within an environment and to another', async () => {
    const id = await idOf('crate')
    await secrets.folder('inner', { path: '/crate' })
    await secrets.create('KEY', 'kept', { secretPath: '/crate/inner' })
    await idOf('shelf')
    const answer = await move(id, '/shelf')
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, {
      folderId: id,
      sourceEnvironment: 'dev',
      sourcePath: '/',
      destinationEnvironment: 'dev',
      destinationPath: '/shelf',
    })
    assert.deepEqual(await secrets.values({ secretPath: '/shelf/crate/inner' }), { KEY: 'kept' })
    assert.equal((await move(id, '/', { destinationEnvironment: 'prod' })).status, 200)
    assert.deepEqual(await secrets.values({ environment: 'prod', secretPath: '/crate/inner' }), { KEY: 'kept' })
    assert.equal((await secrets.list({ secretPath: '/shelf/crate' })).status, 404)
    const versions = await secrets.get('KEY', { environment: 'prod', secretPath: '/crate/inner', version: '1' })
    assert.equal(versions.status, 200)
  })

  test('400 for the root, into itself, to where it is or a name is taken; 404 to nowhere', async () => {
    const id = await idOf('stone')
    await idOf('below', '/stone')
    await idOf('quarry')
    await idOf('stone', '/quarry')
    const { envId } = (await server.get(`${PATH}/${id}`, { token })).body.folder as { envId: string }
    for (const [folder, to] of [
      [id, '/'],
      [id, '/stone'],
      [id, '/stone/below'],
      [id, '/quarry'],
      [envId, '/quarry'],
    ] as const) {
      assert.equal((await move(folder, to)).status, 400, to)
    }
    assert.equal((await move(id, '/nowhere')).status, 404)
    assert.equal((await move(UNKNOWN_ID, '/quarry')).status, 404)
    assert.equal((await move('none', '/quarry')).status, 422)
  })

  test('403 without the right to move each secret in it', async () => {
    const id = await idOf('guarded')
    await secrets.create('KEY', 'v', { secretPath: '/guarded' })
    await idOf('goal')
    const folders = { subject: 'secret-folders', action: ['create', 'delete'] }
    const partly = await secrets.tokenAllowing(db, folders, { subject: 'secrets', action: ['create'] })
    assert.equal((await move(id, '/goal', {}, partly)).status, 403)
    const wholly = await secrets.tokenAllowing(db, folders, { subject: 'secrets', action: ['create', 'delete'] })
    assert.equal((await move(id, '/goal', {}, wholly)).status, 200)
  })

  test('all folders of a project are shown by environment', async () => {
    const answer = await server.get(`/api/v1/projects/${projectId}/environment-folder-tree`, { token })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body).sort(), ['dev', 'prod', 'staging'])
    const { prod } = answer.body as Record<string, { slug: string; folders: { path: string }[] }>
    assert.deepEqual([prod?.slug, prod?.folders.map(({ path }) => path)], ['prod', ['/', '/crate', '/crate/inner']])
  })
})
