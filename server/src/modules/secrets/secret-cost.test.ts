import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'
import pg from 'pg'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const secrets = await TestSecrets.open(server, admin)

/** What belongs to the feed, to jobs, to the bounds of a transaction and to the shared audit row is not counted. */
const OF_SECRETS = /\b(secrets|folders|secret_imports|insert into changes)\b/
const OF_JOBS = /referenced is null|soft_deleted_at </

const queries = mock.method(pg.Client.prototype, 'query').mock
const decryptions = mock.method(crypto, 'createDecipheriv').mock
syncBuiltinESMExports()
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: string } | undefined)?.text)

const statementsOf = async (request: () => Promise<{ status: number; text: string }>): Promise<number> => {
  const before = queries.callCount()
  const { status, text } = await request()
  assert.equal(status, 200, text)
  const texts = queries.calls.slice(before).map(({ arguments: [query] }) => textOf(query))
  return texts.filter((query) => OF_SECRETS.test(query) && !OF_JOBS.test(query)).length
}

const fill = async (name: string, count: number): Promise<string> => {
  await secrets.folder(name)
  const wanted = Array.from({ length: count }, (_, i) => ({ secretKey: `KEY_${i}`, secretValue: `value ${i}` }))
  await secrets.batch('POST', { secretPath: `/${name}`, secrets: wanted })
  return `/${name}`
}

test('a list takes at most two statements, however many secrets there are, and none when it is known', async () => {
  for (const count of [1, 10, 100]) {
    const secretPath = await fill(`of-${count}`, count)
    // Until what was written has been read back, it puts what is loaded in doubt.
    await server.app.services.changes.readNow()
    const first = await statementsOf(() => secrets.list({ secretPath }))
    assert.ok(first >= 1 && first <= 2, `${first} statements for ${count}`)
    assert.equal(await statementsOf(() => secrets.list({ secretPath })), 0)
  }
})

test('creating and updating take three statements', async () => {
  const secretPath = await fill('written', 1)
  assert.equal(await statementsOf(() => secrets.create('NEW', 'x', { secretPath })), 3)
  assert.equal(await statementsOf(() => secrets.update('NEW', { secretPath, secretValue: 'y' })), 3)
})

test('a known list of a hundred is opened by two decryptions, and by none when it is unchanged', async () => {
  const secretPath = await fill('known', 100)
  await server.app.services.changes.readNow()
  const { headers } = await secrets.list({ secretPath })
  const decryptionsOf = async (ifNoneMatch: object) => {
    const before = decryptions.callCount()
    const { status } = await secrets.list({ secretPath }, undefined, ifNoneMatch)
    return [status, decryptions.callCount() - before]
  }
  assert.deepEqual(await decryptionsOf({}), [200, 2])
  assert.deepEqual(await decryptionsOf({ 'if-none-match': headers['etag'] }), [304, 0])
})
