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

/** What a request asks for and writes: the first statement about each. */
const sentBy = async (request: Promise<{ status: number }>, about: Record<string, RegExp>) => {
  const before = queries.callCount()
  assert.equal((await request).status, 200)
  const sent = queries.calls.slice(before).map((call) => call.arguments[0] as unknown as Statement)
  const found = Object.entries(about).map(([name, words]): [string, Statement] => {
    const statement = sent.find(({ text }) => typeof text === 'string' && words.test(text))
    assert.ok(statement, `${name} was not sent`)
    return [name, statement]
  })
  return Object.fromEntries(found)
}

test('to write one costs the same beside many, by plans that were made before them', async () => {
  await secrets.create('K', 'a')
  const updating = await sentBy(secrets.update('K', { secretValue: 'b' }), {
    lock: /for update of s/,
    standing: /given_origin/,
    update: /update secrets s set key/,
  })
  const creating = await sentBy(secrets.create('NEW', 'a'), {
    lockFolder: /for key share of f/,
    standingForNew: /given_origin.*wanted/s,
    insert: /insert into secrets/,
  })
  // So that the same can be written again.
  await client.query("delete from secrets where key = 'NEW'")
  await client.query("delete from secret_versions where version > 1 or key = 'NEW'")
  await client.query('set plan_cache_mode = force_generic_plan')

  const pages = await pagesOfKept(client, { ...creating, ...updating })
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
