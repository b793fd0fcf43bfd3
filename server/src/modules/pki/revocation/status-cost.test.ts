import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCountedDatabase, pagesOfKept, type Statement } from '../../../../test/statement-cost.ts'
import { connectTo, openTestDatabase } from '../../../../test/test-database.ts'
import { RevocationBench } from '../../../../test/test-revocations.ts'
import { findById, lockToIssue } from '../authorities/authorities.store.ts'
import { listStatuses } from './revocations.store.ts'

const REVOKED = 20_000
/** Some lookups by index. */
const PAGES_MAX = 60

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)
const { caId } = await bench.authority()
const ca = await findById(db.pool, caId)
assert.ok(ca)
const counted = await openCountedDatabase(url)
const client = await connectTo(url)
after(() => client.end())

const QUESTIONS: Record<string, () => Promise<unknown>> = {
  status: () => listStatuses(counted.db.pool, caId, ['01']),
  issuing: () => counted.db.transaction((tx) => lockToIssue(tx, ca)),
}

test('what is asked of revocations costs the same after many, by a plan that was made before them', async () => {
  await client.query('set plan_cache_mode = force_generic_plan')
  const asked: Record<string, Statement> = {}
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const before = counted.statements().length
    await ask()
    const found = counted
      .statements()
      .slice(before)
      .find(({ text }) => text.includes('revocations'))
    assert.ok(found, name)
    asked[name] = found
  }
  // PostgreSQL keeps a plan until it counts the rows of the tables anew.
  const pages = await pagesOfKept(client, asked)
  await client.query(
    `insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry)
    select $1, md5(i::text), now(), 4, '2100-01-01', '\\x00' from generate_series(1, ${REVOKED}) i`,
    [caId],
  )
  for (const [name, count] of Object.entries(await pages())) assert.ok(count <= PAGES_MAX, `${name}: ${count} pages`)
})
