import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMember } from '../../../test/test-projects.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const PATH = '/api/v2/secret-imports'
const LEGACY = '/api/v1/secret-imports'

const fill = async (name: string, values: Record<string, string>) => {
  await secrets.folder(name)
  for (const [key, value] of Object.entries(values)) await secrets.create(key, value, { secretPath: `/${name}` })
  return `/${name}`
}
const importInto = (path: string, source: string, environment = 'dev', as = token) =>
  server.post(PATH, { projectId, environment: 'dev', path, import: { environment, path: source } }, { token: as })
/** The keys and values of each import, in order. */
const imported = async (secretPath: string, query: Record<string, string> = {}, as?: string) => {
  const { body } = await secrets.list({ secretPath, ...query }, as)
  return (body.imports as { secretPath: string; secrets: { secretKey: string; secretValue: string }[] }[]).map(
    ({ secretPath: from, secrets: found }) =>
      `${from}: ${found.map(({ secretKey, secretValue }) => `${secretKey}=${secretValue}`).join(' ')}`,
  )
}
const idsIn = async (path: string): Promise<string[]> => {
  const { body } = await server.get(PATH, { token, query: { projectId, environment: 'dev', path } })
  return (body.secretImports as { id: string }[]).map(({ id }) => id)
}

describe('an import', () => {
  test('200 in exactly the shape of the wire; its secrets are shown beside the own ones', async () => {
    await fill('base', { SHARED: 's', OWN: 'base' })
    await fill('app', { OWN: 'app' })
    const { status, body } = await importInto('/app', '/base')
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, folderId, importEnv, ...rest } = body.secretImport
    assert.ok(id && createdAt && updatedAt && folderId)
    assert.deepEqual([importEnv.name, importEnv.slug], ['Development', 'dev'])
    assert.deepEqual(rest, {
      version: 1,
      importPath: '/base',
      position: 1,
      isReplication: false,
      isReplicationSuccess: null,
      replicationStatus: null,
      lastReplicated: null,
      isReserved: false,
    })
    assert.deepEqual(await imported('/app'), ['/base: OWN=base SHARED=s'])
    const list = await secrets.list({ secretPath: '/app' })
    const [first] = list.body.imports[0].secrets
    assert.deepEqual(
      [first.workspace, first.environment, first.secretPath, 'tags' in first],
      ['', 'dev', '/app', false],
    )
    const older = await server.get('/api/v3/secrets/raw', {
      token,
      query: { workspaceId: projectId, environment: 'dev', secretPath: '/app' },
    })
    assert.deepEqual(older.body.imports, [])
    assert.deepEqual(await imported('/app', { includeImports: 'false' }), [])
  })

  test('gives a secret by name where there is no own one, and follows its changes at once', async () => {
    assert.equal((await secrets.get('SHARED', { secretPath: '/app' })).body.secret.secretValue, 's')
    assert.equal((await secrets.get('OWN', { secretPath: '/app' })).body.secret.secretValue, 'app')
    assert.equal((await secrets.get('SHARED', { secretPath: '/app', includeImports: 'false' })).status, 404)
    const before = (await secrets.list({ secretPath: '/app' })).headers['etag']
    await secrets.update('SHARED', { secretPath: '/base', secretValue: 't' })
    const after = await secrets.list({ secretPath: '/app' })
    assert.notEqual(after.headers['etag'], before)
    assert.equal((await secrets.get('SHARED', { secretPath: '/app' })).body.secret.secretValue, 't')
    const again = await secrets.list({ secretPath: '/app' }, token, { 'if-none-match': String(after.headers['etag']) })
    assert.equal(again.status, 304)
  })

  test('the last of several wins, and the order can be changed', async () => {
    await fill('i1', { K: '1' })
    await fill('i2', { K: '2', L: '2' })
    await fill('i3', { K: '3' })
    await fill('ordered', {})
    for (const source of ['/i1', '/i2', '/i3']) await importInto('/ordered', source)
    assert.deepEqual(await imported('/ordered'), ['/i1: ', '/i2: L=2', '/i3: K=3'])
    assert.equal((await secrets.get('K', { secretPath: '/ordered' })).body.secret.secretValue, '3')

    const [, , last = ''] = await idsIn('/ordered')
    const where = { projectId, environment: 'dev', path: '/ordered' }
    const moved = await server.patch(`${PATH}/${last}`, { ...where, import: { position: 1 } }, { token })
    assert.deepEqual([moved.status, moved.body.secretImport.position], [200, 1])
    assert.deepEqual(await imported('/ordered'), ['/i3: ', '/i1: ', '/i2: K=2 L=2'])
    const gone = await server.delete(`${PATH}/${last}`, { body: where, token })
    assert.equal(gone.status, 200)
    const { body } = await server.get(PATH, { token, query: where })
    assert.deepEqual(
      (body.secretImports as { position: number }[]).map(({ position }) => position),
      [1, 2],
    )
  })

  test('chains are followed, cycles end', async () => {
    await fill('c1', { A: '1' })
    await fill('c2', { B: '2' })
    await fill('c3', { C: '3' })
    await importInto('/c2', '/c1')
    await importInto('/c3', '/c2')
    assert.deepEqual(await imported('/c3'), ['/c2: B=2 A=1'])
    assert.equal((await importInto('/c1', '/c3')).status, 200)
    assert.deepEqual(await imported('/c3'), ['/c2: B=2 A=1'])
    assert.equal((await importInto('/c1', '/c2')).status, 400)
    assert.equal((await importInto('/c1', '/c1')).status, 400)
  })

  test('brings only what may be read at its source', async () => {
    await fill('source', { A: 'a' })
    await fill('target', { B: 'b' })
    await importInto('/target', '/source')
    const reader = await secrets.tokenAllowing(db, {
      subject: 'secrets',
      action: ['read'],
      conditions: { secretPath: '/target' },
    })
    assert.deepEqual(await secrets.values({ secretPath: '/target' }, reader), { B: 'b' })
    assert.deepEqual(await imported('/target', {}, reader), ['/source: '])
    assert.equal((await secrets.get('A', { secretPath: '/target' }, reader)).status, 404)
  })

  test('can come from another environment and from a folder that is not there yet', async () => {
    await fill('early', {})
    assert.equal((await importInto('/early', '/later', 'prod')).status, 200)
    assert.deepEqual(await imported('/early'), [])
    await secrets.folder('later', { environment: 'prod' })
    await secrets.create('K', 'v', { environment: 'prod', secretPath: '/later' })
    assert.deepEqual(await imported('/early'), ['/later: K=v'])
  })

  test('400, 403, 404 and 422 where they belong', async () => {
    const viewer = await createMember(server, admin, { db, projectId, role: 'viewer' })
    assert.equal((await importInto('/early', '/later', 'prod')).status, 400)
    assert.equal((await importInto('/early', '/base', 'dev', viewer.token)).status, 403)
    assert.equal((await importInto('/early', '/base', 'nowhere')).status, 404)
    assert.equal((await importInto('/nowhere', '/base')).status, 404)
    const where = { projectId, environment: 'dev', path: '/early' }
    assert.equal((await server.patch(`${PATH}/${UNKNOWN_ID}`, { ...where, import: {} }, { token })).status, 400)
    assert.equal((await server.delete(`${PATH}/${UNKNOWN_ID}`, { body: where, token })).status, 404)
    assert.equal((await server.get(`${PATH}/none`, { token })).status, 404)
    assert.equal((await server.post(PATH, where, { token })).status, 422)
    const replication = { ...where, import: { environment: 'dev', path: '/base' }, isReplication: true }
    assert.equal((await server.post(PATH, replication, { token })).status, 400)
  })

  test('works in the older words', async () => {
    await fill('old', {})
    const where = { workspaceId: projectId, environment: 'dev', path: '/old' }
    const { body } = await server.post(LEGACY, { ...where, import: { environment: 'dev', path: '/base' } }, { token })
    const id = body.secretImport.id as string
    const one = await server.get(`${LEGACY}/${id}`, { token })
    assert.deepEqual([one.body.secretImport.secretPath, one.body.secretImport.environment.slug], ['/old', 'dev'])
    assert.equal((await server.get(LEGACY, { token, query: where })).body.secretImports.length, 1)
    assert.equal((await server.delete(`${LEGACY}/${id}`, { body: where, token })).status, 200)
  })
})

describe('references', () => {
  test('are replaced in the present version, and in the older one when asked to', async () => {
    await fill('refs', { HOST: 'db', URL: 'pg://${HOST}/${prod.deep.NAME}', LOOSE: '${NONE} ${HOST', SELF: '${SELF}' })
    await secrets.folder('deep', { environment: 'prod' })
    await secrets.create('NAME', 'main-${PART}', { environment: 'prod', secretPath: '/deep' })
    await secrets.create('PART', 'x', { environment: 'prod', secretPath: '/deep' })
    const values = await secrets.values({ secretPath: '/refs' })
    assert.deepEqual(values, { HOST: 'db', URL: 'pg://db/main-x', LOOSE: '${NONE} ${HOST', SELF: '${SELF}' })
    assert.equal((await secrets.get('URL', { secretPath: '/refs' })).body.secret.secretValue, 'pg://db/main-x')
    const raw = { secretPath: '/refs', expandSecretReferences: 'false' }
    assert.equal((await secrets.get('URL', raw)).body.secret.secretValue, 'pg://${HOST}/${prod.deep.NAME}')
    const query = { workspaceId: projectId, environment: 'dev', secretPath: '/refs' }
    const older = await server.get('/api/v3/secrets/raw/URL', { token, query })
    assert.equal(older.body.secret.secretValue, 'pg://${HOST}/${prod.deep.NAME}')
  })

  test('that lead in a circle, or grow without end, stay as they are', async () => {
    await fill('loop', { A: 'a${B}', B: 'b${A}' })
    assert.deepEqual(await secrets.values({ secretPath: '/loop' }), { A: 'ab${A}', B: 'ba${B}' })
    const bomb = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`N${i}`, `\${N${i + 1}}`.repeat(10)]))
    await fill('bomb', { ...bomb, N10: 'x' })
    assert.equal((await secrets.list({ secretPath: '/bomb' })).status, 200)
  })

  test('to what may not be read are refused, whether it is there or not', async () => {
    await fill('private', { P: 'p' })
    await fill('public', { R: '${dev.private.P}', S: 's' })
    const reader = await secrets.tokenAllowing(db, {
      subject: 'secrets',
      action: ['read', 'create'],
      conditions: { secretPath: '/public' },
    })
    const list = await secrets.list({ secretPath: '/public' }, reader)
    assert.deepEqual([list.status, list.body.details.length], [403, 1])
    assert.equal((await secrets.get('R', { secretPath: '/public' }, reader)).status, 403)
    assert.equal((await secrets.get('S', { secretPath: '/public' }, reader)).status, 200)
    const spy = { secretPath: '/public' }
    assert.equal((await secrets.create('T', '${dev.private.P}', spy, reader)).status, 403)
    assert.equal((await secrets.create('T', '${dev.private.NONE}', spy, reader)).status, 403)
    assert.equal((await secrets.create('T', '${dev.public.NONE} ${none.such} ${NONE}', spy, reader)).status, 200)
  })

  test('in imported secrets are found where they are imported first, then at their source', async () => {
    await fill('tpl', { URL: '${HOST}:${PORT}', HOST: 'source', PORT: '1' })
    await fill('use', { HOST: 'mine' })
    await importInto('/use', '/tpl')
    const [block] = await imported('/use')
    assert.ok(block?.includes('URL=mine:1'), block)
  })
})
