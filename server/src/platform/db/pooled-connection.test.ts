import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../../../test/test-database.ts'
import type { Db } from './db.ts'
import { WITH_THE_NEXT } from './pooled-connection.ts'

const { db } = await openTestDatabase()
await sql`create table probe (number integer check (number > 0))`.execute(db.pool)
beforeEach(() => sql`truncate probe`.execute(db.pool))

const write = (on: Db, number: number) => sql`${WITH_THE_NEXT}insert into probe values (${number})`.execute(on)
const numbers = async (on: Db = db.pool): Promise<number[]> => {
  const { rows } = await sql<{ number: number }>`select number from probe order by number`.execute(on)
  return rows.map(({ number }) => number)
}

describe('a statement that goes with the next', () => {
  test('goes with the commit', async () => {
    await db.transaction(async (tx) => {
      await write(tx, 1)
      await write(tx, 2)
    })
    assert.deepEqual(await numbers(), [1, 2])
  })

  test('has been done when the statement after it is', async () => {
    await db.transaction(async (tx) => {
      await write(tx, 1)
      assert.deepEqual(await numbers(tx), [1])
    })
  })

  test('fails the commit when it fails, of which nothing is left', async () => {
    const failed = db.transaction(async (tx) => {
      await write(tx, 1)
      await write(tx, -1)
    })
    await assert.rejects(failed, /violates check constraint/)
    assert.deepEqual(await numbers(), [])
  })

  test('fails the statement after it, not one before', async () => {
    const failed = db.transaction(async (tx) => {
      await write(tx, 1)
      assert.deepEqual(await numbers(tx), [1])
      await write(tx, -1)
      await assert.rejects(numbers(tx), /violates check constraint/)
      await numbers(tx)
    })
    await assert.rejects(failed, /current transaction is aborted/)
    assert.deepEqual(await numbers(), [])
  })

  test('is not done when the transaction is given up', async () => {
    await assert.rejects(
      db.transaction(async (tx) => {
        await write(tx, 1)
        throw new Error('given up')
      }),
      /given up/,
    )
    assert.deepEqual(await numbers(), [])
    await db.transaction((tx) => write(tx, 2))
    assert.deepEqual(await numbers(), [2])
  })

  test('is sent at once outside a transaction', async () => {
    await write(db.pool, 1)
    assert.deepEqual(await numbers(), [1])
  })
})

test('a transaction in which nothing is asked ends well', async () => {
  assert.equal(await db.transaction(() => Promise.resolve('nothing')), 'nothing')
  await assert.rejects(
    db.transaction(() => Promise.reject(new Error('on purpose'))),
    /on purpose/,
  )
})
