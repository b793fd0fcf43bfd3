import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { AppError } from '../../lib/app-error.ts'
import { connectTo, openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import type { Tx } from './db.ts'
import { isConnectionFailure, isUniqueViolation } from './failures.ts'

const { db, url } = await openTestDatabase()
await sql`create table counters (name text primary key, value integer not null)`.execute(db.pool)

const set = (tx: Tx, name: string, value: number) =>
  sql`insert into counters values (${name}, ${value}) on conflict (name) do update set value = excluded.value`.execute(
    tx,
  )

const valueOf = async (name: string): Promise<number | undefined> => {
  const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(db.pool)
  return rows[0]?.value
}

const deferred = () => {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

describe('a transaction', () => {
  test('writes everything and returns what the work returns', async () => {
    assert.equal(await db.transaction(async (tx) => set(tx, 'written', 1).then(() => 'done')), 'done')
    assert.equal(await valueOf('written'), 1)
  })

  test('writes nothing when the work throws, and passes the error on', async () => {
    const failure = new Error('no')
    const work = async (tx: Tx) => {
      await set(tx, 'never', 1)
      throw failure
    }
    await assert.rejects(db.transaction(work), failure)
    assert.equal(await valueOf('never'), undefined)
  })

  test('that goes on after a failed statement is not taken for a success', async () => {
    const work = async (tx: Tx) => {
      await sql`insert into counters values ('twice', 1), ('twice', 2)`.execute(tx).catch(() => undefined)
    }
    await assert.rejects(db.transaction(work), /after one of its statements had failed/)
  })

  test('is run again after a deadlock', async () => {
    await db.transaction(async (tx) => {
      await set(tx, 'left', 0)
      await set(tx, 'right', 0)
    })
    const held = { left: deferred(), right: deferred() }
    let runs = 0
    const crossing = (first: 'left' | 'right', second: 'left' | 'right') => async (tx: Tx) => {
      runs++
      await sql`update counters set value = value + 1 where name = ${first}`.execute(tx)
      held[first].resolve()
      await held[second].promise
      await sql`update counters set value = value + 1 where name = ${second}`.execute(tx)
    }
    await Promise.all([db.transaction(crossing('left', 'right')), db.transaction(crossing('right', 'left'))])
    assert.deepEqual([await valueOf('left'), await valueOf('right')], [2, 2])
    assert.equal(runs, 3)
  })

  test('is run again after a serialization failure', async () => {
    await db.transaction((tx) => set(tx, 'sum', 0))
    const addOne = async (tx: Tx) => {
      const { rows } = await sql<{ value: number }>`select value from counters where name = 'sum'`.execute(tx)
      await set(tx, 'sum', (rows[0]?.value ?? 0) + 1)
    }
    await Promise.all([1, 2, 3].map(() => db.transaction(addOne, { isolation: 'serializable' })))
    assert.equal(await valueOf('sum'), 3)
  })

  test('may not take a second connection', async () => {
    await assert.rejects(
      db.transaction(() => valueOf('written')),
      /second connection/,
    )
  })

  test('64 at once on a pool of 10 all succeed, on one row too', async () => {
    await db.transaction((tx) => set(tx, 'busy', 0))
    const increment = (tx: Tx) => sql`update counters set value = value + 1 where name = 'busy'`.execute(tx)
    await Promise.all(Array.from({ length: 64 }, () => db.transaction(increment)))
    assert.equal(await valueOf('busy'), 64)
  })
})

describe('a listener for the commit', () => {
  test('is called once after the commit', async () => {
    let seen: number | undefined
    await db.transaction(async (tx) => {
      await set(tx, 'heard', 1)
      db.afterCommit(tx, () => (seen = (seen ?? 0) + 1))
      assert.equal(seen, undefined)
    })
    assert.equal(seen, 1)
  })

  test('is not called after a rollback', async () => {
    const listener = () => assert.fail('called')
    const work = (tx: Tx) => {
      db.afterCommit(tx, listener)
      return Promise.reject(new Error('no'))
    }
    await assert.rejects(db.transaction(work))
  })

  test('is called when the connection is lost while committing', async () => {
    const admin = await connectTo(url)
    // A deferred trigger lets the commit itself take long enough to be cut off.
    await admin.query(`
      create function linger() returns trigger language plpgsql as 'begin perform pg_sleep(10); return null; end';
      create table slow (id integer);
      create constraint trigger linger after insert on slow deferrable initially deferred for each row execute function linger();
    `)
    let called = false
    const committing = db.transaction(async (tx) => {
      await sql`insert into slow values (1)`.execute(tx)
      db.afterCommit(tx, () => (called = true))
    })
    const cutOff = async () => {
      for (let tries = 0; tries < 500; tries++) {
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where query = 'commit' and state = 'active' and pid <> pg_backend_pid()`,
        )
        if (rowCount) return
      }
      assert.fail('no commit was seen')
    }
    await Promise.all([assert.rejects(committing, { kind: 'unavailable' }), cutOff()])
    await admin.end()
    assert.equal(called, true)
  })
})

describe('the pool', () => {
  test('answers "unavailable" when its queue is full, and recovers', async () => {
    const small = openDatabase(url, 1, { waitersMax: 2 })
    const answers = await Promise.allSettled(
      Array.from({ length: 6 }, () => sql`select pg_sleep(0.05)`.execute(small.pool)),
    )
    const refused = answers.filter((answer) => answer.status === 'rejected').map((answer): unknown => answer.reason)
    // Whoever comes first opens the connection and waits for it too.
    assert.ok(refused.length >= 3, `${refused.length} were refused`)
    for (const error of refused) {
      assert.ok(error instanceof AppError)
      assert.deepEqual([error.kind, error.retryAfterSeconds], ['unavailable', 1])
    }
    await sql`select 1`.execute(small.pool)
    await small.close()
  })

  test('answers "unavailable" when no connection comes free in time', async () => {
    const small = openDatabase(url, 1, { waitMsMax: 50 })
    const holding = sql`select pg_sleep(0.3)`.execute(small.pool)
    await assert.rejects(sql`select 1`.execute(small.pool), { kind: 'unavailable' })
    await holding
    await small.close()
  })

  test('replaces connections that PostgreSQL has ended', async () => {
    const admin = await connectTo(url)
    await sql`select 1`.execute(db.pool)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    for (let tries = 0; tries < 20; tries++) {
      const answer = await sql`select 1`.execute(db.pool).catch((error: unknown) => error)
      if (!(answer instanceof Error)) return
      assert.ok(isConnectionFailure(answer), answer.message)
    }
    assert.fail('the pool stayed broken')
  })

  test('prepares a statement that comes again, and never one without parameters', async () => {
    await db.transaction(async (tx) => {
      for (let n = 0; n < 4; n++) await sql`select ${n}::int as again`.execute(tx)
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx)
      assert.deepEqual(
        rows.filter(({ statement }) => /again|begin|commit/.test(statement)).map(({ statement }) => statement),
        ['select $1::int as again'],
      )
    })
  })

  test('cancels a statement that takes too long', async () => {
    const impatient = openDatabase(url, 1, { statementTimeoutMs: 50 })
    await assert.rejects(sql`select pg_sleep(5)`.execute(impatient.pool), { kind: 'unavailable' })
    await impatient.close()
  })

  test('names a broken unique key', async () => {
    await sql`insert into counters values ('taken', 1)`.execute(db.pool)
    const again = await sql`insert into counters values ('taken', 1)`.execute(db.pool).catch((error: unknown) => error)
    assert.ok(isUniqueViolation(again))
  })

  test('leaves the keys inside JSON as they are', async () => {
    const { rows } = await sql<{ someThing: unknown }>`select '{"snake_key": {"a_b": 1}}'::jsonb as some_thing`.execute(
      db.pool,
    )
    assert.deepEqual(rows, [{ someThing: { snake_key: { a_b: 1 } } }])
  })
})
