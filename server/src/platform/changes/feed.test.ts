import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { AppError } from '../../lib/app-error.ts'
import { connectTo, openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import type { Change } from './change.ts'
import { ChangeFeed, type FeedObserver } from './feed.ts'

const { db, url } = await openTestDatabase()

const startFeed = async ({ at = url, observer = {} }: { at?: string; observer?: FeedObserver } = {}) => {
  const feed = new ChangeFeed({ db, direct: { url: at, applicationName: 'feed-test' }, observer })
  feed.start()
  after(() => feed.stop())
  await feed.readNow()
  return feed
}

/** Everything that reaches a follower, as one list of words. */
const record = (feed: ChangeFeed) => {
  const words: string[] = []
  const names = (changes: readonly Change[]) => changes.map(({ scope }) => scope).join()
  feed.follow({
    takeAway: (changes) => words.push(`-${names(changes)}`),
    deliver: (changes) => words.push(`+${names(changes)}`),
    reset: (reason) => words.push(`reset:${reason}`),
  })
  return words
}

/** The scopes given as events, one by one. */
const delivered = (feed: ChangeFeed) => {
  const scopes: string[] = []
  feed.follow({ deliver: (changes) => scopes.push(...changes.map(({ scope }) => scope)) })
  return scopes
}

const commit = (feed: ChangeFeed, ...scopes: string[]) =>
  db.transaction((tx) => feed.append(tx, ...scopes.map((scope) => ({ scope, kind: 'tested' }))))

const appendBy = "insert into changes (scope, kind) values ($1, 'tested')"

const [writer, reader] = [await startFeed(), await startFeed()]
beforeEach(() => Promise.all([writer.readNow(), reader.readNow()]))

describe('a change', () => {
  test('reaches every process once, in the order of its transaction', async () => {
    const [here, there] = [delivered(writer), delivered(reader)]
    await commit(writer, 'a', 'b', 'c')
    await commit(writer, 'a')
    await Promise.all([writer.readNow(), reader.readNow()])
    await Promise.all([writer.readNow(), reader.readNow()])
    assert.deepEqual(here, ['a', 'b', 'c', 'a'])
    assert.deepEqual(there, here)
  })

  test('carries its body as it was', async () => {
    const bodies: unknown[] = []
    reader.follow({ deliver: (changes) => bodies.push(...changes.map(({ body }) => body)) })
    const body = { text: 'a\u0000b\ud800 "quoted" {é}', list: [1, null, [true]], b: { a: 1.5 }, a: '' }
    const append = (...changes: Change[]) => db.transaction((tx) => writer.append(tx, ...changes))
    await append(
      { scope: 'x', kind: 'k', body },
      { scope: 'x', kind: 'k' },
      { scope: 'x', kind: 'k', body: [[], '{}'] },
    )
    await reader.readNow()
    assert.deepEqual(bodies, [body, undefined, [[], '{}']])
  })

  test('that is rolled back, wholly or to a savepoint, reaches nobody', async () => {
    const there = delivered(reader)
    const rolledBack = db.transaction(async (tx) => {
      await writer.append(tx, { scope: 'never', kind: 'tested' })
      throw new Error('no')
    })
    await assert.rejects(rolledBack, /no/)
    await db.transaction(async (tx) => {
      await sql`savepoint before`.execute(tx)
      await writer.append(tx, { scope: 'never', kind: 'tested' })
      await sql`rollback to before`.execute(tx)
      await sql`savepoint kept`.execute(tx)
      await writer.append(tx, { scope: 'kept', kind: 'tested' })
      await sql`release kept`.execute(tx)
    })
    await reader.readNow()
    assert.deepEqual(there, ['kept'])
  })

  test('is delayed by no other transaction, and one that commits late comes then, once', async () => {
    const [foreign, late] = [await connectTo(url), await connectTo(url)]
    const there = delivered(reader)
    await foreign.query('begin; select pg_current_xact_id()')
    await late.query('begin')
    await late.query(appendBy, ['late'])
    for (const scope of ['early', 'earlier than late']) {
      await commit(writer, scope)
      await reader.readNow()
    }
    assert.deepEqual(there, ['early', 'earlier than late'])

    await late.query('commit')
    await reader.readNow()
    await foreign.query('commit')
    await reader.readNow()
    assert.deepEqual(there, ['early', 'earlier than late', 'late'])
    await Promise.all([foreign.end(), late.end()])
  })

  test('of before the start is not given', async () => {
    await commit(writer, 'before')
    const feed = new ChangeFeed({ db, direct: { url, applicationName: 'feed-test' } })
    const words = record(feed)
    feed.start()
    await feed.readNow()
    await feed.stop()
    assert.deepEqual(words, ['reset:started'])
  })

  test('is announced after its commit', async () => {
    const listener = await connectTo(url)
    await listener.query('listen changes')
    const heard = new Promise((resolve) => listener.once('notification', resolve))
    await commit(writer, 'announced')
    await heard
    await listener.end()
  })

  test('is read by other processes when it is announced, not only when they look', async () => {
    const waits: number[] = []
    for (let round = 0; round < 15; round++) {
      const heard = new Promise<void>((resolve) => {
        const leave = reader.follow({
          deliver: () => {
            leave()
            resolve()
          },
        })
      })
      await commit(writer, 'announced')
      const committedAt = performance.now()
      await heard
      waits.push(performance.now() - committedAt)
    }
    const median = waits.sort((left, right) => left - right)[7]
    assert.ok(median !== undefined && median < 100, `half of them took more than ${median} ms`)
  })

  test('must not be too large, too many or nameless', async () => {
    const append = (...changes: Change[]) => db.transaction((tx) => writer.append(tx, ...changes))
    const change = { scope: 'x', kind: 'k' }
    await assert.rejects(
      append({ ...change, body: 'x'.repeat(256 * 1_024) }),
      /The body of a 'k' change has 262146 bytes/,
    )
    await assert.rejects(append(...Array.from({ length: 10_001 }, () => change)), /10001 changes at once/)
    await assert.rejects(append({ ...change, scope: '' }), /needs a scope and a kind/)
    await assert.rejects(append({ ...change, kind: 'k'.repeat(501) }), /needs a scope and a kind/)
    await append()
  })
})

describe('followers', () => {
  test('hear what an own commit takes away before the caller goes on, and again when it is read', async () => {
    const feed = await startFeed()
    const words = record(feed)
    await commit(feed, 'a', 'b')
    assert.equal(words[0], '-a,b')
    await feed.readNow()
    // It may have been read before the commit was answered.
    assert.deepEqual(words.toSorted(), ['+a,b', '-a,b', '-a,b'])
  })

  test('hear what a commit takes away whose outcome is unknown, but no event', async () => {
    await sql`create table fragile (id integer)`.execute(db.pool)
    await sql`create function fail() returns trigger language plpgsql
      as 'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`.execute(db.pool)
    await sql`create constraint trigger fails_in_commit after insert on fragile
      deferrable initially deferred for each row execute function fail()`.execute(db.pool)
    const words = record(reader)
    const cut = db.transaction(async (tx) => {
      await reader.append(tx, { scope: 'a', kind: 'tested' })
      await sql`insert into fragile values (1)`.execute(tx)
    })
    await assert.rejects(cut, AppError)
    await reader.readNow()
    assert.deepEqual(words, ['-a'])
  })

  test('all hear what is taken away before the first event', async () => {
    const words: string[] = []
    for (const name of ['first', 'second']) {
      const leave = reader.follow({ takeAway: () => words.push(`${name} -`), deliver: () => words.push(`${name} +`) })
      after(leave)
    }
    await commit(writer, 'a')
    await reader.readNow()
    assert.deepEqual(words, ['first -', 'second -', 'first +', 'second +'])
  })

  test('that throw are reset, and neither the others nor later changes suffer', async () => {
    const failures: unknown[] = []
    const feed = await startFeed({ observer: { failed: (...failure) => failures.push(failure) } })
    const failure = new Error('a fault')
    const words: string[] = []
    feed.follow({
      deliver: () => {
        words.push('throws')
        throw failure
      },
      reset: (reason) => words.push(`reset:${reason}`),
    })
    const others = record(feed)
    await commit(writer, 'a')
    await feed.readNow()
    await commit(writer, 'b')
    await feed.readNow()
    assert.deepEqual(words, ['throws', 'reset:follower-failed', 'throws', 'reset:follower-failed'])
    assert.deepEqual(others, ['-a', '+a', '-b', '+b'])
    assert.deepEqual(failures, [
      ['follower', failure],
      ['follower', failure],
    ])
    assert.ok(feed.isTrusted())
  })

  test('that cannot even be reset take the trust away until they can', async () => {
    const feed = await startFeed()
    let isBroken = true
    const breakDown = () => {
      if (isBroken) throw new Error('a fault')
    }
    feed.follow({ takeAway: breakDown, reset: breakDown })
    await commit(feed, 'a')
    assert.ok(!feed.isTrusted())
    await feed.readNow()
    assert.ok(!feed.isTrusted())
    isBroken = false
    await feed.readNow()
    assert.ok(feed.isTrusted())
  })

  test('that leave hear no more', async () => {
    const words: string[] = []
    const leave = reader.follow({ takeAway: () => words.push('-'), deliver: () => words.push('+') })
    leave()
    await commit(writer, 'a')
    await reader.readNow()
    assert.deepEqual(words, [])
  })
})

describe('trust', () => {
  test(
    'ends one second after the last read that came back, and returns with the next',
    { timeout: 10_000 },
    async () => {
      const feed = await startFeed()
      const blocker = await connectTo(url)
      after(() => blocker.end())
      await blocker.query('begin; lock table changes in access exclusive mode')
      const [lockedAt, ageAtLock] = [performance.now(), feed.readAgeMs]
      while (feed.isTrusted()) {
        assert.ok(performance.now() - lockedAt < 1_100 - ageAtLock, 'trusted for too long')
        await new Promise(setImmediate)
      }
      // The wall clock counts in whole milliseconds.
      assert.ok(feed.readAgeMs > 998)
      await blocker.query('rollback')
      await blocker.end()
      await feed.readNow()
      assert.ok(feed.isTrusted())
    },
  )

  test('ends when time has passed that only the wall clock has seen, as in a machine that slept', async (t) => {
    const feed = await startFeed()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1_000 })
    assert.ok(!feed.isTrusted())
    await feed.readNow()
    assert.ok(feed.isTrusted())
  })

  test('is never given to a feed without a database', async () => {
    const losses: unknown[] = []
    const observer = { disconnected: (error: unknown) => losses.push(error) }
    const nowhere = 'postgresql://nobody@localhost/none?host=/nowhere'
    const feed = new ChangeFeed({ db, direct: { url: nowhere, applicationName: 'feed-test' }, observer })
    feed.start()
    for (let attempt = 0; attempt < 3; attempt++) {
      await assert.rejects(feed.readNow(), (error) => error instanceof AppError && error.kind === 'unavailable')
    }
    assert.ok(!feed.isTrusted())
    assert.equal(losses.length, 1)
    await feed.stop()
    await assert.rejects(feed.readNow(), AppError)
  })

  test('ends with the feed', async () => {
    const feed = await startFeed()
    await feed.stop()
    assert.ok(!feed.isTrusted())
  })
})

test('the clock shows the time of the database', async () => {
  const { rows } = await sql<{ ms: number }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(db.pool)
  await reader.readNow()
  assert.ok(Math.abs(reader.clock.now() - Number(rows[0]?.ms)) < 1_000)
})

const ownRole = await sql<{ isOrdinary: boolean }>`
  select not (rolsuper or rolreplication or pg_has_role(oid, 'pg_monitor', 'member')) as is_ordinary
  from pg_roles where rolname = current_user`.execute(db.pool)

test(
  'an ordinary role is enough, the one of all these tests',
  {
    skip: ownRole.rows[0]?.isOrdinary ? false : 'the PostgreSQL at hand was given with a privileged role',
  },
  async () => {
    const resets: string[] = []
    const feed = await startFeed({ observer: { reset: (reason) => resets.push(reason) } })
    const there = delivered(feed)
    await commit(writer, 'a')
    await feed.readNow()
    assert.deepEqual([there, resets], [['a'], ['started']])
    await feed.stop()
  },
)

test('two databases in one cluster hear nothing of each other', async () => {
  const other = await openTestDatabase()
  const there = delivered(reader)
  await openDatabase(other.url).close()
  await other.db.transaction((tx) => sql`insert into changes (scope, kind) values ('other', 'k')`.execute(tx))
  await reader.readNow()
  assert.deepEqual(there, [])
})
