import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditOf, createMember } from '../../../test/test-projects.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'
import { startServerOn } from '../../../test/test-server.ts'

const V3 = '/api/v3/secrets/raw'
const HIDDEN = '<hidden-by-infisical>'

const { server, admin, token, db, secrets, projectId } = await startSecretServer()
const legacy = { workspaceId: projectId, environment: 'dev' }

const fill = async (name: string, values: Record<string, string>) => {
  await secrets.folder(name)
  const wanted = Object.entries(values).map(([secretKey, secretValue]) => ({ secretKey, secretValue }))
  const { status, text } = await secrets.batch('POST', { secretPath: `/${name}`, secrets: wanted })
  assert.equal(status, 200, text)
  return `/${name}`
}
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`KEY_${String(i).padStart(4, '0')}`, `value ${i}`]))

describe('a list', () => {
  test('of an empty folder', async () => {
    await secrets.folder('empty')
    const { status, text } = await secrets.list({ secretPath: '/empty' })
    assert.deepEqual([status, text], [200, '{"secrets":[],"imports":[]}'])
  })

  test('is the same in both versions, by key, however many there are', async () => {
    const values = many(150)
    const secretPath = await fill('many', values)
    const present = await secrets.list({ secretPath })
    const older = await server.get(V3, { token, query: { ...legacy, secretPath: 'many/', recursive: 'false' } })
    assert.equal(present.text, older.text)
    assert.equal(present.headers['etag'], older.headers['etag'])
    assert.equal(present.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(await secrets.values({ secretPath }), values)
    const members = Object.keys(present.body.secrets[0] as object)
    assert.deepEqual(members.slice(-4), ['secretPath', 'secretValueHidden', 'secretMetadata', 'tags'])
  })

  test('that is long is sent as it is read, whole', async () => {
    const values = many(1_100)
    const secretPath = await fill('long', values)
    const whole = await secrets.list({ secretPath })
    assert.equal(whole.headers['transfer-encoding'], 'chunked')
    assert.deepEqual(await secrets.values({ secretPath }), values)
    const again = await secrets.list({ secretPath }, token, { 'if-none-match': String(whole.headers['etag']) })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('is written down before it is shown, also when the client holds it already', async () => {
    const { headers } = await secrets.list({ secretPath: '/many' })
    const before = (await auditOf(db, projectId, 'get-secrets')).length
    const tag = String(headers['etag'])
    const again = await secrets.list({ secretPath: '/many' }, token, { 'if-none-match': tag })
    assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', tag])
    assert.equal((await auditOf(db, projectId, 'get-secrets')).length, before + 1)
  })

  test('has another tag after each change, and one that every process would give it', async () => {
    const secretPath = await fill('tagged', { A: 'a', B: 'b' })
    const tagOf = async () => String((await secrets.list({ secretPath })).headers['etag'])
    const first = await tagOf()
    assert.match(first, /^"[\w-]{43}"$/)
    assert.equal(await tagOf(), first)
    await secrets.update('A', { secretPath, secretValue: 'x' })
    const second = await tagOf()
    assert.notEqual(second, first)
    const other = await startServerOn(server.url)
    try {
      const query = { projectId, environment: 'dev', secretPath }
      assert.equal((await other.get('/api/v4/secrets', { token, query })).headers['etag'], second)
    } finally {
      await other.stop()
    }
    await secrets.remove('B', { secretPath })
    assert.notEqual(await tagOf(), second)
  })

  test('reaches deeper folders when asked to', async () => {
    await secrets.folder('leaf', { path: '/tree' })
    await secrets.create('TOP', '1', { secretPath: '/tree' })
    await secrets.create('LEAF', '2', { secretPath: '/tree/leaf' })
    const { body } = await secrets.list({ secretPath: '/tree', recursive: 'true' })
    const found = (body.secrets as { secretKey: string; secretPath: string }[]).map((s) => [s.secretKey, s.secretPath])
    assert.deepEqual(found, [
      ['TOP', '/tree'],
      ['LEAF', '/tree/leaf'],
    ])
  })

  test('400 without project or environment, 404 for what is not there, 401 without a token', async () => {
    assert.equal((await secrets.list({ environment: '' })).status, 400)
    assert.equal((await server.get(V3, { token, query: { environment: 'dev', workspaceId: '' } })).status, 400)
    const unknown = await secrets.list({ environment: 'nowhere' })
    assert.equal(unknown.status, 404)
    assert.ok(String(unknown.body.message).includes(`Environment with slug 'nowhere' in project with ID ${projectId}`))
    const folder = await secrets.list({ secretPath: '/no where' })
    assert.deepEqual([folder.status, folder.body.error], [404, 'SecretPathNotFound'])
    assert.equal((await server.get('/api/v4/secrets', { query: { projectId, environment: 'dev' } })).status, 401)
  })

  test('follows changes made by another process', async () => {
    const secretPath = await fill('shared', { A: 'a' })
    await secrets.list({ secretPath })
    const other = await startServerOn(server.url)
    try {
      const body = { projectId, environment: 'dev', secretPath, secretValue: 'b' }
      assert.equal((await other.post('/api/v4/secrets/B', body, { token })).status, 200)
      assert.equal((await secrets.get('B', { secretPath })).status, 200)
      assert.equal((await other.patch('/api/v4/secrets/A', body, { token })).status, 200)
      await server.app.services.changes.readNow()
      assert.deepEqual(await secrets.values({ secretPath }), { A: 'b', B: 'b' })
    } finally {
      await other.stop()
    }
  })
})

describe('who may see what', () => {
  test('names can be seen without values, and the whole list fails where values are asked for', async () => {
    const secretPath = await fill('seen', { A: 'a', B: 'b' })
    const describer = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['describeSecret'] })
    assert.equal((await secrets.list({ secretPath }, describer)).status, 403)
    assert.deepEqual(await secrets.values({ secretPath, viewSecretValue: 'false' }, describer), {
      A: HIDDEN,
      B: HIDDEN,
    })
    assert.equal((await secrets.get('A', { secretPath }, describer)).status, 403)
    const hidden = await secrets.get('A', { secretPath, viewSecretValue: 'false' }, describer)
    assert.deepEqual([hidden.status, hidden.body.secret.secretValueHidden], [200, true])
  })

  test('what may not be known of is left out, or refused by name whether it is there or not', async () => {
    const secretPath = await fill('partly', { APP_A: 'a', DB_A: 'b' })
    const reader = await secrets.tokenAllowing(db, {
      subject: 'secrets',
      action: ['read'],
      conditions: { environment: 'dev', secretPath: { $glob: '/partly/**' }, secretName: { $glob: 'APP_*' } },
    })
    assert.deepEqual(await secrets.values({ secretPath }, reader), { APP_A: 'a' })
    assert.equal((await secrets.get('DB_A', { secretPath }, reader)).status, 403)
    assert.equal((await secrets.get('DB_NONE', { secretPath }, reader)).status, 403)
    assert.equal((await secrets.get('APP_NONE', { secretPath }, reader)).status, 404)
    const all = await secrets.list({ secretPath })
    const some = await secrets.list({ secretPath }, reader)
    assert.notEqual(all.headers['etag'], some.headers['etag'])
  })

  test('a writer who may not read gets no value back', async () => {
    const secretPath = await fill('blind', { A: 'a' })
    const writer = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['edit', 'delete'] })
    const updated = await secrets.update('A', { secretPath, secretComment: 'c' }, writer)
    assert.deepEqual([updated.status, updated.body.secret.secretValue], [200, HIDDEN])
    const deleted = await secrets.remove('A', { secretPath }, writer)
    assert.deepEqual([deleted.status, deleted.body.secret.secretValue], [200, HIDDEN])
  })

  test('a member without rights sees nothing', async () => {
    const nobody = await createMember(server, admin, { db, projectId, role: 'no-access' })
    assert.equal((await secrets.list({}, nobody.token)).status, 403)
    assert.equal((await secrets.get('A', {}, nobody.token)).status, 403)
  })
})
