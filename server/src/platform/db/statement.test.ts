import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../../../test/test-database.ts'
import { statement } from './statement.ts'

const { db } = await openTestDatabase()

test('a statement is put together once, and given other values at each run', async () => {
  let times = 0
  const echo = statement<{ isFirst: boolean; both: string }, { first: string; second: string | null }>((value) => {
    times++
    return sql`select ${value('second')}::text is null as is_first, concat(${value('first')}::text, ${value('second')}::text, ${'!'}::text) as both`
  })
  assert.deepEqual(await echo(db.pool, { first: 'a', second: null }), [{ isFirst: true, both: 'a!' }])
  const [inside] = await db.transaction((tx) => echo(tx, { first: 'b', second: 'c' }))
  assert.deepEqual(inside, { isFirst: false, both: 'bc!' })
  assert.equal(times, 1)
})
