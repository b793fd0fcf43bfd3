import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import pg from 'pg'
import { pagesOfKept, type Statement } from '../../../test/statement-cost.ts'
import { connectTo } from '../../../test/test-database.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const SECRETS = 20_000
/** Some lookups by index, and what is written. */
const PAGES_MAX = 200

const { server, secrets } = await startSecretServer()
const queries = mock.method(pg.Client.prototype, 'query').mock
const client = await connectTo(server.url)
after(() => client.end())

/** What an update of one secret asks for and writes, in this order. */
const updating = async (): Promise<Statement[]> => {
  const before = queries.callCount()
  assert.equal((await secrets.update('K', { secretValue: 'b' })).status, 200)
  const sent = queries.calls.slice(before).map((call) => call.arguments[0] as unknown as Statement)
  const about = (table: RegExp) => sent.find(({ text }) => typeof text === 'string' && table.test(text))
  return [about(/for update of s/), about(/update secrets s set key/)].filter((found) => found !== undefined)
}

test('to update one costs the same beside many, by plans that were made before them', async () => {
  await secrets.create('K', 'a')
  const [lock, write] = await updating()
  assert.ok(lock && write)
  await client.query('set plan_cache_mode = force_generic_plan')
  // So that the same can be written again.
  await client.query('delete from secret_versions where version > 1')
  const pages = await pagesOfKept(client, { lock, write })
  const alone = await pages()
  await client.query(
    `insert into secrets (id, folder_id, key, version, value, metadata, tag_ids, referenced)
    select gen_random_uuid(), folder_id, 'N' || i, 1, value, '[]', '{}', '{}'
    from secrets, generate_series(1, ${SECRETS}) i where key = 'K'`,
  )
  const beside = await pages()
  for (const [name, count] of Object.entries(beside)) {
    assert.ok(count <= PAGES_MAX, `${name}: ${count} pages, ${alone[name]} before`)
  }
})
