import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { connectTo, openTestDatabase } from '../../../test/test-database.ts'
import { TrustedCache } from './cache.ts'
import { ChangeFeed } from './feed.ts'

const { db, url } = await openTestDatabase()
await sql`create table things (name text primary key, value text not null)`.execute(db.pool)

const feed = new ChangeFeed({ db, direct: { url, applicationName: 'cache-test' } })
const other = new ChangeFeed({ db, direct: { url, applicationName: 'cache-test' } })
for (const each of [feed, other]) {
  each.start()
  after(() => each.stop())
  await each.readNow()
}

// What an earlier test committed has been heard by then.
beforeEach(() => feed.readNow())

const deferred = <T>() => {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

/** A loader that answers when told to, and counts how often it was asked. */
const stepwise = () => {
  const answers: ((value: string | undefined) => void)[] = []
  const load = () => {
    const { promise, resolve } = deferred<string | undefined>()
    answers.push(resolve)
    return promise
  }
  return { load, answers }
}

const touch = (by: ChangeFeed, ...scopes: string[]) =>
  db.transaction((tx) => by.append(tx, ...scopes.map((scope) => ({ scope, kind: 'tested' }))))

const newCache = (entriesMax = 100) => new TrustedCache<string>(feed, entriesMax)
const answer = (value: string | undefined) => () => Promise.resolve(value)
const forbidden = () => assert.fail('asked the database')

describe('a kept value', () => {
  test('is served without asking, until a change names one of its tags', async () => {
    const cache = newCache()
    await cache.get('key', ['a', 'b'], answer('first'))
    assert.equal(cache.peek('key'), 'first')
    assert.equal(await cache.get('key', ['a', 'b'], forbidden), 'first')
    await touch(feed, 'c')
    assert.equal(cache.peek('key'), 'first')
    await touch(feed, 'b')
    assert.equal(cache.peek('key'), undefined)
    await feed.readNow()
    assert.equal(await cache.get('key', ['a', 'b'], answer('second')), 'second')
  })

  test('goes when another process commits', async () => {
    const cache = newCache()
    await cache.get('key', ['a'], answer('first'))
    await touch(other, 'a')
    await feed.readNow()
    assert.equal(cache.peek('key'), undefined)
  })

  test('is not served while the feed is not trusted, and is served again when nothing has happened', async () => {
    const cache = newCache()
    await cache.get('key', ['a'], answer('kept'))
    const blocker = await connectTo(url)
    after(() => blocker.end())
    await blocker.query('begin; lock table changes in access exclusive mode')
    while (feed.isTrusted()) await new Promise(setImmediate)
    assert.equal(cache.peek('key'), undefined)
    assert.equal(await cache.get('key', ['a'], answer('asked')), 'asked')
    await blocker.query('rollback')
    await feed.readNow()
    assert.equal(cache.peek('key'), 'asked')
  })

  test('goes with a reset', async () => {
    const cache = newCache()
    const { load, answers } = stepwise()
    await cache.get('key', ['a'], answer('first'))
    const loading = cache.get('under way', ['a'], load)
    await sql`update changes_state set incarnation = gen_random_uuid()`.execute(db.pool)
    await feed.readNow()
    answers[0]?.('old')
    assert.equal(await loading, 'old')
    assert.deepEqual([cache.peek('key'), cache.peek('under way')], [undefined, undefined])
  })

  test('makes room when it was used longest ago', async () => {
    const cache = newCache(2)
    for (const key of ['a', 'b']) await cache.get(key, ['tag', key], answer(key))
    cache.peek('a')
    await cache.get('c', ['tag'], answer('c'))
    assert.deepEqual([cache.peek('a'), cache.peek('b'), cache.peek('c'), cache.size], ['a', undefined, 'c', 2])
    await touch(feed, 'tag')
    assert.equal(cache.size, 0)
  })
})

describe('absence', () => {
  test('is asked for each time', async () => {
    const cache = newCache()
    assert.equal(await cache.get('key', ['a'], answer(undefined)), undefined)
    assert.equal(await cache.get('key', ['a'], answer('created')), 'created')
  })

  test('found by a query that others joined is asked for again, once for all of them', async () => {
    const cache = newCache()
    const { load, answers } = stepwise()
    const first = cache.get('key', ['a'], load)
    const joined = [cache.get('key', ['a'], load), cache.get('key', ['a'], load)]
    answers[0]?.(undefined)
    assert.equal(await first, undefined)
    await new Promise(setImmediate)
    assert.equal(answers.length, 2)
    answers[1]?.('created')
    assert.deepEqual(await Promise.all(joined), ['created', 'created'])
  })

  test('removes what was kept', async () => {
    const cache = newCache()
    await cache.get('key', ['a'], answer('kept'))
    assert.equal(await cache.reload('key', ['a'], answer(undefined)), undefined)
    assert.equal(cache.peek('key'), undefined)
  })
})

describe('a query under way', () => {
  test('is shared by those who come while it is good', async () => {
    const cache = newCache()
    const { load, answers } = stepwise()
    const both = [cache.get('key', ['a'], load), cache.get('key', ['a'], forbidden)]
    answers[0]?.('value')
    assert.deepEqual(await Promise.all(both), ['value', 'value'])
  })

  for (const [whose, by] of [
    ['an own commit', feed],
    ['the commit of another process', other],
  ] as const) {
    test(`that ${whose} names serves those who wait, is not kept, and later ones get a query of their own`, async () => {
      const cache = newCache()
      const { load, answers } = stepwise()
      const early = cache.get('key', ['a'], load)
      await touch(by, 'a')
      if (by === other) await feed.readNow()
      const late = [cache.get('key', ['a'], load), cache.get('key', ['a'], load)]
      await feed.readNow()
      answers[0]?.('old')
      assert.equal(await early, 'old')
      assert.equal(cache.peek('key'), undefined)
      await new Promise(setImmediate)
      answers[1]?.('new')
      assert.deepEqual(await Promise.all(late), ['new', 'new'])
      assert.equal(answers.length, 2)
      assert.equal(cache.peek('key'), 'new')
    })
  }

  test('may learn its tags from the answer, and is not kept when one was named meanwhile', async () => {
    const cache = newCache()
    const begun = deferred<undefined>()
    const load = async (alsoTag: (...tags: string[]) => void) => {
      await begun.promise
      alsoTag('owner')
      return 'value'
    }
    const loading = cache.get('key', ['a'], load)
    await touch(feed, 'owner')
    begun.resolve(undefined)
    assert.equal(await loading, 'value')
    assert.equal(cache.peek('key'), undefined)

    await feed.readNow()
    await cache.get('key', ['a'], load)
    assert.equal(cache.peek('key'), 'value')
    await touch(feed, 'owner')
    assert.equal(cache.peek('key'), undefined)
  })

  test('that fails fails for all who share it, and is forgotten', async () => {
    const cache = newCache()
    const failure = deferred<undefined>()
    const load = async () => {
      await failure.promise
      throw new Error('no database')
    }
    const both = [cache.get('key', ['a'], load), cache.get('key', ['a'], forbidden)]
    const afterwards = cache.reload('key', ['a'], answer('value'))
    failure.resolve(undefined)
    for (const each of both) await assert.rejects(each, /no database/)
    assert.equal(await afterwards, 'value')
  })
})

describe('a reload', () => {
  test('asks though a value is kept, and keeps what it gets', async () => {
    const cache = newCache()
    await cache.get('key', ['a'], answer('refuses'))
    assert.equal(await cache.reload('key', ['a'], answer('allows')), 'allows')
    assert.equal(cache.peek('key'), 'allows')
  })

  test('never takes the answer of a query that began before it, and shares the next one', async () => {
    const cache = newCache()
    const { load, answers } = stepwise()
    const before = cache.get('key', ['a'], load)
    const reloads = [cache.reload('key', ['a'], load), cache.reload('key', ['a'], load)]
    await new Promise(setImmediate)
    assert.equal(answers.length, 1)
    answers[0]?.('old')
    assert.equal(await before, 'old')
    await new Promise(setImmediate)
    answers[1]?.('new')
    assert.deepEqual(await Promise.all(reloads), ['new', 'new'])
    assert.equal(answers.length, 2)
  })
})

test('what one process creates another finds at once, a thousand times out of a thousand', async () => {
  const cache = new TrustedCache<string>(other, 2_000)
  const find = async (name: string) => {
    const { rows } = await sql<{ value: string }>`select value from things where name = ${name}`.execute(db.pool)
    return rows[0]?.value
  }
  const createAndFind = async (name: string) => {
    await cache.get(name, [name], () => find(name))
    const crowd = Array.from({ length: 3 }, () => cache.get(name, [name], () => find(name)))
    await db.transaction(async (tx) => {
      await sql`insert into things values (${name}, 'created')`.execute(tx)
      await feed.append(tx, { scope: name, kind: 'created' })
    })
    const found = await cache.get(name, [name], () => find(name))
    await Promise.all(crowd)
    return found
  }
  let found = 0
  for (let round = 0; round < 50; round++) {
    const names = Array.from({ length: 20 }, (_, index) => `thing ${round}.${index}`)
    const values = await Promise.all(names.map(createAndFind))
    found += values.filter((value) => value === 'created').length
  }
  assert.equal(found, 1_000)
})
