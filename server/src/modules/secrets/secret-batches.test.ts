import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { auditOf } from '../../../test/test-projects.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111'

const { server, token, db, secrets, projectId } = await startSecretServer()

const item = (secretKey: string, secretValue = secretKey.toLowerCase(), more: object = {}) => ({
  secretKey,
  secretValue,
  ...more,
})
const folder = async (name: string, ...keys: string[]) => {
  await secrets.folder(name)
  const secretPath = `/${name}`
  const wanted = keys.map((key) => item(key))
  const { body } = keys.length > 0 ? await secrets.batch('POST', { secretPath, secrets: wanted }) : { body: {} }
  const ids = ((body.secrets ?? []) as { id: string }[]).map(({ id }) => id)
  return { secretPath, ids }
}
/** Kinds and keys of what was told of a folder, in order. */
const newsOf = async (path: string) => {
  const { rows } = await sql<{ kind: string; keys: string[] | null }>`
    select kind, body -> 'keys' as keys from changes
    where body ->> 'projectId' = ${projectId} and body ->> 'path' = ${path} order by seq`.execute(db)
  return rows.map(({ kind, keys }) => [kind, ...(keys ?? [])].join(' '))
}

describe('a batch', () => {
  test('creates all, the last of two with one key, and says so once', async () => {
    const { secretPath } = await folder('create')
    const wanted = [item('A', '1'), item('B', '2', { secretComment: 'c' }), item('A', '3')]
    const { status, body } = await secrets.batch('POST', { secretPath, secrets: wanted })
    assert.equal(status, 200)
    assert.deepEqual(await secrets.values({ secretPath }), { A: '3', B: '2' })
    assert.equal(body.secrets.length, 2)
    assert.deepEqual(await newsOf('/create'), ['secret-created A B'])
    const [record] = (await auditOf(db, projectId, 'create-secrets')).slice(-1)
    assert.equal((record?.eventMetadata['secrets'] as unknown[]).length, 2)
  })

  test('creates none when one is there', async () => {
    const { secretPath } = await folder('none', 'A')
    const answer = await secrets.batch('POST', { secretPath, secrets: [item('B'), item('A')] })
    assert.equal(answer.status, 400)
    assert.match(String(answer.body.message), /A/)
    assert.deepEqual(await secrets.values({ secretPath }), { A: 'a' })
  })

  test('updates across folders, with each one told only of its own', async () => {
    const one = await folder('one', 'A')
    await folder('two', 'B')
    const changes = [item('A', 'x'), item('B', 'y', { secretPath: '/two/', newSecretName: 'C' })]
    const { status, body } = await secrets.batch('PATCH', { secretPath: one.secretPath, secrets: changes })
    assert.equal(status, 200)
    assert.deepEqual(
      (body.secrets as { version: number }[]).map(({ version }) => version),
      [2, 2],
    )
    assert.deepEqual(await secrets.values({ secretPath: '/two' }), { C: 'y' })
    assert.deepEqual((await newsOf('/one')).slice(1), ['secret-updated A'])
    assert.deepEqual((await newsOf('/two')).slice(1), ['secret-deleted B', 'secret-created C', 'secret-updated C'])
  })

  test('fails on, passes over or creates what is missing', async () => {
    const { secretPath } = await folder('modes', 'A')
    const wanted = [item('A', '1'), item('NEW', '2')]
    assert.equal((await secrets.batch('PATCH', { secretPath, secrets: wanted })).status, 404)
    assert.deepEqual(await secrets.values({ secretPath }), { A: 'a' })
    assert.equal((await secrets.batch('PATCH', { secretPath, secrets: wanted, mode: 'ignore' })).status, 200)
    assert.deepEqual(await secrets.values({ secretPath }), { A: '1' })
    assert.equal((await secrets.batch('PATCH', { secretPath, secrets: wanted, mode: 'upsert' })).status, 200)
    assert.deepEqual(await secrets.values({ secretPath }), { A: '1', NEW: '2' })
    assert.deepEqual((await newsOf('/modes')).slice(-2), ['secret-updated A', 'secret-created NEW'])
    assert.equal((await secrets.batch('PATCH', { secretPath, secrets: wanted, mode: 'x' })).status, 422)
    for (const key of ['A/B', 'x'.repeat(501)]) {
      assert.equal((await secrets.batch('PATCH', { secretPath, secrets: [item(key)], mode: 'upsert' })).status, 400)
    }
    assert.equal((await secrets.batch('PATCH', { secretPath, secrets: [item('A\0')] })).status, 422)
  })

  test('an upsert needs the right to create', async () => {
    const { secretPath } = await folder('editor', 'A')
    const editor = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['edit'] })
    const body = { secretPath, mode: 'upsert' }
    assert.equal((await secrets.batch('PATCH', { ...body, secrets: [item('A', 'x')] }, editor)).status, 200)
    assert.equal((await secrets.batch('PATCH', { ...body, secrets: [item('B', 'x')] }, editor)).status, 403)
  })

  test('deletes all or none', async () => {
    const { secretPath } = await folder('delete', 'A', 'B')
    const gone = [{ secretKey: 'A' }, { secretKey: 'NONE' }]
    assert.equal((await secrets.batch('DELETE', { secretPath, secrets: gone })).status, 404)
    const { status, body } = await secrets.batch('DELETE', {
      secretPath,
      secrets: [{ secretKey: 'A' }, { secretKey: 'B' }],
    })
    assert.deepEqual([status, body.secrets.length], [200, 2])
    assert.deepEqual(await secrets.values({ secretPath }), {})
    assert.deepEqual((await newsOf('/delete')).slice(-1), ['secret-deleted A B'])
  })

  test('works in the older words', async () => {
    const { secretPath } = await folder('older')
    const where = { workspaceId: projectId, environment: 'dev', secretPath }
    const path = '/api/v3/secrets/batch/raw'
    assert.equal((await server.post(path, { ...where, secrets: [item('A')] }, { token })).status, 200)
    assert.equal((await server.patch(path, { ...where, secrets: [item('A', 'x')] }, { token })).status, 200)
    assert.equal((await server.delete(path, { body: { ...where, secrets: [{ secretKey: 'A' }] }, token })).status, 200)
    assert.equal((await server.post(path, { ...where, workspaceId: '', secrets: [item('A')] }, { token })).status, 400)
    assert.equal((await server.post(path, { ...where, secrets: [] }, { token })).status, 422)
  })

  test('sixteen at once over the same keys neither fail nor block each other', async () => {
    const { secretPath } = await folder('crowd', 'A', 'B', 'C', 'D')
    const keys = ['A', 'B', 'C', 'D']
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => {
        const order = i % 2 === 0 ? keys : [...keys].reverse()
        return secrets.batch('PATCH', { secretPath, secrets: order.map((key) => item(key, `${i}`)) })
      }),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(new Set(Object.values(await secrets.values({ secretPath }))).size, 1)
    assert.equal((await secrets.get('A', { secretPath })).body.secret.version, 17)
  })
})

describe('moving secrets', () => {
  const move = (body: object, as = token) =>
    server.post(
      '/api/v4/secrets/move',
      { projectId, sourceEnvironment: 'dev', destinationEnvironment: 'dev', ...body },
      { token: as },
    )

  test('takes them from one folder to another, and tells both', async () => {
    const { ids } = await folder('from', 'A', 'B')
    await folder('to')
    const answer = await move({ sourceSecretPath: '/from', destinationSecretPath: '/to', secretIds: ids })
    assert.deepEqual([answer.status, answer.body], [200, { isSourceUpdated: true, isDestinationUpdated: true }])
    assert.deepEqual(await secrets.values({ secretPath: '/from' }), {})
    assert.deepEqual(await secrets.values({ secretPath: '/to' }), { A: 'a', B: 'b' })
    assert.deepEqual((await newsOf('/from')).slice(-1), ['secret-deleted A B'])
    assert.deepEqual(await newsOf('/to'), ['secret-created A B'])
  })

  test('400 when they are there with another value, unless they may be overwritten', async () => {
    const { ids } = await folder('src', 'A', 'B')
    await folder('dst')
    await secrets.create('A', 'other', { secretPath: '/dst' })
    const where = { sourceSecretPath: '/src', destinationSecretPath: '/dst', secretIds: ids }
    assert.equal((await move(where)).status, 400)
    assert.equal((await move({ ...where, shouldOverwrite: true })).status, 200)
    assert.deepEqual(await secrets.values({ secretPath: '/dst' }), { A: 'a', B: 'b' })
  })

  test('400 to the same folder, 404 for what is not there, 403 without the rights', async () => {
    const { ids } = await folder('stay', 'A')
    const where = { sourceSecretPath: '/stay', secretIds: ids }
    assert.equal((await move({ ...where, destinationSecretPath: '/stay' })).status, 400)
    assert.equal((await move({ ...where, destinationSecretPath: '/nowhere' })).status, 404)
    assert.equal((await move({ ...where, destinationSecretPath: '/', secretIds: [UNKNOWN_ID] })).status, 404)
    assert.equal((await move({ ...where, destinationSecretPath: '/', secretIds: ['none'] })).status, 404)
    const creator = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['create', 'read'] })
    assert.equal((await move({ ...where, destinationSecretPath: '/' }, creator)).status, 403)
  })
})

describe('duplicating secrets', () => {
  const duplicate = (body: object, as = token) =>
    server.post(
      '/api/v4/secrets/duplicate',
      { projectId, sourceEnvironment: 'dev', destinationEnvironment: 'prod', ...body },
      { token: as },
    )

  test('copies what is asked for and leaves the source', async () => {
    const { ids } = await folder('copy', 'A')
    const answer = await duplicate({ sourceSecretPath: '/copy', secretIds: ids, attributesToCopy: { value: true } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual([answer.body.results[0].sourceSecretId, answer.body.results[0].sourceSecretKey], [ids[0], 'A'])
    assert.equal((await secrets.get('A', { environment: 'prod' })).body.secret.secretValue, 'a')
    assert.equal((await secrets.get('A', { secretPath: '/copy' })).status, 200)
    assert.equal((await duplicate({ sourceSecretPath: '/copy', secretIds: ids })).status, 400)
    assert.equal((await duplicate({ sourceSecretPath: '/copy', secretIds: ids, shouldOverwrite: true })).status, 200)
  })

  test('403 for the value of what may not be read', async () => {
    const { ids } = await folder('secretive', 'Z')
    const blind = await secrets.tokenAllowing(db, { subject: 'secrets', action: ['describeSecret', 'create'] })
    const body = { sourceSecretPath: '/secretive', secretIds: ids }
    assert.equal((await duplicate({ ...body, attributesToCopy: { value: true } }, blind)).status, 403)
    assert.equal((await duplicate(body, blind)).status, 200)
  })
})
