import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { NewsReader } from '../../../test/test-news.ts'
import { createProject } from '../../../test/test-projects.ts'
import { startSecretServer, TestSecrets } from '../../../test/test-secrets.ts'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const news = new NewsReader(db, projectId)
const PATH = '/api/v2/secret-imports'

const ok = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer
  assert.equal(status, 200, text)
}
const folders = async (...names: string[]) => {
  for (const name of names) await ok(secrets.folder(name))
  await news.skip()
}
const importInto = async (path: string, source: string, more: object = {}): Promise<string> => {
  const body = { projectId, environment: 'dev', path, import: { environment: 'dev', path: source, ...more } }
  const answer = await server.post(PATH, body, { token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.secretImport.id as string
}
const told = async () => (await news.next()).sort()
const mutated = async () => (await told()).filter((text) => text.includes('import-mutated'))

describe('a change is told to every folder that shows it', () => {
  test('through chains of imports, once where two ways lead to it, and in circles', async () => {
    await folders('top', 'left', 'right', 'bottom', 'ring')
    await importInto('/left', '/top')
    await importInto('/right', '/top')
    await importInto('/bottom', '/left')
    await importInto('/bottom', '/right')
    await importInto('/ring', '/bottom')
    await importInto('/top', '/ring')
    await news.skip()
    await ok(secrets.create('A', 'a', { secretPath: '/top' }))
    const all = ['bottom', 'left', 'right', 'ring', 'top'].map((name) => `import-mutated dev /${name}`)
    assert.deepEqual(await told(), [...all, 'secret-created dev /top A'])
    await ok(secrets.remove('A', { secretPath: '/top' }))
    assert.deepEqual(await mutated(), all)
  })

  test('through references, wherever they are, and not to the folder itself or through personal ones', async () => {
    await folders('source', 'user', 'far')
    await ok(secrets.create('R', 'x${dev.source.K}', { secretPath: '/user' }))
    await ok(secrets.create('R', '${dev.user.R}', { environment: 'prod' }))
    await ok(secrets.create('LOCAL', '${K} ${dev.source.K}', { secretPath: '/source' }))
    await news.skip()
    await ok(secrets.create('K', 'v', { secretPath: '/source' }))
    assert.deepEqual(await told(), [
      'import-mutated dev /user',
      'import-mutated prod /',
      'secret-created dev /source K',
    ])
    await ok(secrets.update('R', { secretPath: '/user', secretValue: 'plain' }))
    assert.deepEqual(await mutated(), ['import-mutated prod /'])
    await ok(secrets.update('K', { secretPath: '/source', secretValue: 'w' }))
    assert.deepEqual(await told(), ['secret-updated dev /source K'])
  })

  test('in other projects of the organization', async () => {
    const other = await TestSecrets.open(server, admin)
    const { slug } = (await server.get(`/api/v1/projects/${projectId}`, { token })).body.project as { slug: string }
    await folders('shared')
    await ok(other.create('R', `\${@${slug}.dev.shared.K}`))
    const body = {
      projectId: other.projectId,
      environment: 'staging',
      import: { environment: 'dev', path: '/shared', sourceProjectId: projectId },
    }
    await ok(server.post(PATH, body, { token }))
    await news.skip()
    await ok(secrets.create('K', 'v', { secretPath: '/shared' }))
    assert.deepEqual(await told(), [
      'elsewhere import-mutated dev /',
      'elsewhere import-mutated staging /',
      'secret-created dev /shared K',
    ])
  })

  test('when a project gets another slug: those who call it by the old or the new one, and who shows them, alone', async () => {
    const [first, second] = [await TestSecrets.open(server, admin), await TestSecrets.open(server, admin)]
    await ok(first.create('K', 'of the first'))
    await ok(second.create('K', 'of the second'))
    await folders('reader')
    await ok(secrets.create('R', '${@named.dev.K}', { secretPath: '/reader' }))
    await ok(secrets.create('S', '${dev.reader.R}', { environment: 'prod' }))
    await ok(first.create('LOCAL', '${dev.K} ${K}', { environment: 'staging' }))
    const call = (id: string, slug: string) => server.patch(`/api/v1/projects/${id}`, { slug }, { token })
    const read = async () => (await secrets.values({ secretPath: '/reader' }))['R']
    await ok(call(first.projectId, 'named'))
    assert.equal(await read(), 'of the first')
    await news.skip()
    const concerned = ['import-mutated dev /reader', 'import-mutated prod /']
    await ok(call(first.projectId, 'unnamed'))
    assert.equal(await read(), '${@named.dev.K}')
    assert.deepEqual(await told(), concerned)
    await ok(call(second.projectId, 'named'))
    assert.equal(await read(), 'of the second')
    assert.deepEqual(await told(), concerned)
    await ok(call(second.projectId, 'named'))
    await ok(server.patch(`/api/v1/projects/${second.projectId}`, { name: 'Renamed' }, { token }))
    assert.deepEqual(await told(), [])
  })

  test('when folders and environments move, are hidden and come back', async () => {
    await folders('moving', 'watcher')
    await ok(secrets.create('K', 'v', { secretPath: '/moving' }))
    await importInto('/watcher', '/moving')
    await importInto('/watcher', '/moved')
    await news.skip()
    const rename = (name: string, to: string) =>
      server.patch(`/api/v2/folders/${name}`, { projectId, environment: 'dev', name: to }, { token })
    await ok(rename('moving', 'moved'))
    assert.deepEqual(await told(), [
      'import-mutated dev /watcher',
      'secret-created dev /moved K',
      'secret-deleted dev /moving K',
    ])
    const made = await server.post(`/api/v1/projects/${projectId}/environments`, { name: 'e', slug: 'e' }, { token })
    const path = `/api/v1/projects/${projectId}/environments/${made.body.environment.id as string}`
    await ok(secrets.create('K', 'v', { environment: 'e' }))
    await ok(secrets.create('R', '${e.K} ${e2.K}', { secretPath: '/watcher' }))
    await importInto('/watcher', '/', { environment: 'e' })
    await news.skip()
    for (const change of [
      () => server.patch(path, { slug: 'e2' }, { token }),
      () => server.delete(path, { token }),
      () => server.post(`${path}/restore`, {}, { token }),
      () => server.delete(path, { token, query: { hardDelete: 'true' } }),
    ]) {
      await ok(change())
      assert.deepEqual(await mutated(), ['import-mutated dev /watcher'])
    }
  })

  test('when an import is made, changed, put elsewhere or taken away', async () => {
    await folders('i1', 'i2', 'importer', 'onlooker')
    await importInto('/onlooker', '/importer')
    await news.skip()
    const both = ['import-mutated dev /importer', 'import-mutated dev /onlooker']
    const id = await importInto('/importer', '/i1')
    assert.deepEqual(await told(), both)
    await importInto('/importer', '/i2')
    await news.skip()
    const where = { projectId, environment: 'dev', path: '/importer' }
    await ok(server.patch(`${PATH}/${id}`, { ...where, import: { position: 2 } }, { token }))
    assert.deepEqual(await told(), both)
    await ok(server.patch(`${PATH}/${id}`, { ...where, import: { path: '/elsewhere' } }, { token }))
    assert.deepEqual(await told(), both)
    await ok(server.delete(`${PATH}/${id}`, { body: where, token }))
    assert.deepEqual(await told(), both)
    await ok(server.delete('/api/v2/folders/importer', { body: { ...where, path: '/', forceDelete: true }, token }))
    assert.deepEqual(await told(), both)
  })
})

describe('those who begin to depend on a folder while it is written', () => {
  const race = async (names: string[], start: (name: string) => Promise<unknown>[]) => {
    await news.skip()
    const starts = names.flatMap(start)
    const writes = Array.from({ length: 8 }, (_, index) =>
      ok(secrets.update('K', { secretPath: '/busy', secretValue: String(index + 1) })),
    )
    await Promise.all([...starts, ...writes])
    const rows = await news.next()
    for (const name of names) {
      const began = rows.findIndex(
        (text) =>
          (text.startsWith('secret-created') && text.includes(`/${name} `)) || text === `import-mutated dev /${name}`,
      )
      const changes = rows.slice(began).filter((text) => text === 'secret-updated dev /busy K').length
      const heard = rows.slice(began).filter((text) => text === `import-mutated dev /${name}`).length
      assert.ok(heard >= changes, `${name} heard ${heard} of ${changes}`)
    }
  }

  test('are told of the change, or begin after it', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `racer-${index}`)
    await folders('busy', ...names)
    await ok(secrets.create('K', '0', { secretPath: '/busy' }))
    await race(names, (name) => [
      importInto(`/${name}`, '/busy'),
      ok(secrets.create('R', '${dev.busy.K}', { secretPath: `/${name}` })),
    ])
  })

  test('are told of it also through a folder between them', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `far-racer-${index}`)
    await folders('between', ...names)
    await ok(secrets.create('R', '${dev.busy.K}', { secretPath: '/between' }))
    await race(names, (name) => [ok(secrets.create('R', '${dev.between.R}', { secretPath: `/${name}` }))])
  })

  test('wait for nobody in a circle', async () => {
    await folders('x', 'y')
    const write = (path: string, other: string, key: string) =>
      secrets.create(key, `\${dev.${other}.K}`, { secretPath: `/${path}` })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0 ? write('x', 'y', `K${index}`) : write('y', 'x', `K${index}`),
      ),
    )
    for (const { status, text } of answers) assert.equal(status, 200, text)
  })
})

describe('references follow', () => {
  test('a new name, as versions that nobody has written', async () => {
    await folders('named', 'follower')
    await ok(secrets.create('OLD', 'v', { secretPath: '/named' }))
    await ok(secrets.create('LOCAL', '${OLD}', { secretPath: '/named' }))
    await ok(secrets.create('FAR', 'a ${dev.named.OLD} b', { secretPath: '/follower' }))
    await ok(secrets.create('ABROAD', '${dev.named.OLD}', { environment: 'prod' }))
    await news.skip()
    await ok(secrets.update('OLD', { secretPath: '/named', newSecretName: 'NEW' }))
    assert.equal((await secrets.get('LOCAL', { secretPath: '/named' })).body.secret.secretValue, 'v')
    assert.equal((await secrets.get('ABROAD', { environment: 'prod' })).body.secret.secretValue, 'v')
    const raw = await secrets.get('FAR', { secretPath: '/follower', expandSecretReferences: 'false' })
    assert.deepEqual([raw.body.secret.secretValue, raw.body.secret.version], ['a ${dev.named.NEW} b', 2])
    const rows = await told()
    for (const text of ['dev /named LOCAL', 'dev /follower FAR', 'prod / ABROAD']) {
      assert.equal(rows.filter((row) => row === `secret-updated ${text}`).length, 1, text)
    }
    const { rows: written } = await sql<{ actorType: string }>`
      select actor_type from secret_versions where key = 'FAR' order by version desc limit 1`.execute(db)
    assert.deepEqual(written, [{ actorType: 'platform' }])
  })

  test('a move to another folder', async () => {
    await folders('origin', 'target')
    const { body } = await secrets.create('M', 'v', { secretPath: '/origin' })
    await ok(secrets.create('STAYS', '${M}', { secretPath: '/origin' }))
    const transfer = { sourceSecretPath: '/origin', destinationSecretPath: '/target', secretIds: [body.secret.id] }
    const spots = { projectId, sourceEnvironment: 'dev', destinationEnvironment: 'dev' }
    await ok(server.post('/api/v4/secrets/move', { ...spots, ...transfer }, { token }))
    const raw = await secrets.get('STAYS', { secretPath: '/origin', expandSecretReferences: 'false' })
    assert.equal(raw.body.secret.secretValue, '${dev.target.M}')
    await news.skip()
    await ok(secrets.update('M', { secretPath: '/target', secretValue: 'w' }))
    assert.deepEqual(await mutated(), ['import-mutated dev /origin'])
  })
})

test('what was written before references were noted is looked at by a job', async () => {
  const apart = await createProject(server, token)
  const older = new NewsReader(db, apart.id)
  const body = { projectId: apart.id, environment: 'dev', secretValue: '${prod.K}' }
  await ok(server.post('/api/v4/secrets/REF', body, { token }))
  await sql`update secrets set referenced = null`.execute(db)
  await server.app.services.referenceIndex.complete()
  await older.skip()
  await ok(server.post('/api/v4/secrets/K', { ...body, environment: 'prod', secretValue: 'v' }, { token }))
  assert.deepEqual(await older.next(), ['secret-created prod / K', 'import-mutated dev /'])
  const { rows } = await sql`select from secrets where referenced is null`.execute(db)
  assert.equal(rows.length, 0)
})
