import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCountedDatabase, type Statement } from '../../../../test/statement-cost.ts'
import { connectTo, openTestDatabase } from '../../../../test/test-database.ts'
import { RevocationBench } from '../../../../test/test-revocations.ts'
import { lockToIssue } from '../authorities/authorities.store.ts'
import { listStatuses } from './revocations.store.ts'

const REVOKED = 20_000
/** Some lookups by index. */
const PAGES_MAX = 60

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)
const { caId } = await bench.authority()
const counted = await openCountedDatabase(url)
const client = await connectTo(url)
after(() => client.end())

const QUESTIONS: Record<string, () => Promise<unknown>> = {
  'the status of one': () => listStatuses(counted.db.pool, caId, ['01']),
  'whether an authority may still issue': () => counted.db.transaction((tx) => lockToIssue(tx, caId)),
}

/** PostgreSQL keeps the plan of a prepared statement until it counts the rows of its tables anew. */
const prepare = async (name: string, { text, values }: Statement) => {
  const execution = `execute ${name} (${values.map((value) => client.escapeLiteral(literal(value))).join()})`
  await client.query(`prepare ${name} as ${text}`)
  await client.query(execution)
  return async () => {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, timing off, format json) ${execution}`,
    )
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    return (plan?.['Shared Hit Blocks'] ?? NaN) + (plan?.['Shared Read Blocks'] ?? NaN)
  }
}

const literal = (value: unknown): string => (Array.isArray(value) ? `{${value.join()}}` : String(value))

test('what is asked of revocations costs the same after many, by a plan that was made before them', async () => {
  await client.query('set plan_cache_mode = force_generic_plan')
  const pages: Record<string, () => Promise<number>> = {}
  for (const [index, [name, ask]] of Object.entries(QUESTIONS).entries()) {
    const before = counted.statements().length
    await ask()
    const asked = counted
      .statements()
      .slice(before)
      .find(({ text }) => text.includes('revocations'))
    assert.ok(asked, name)
    pages[name] = await prepare(`question_${index}`, asked)
  }
  await client.query(
    `insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry)
    select $1, md5(i::text), now(), 4, '2100-01-01', '\\x00' from generate_series(1, ${REVOKED}) i`,
    [caId],
  )
  for (const [name, count] of Object.entries(pages)) {
    const touched = await count()
    assert.ok(touched <= PAGES_MAX, `${name}: ${touched} pages`)
  }
})
