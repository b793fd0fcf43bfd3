import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectTo, openTestDatabase } from '../../../test/test-database.ts'
import { eventually } from '../postgres/postgres-test-server.ts'
import { ChangeFeed } from './feed.ts'
import { Session } from './session.ts'

const { db, url } = await openTestDatabase()
const admin = await connectTo(url)

const startFeed = async (applicationName: string) => {
  const words: string[] = []
  const feed = new ChangeFeed({ db, direct: { url, applicationName } })
  feed.follow({
    deliver: (changes) => words.push(...changes.map(({ scope }) => scope)),
    reset: (reason) => words.push(`reset:${reason}`),
  })
  feed.start()
  await feed.readNow()
  assert.deepEqual(words.splice(0), ['reset:started'])
  return { feed, words }
}

const commit = (...scopes: string[]) =>
  db.transaction((tx) => feed.append(tx, ...scopes.map((scope) => ({ scope, kind: 'tested' }))))

const { feed, words } = await startFeed('kept')
const { feed: otherFeed, words: otherWords } = await startFeed('ended')

after(async () => {
  await Promise.all([feed.stop(), otherFeed.stop(), admin.end()])
})

const endSessions = (applicationName: string) =>
  admin.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1', [
    applicationName,
  ])

/** Retries, since the connection of a feed may just be gone. */
const readThrough = (reader: ChangeFeed) =>
  eventually(
    () =>
      reader.readNow().then(
        () => true,
        () => undefined,
      ),
    'the feed to be read',
  )

const count = async (where = 'true') => {
  const { rows } = await admin.query<{ count: number }>(`select count(*) from changes where ${where}`)
  return rows[0]?.count
}

describe('a connection that ends', () => {
  test('while the feed is young makes it start anew', async () => {
    await endSessions('ended')
    await readThrough(otherFeed)
    assert.deepEqual(otherWords.splice(0), ['reset:started'])
  })

  test('later loses nothing, doubles nothing and does not end the trust', { timeout: 20_000 }, async () => {
    // Until a snapshot is old enough to have survived any crash.
    await sleep(2_500)
    const late = await connectTo(url)
    await late.query('begin')
    await late.query(`insert into changes (scope, kind) values ('late', 'tested')`)
    await commit('before')
    await readThrough(otherFeed)

    for (let round = 1; round <= 3; round++) {
      await endSessions('ended')
      await commit(`after ${round}`)
      assert.ok(otherFeed.isTrusted())
      await readThrough(otherFeed)
    }
    await late.query('commit')
    await late.end()
    await readThrough(otherFeed)
    assert.deepEqual(otherWords.splice(0), ['before', 'after 1', 'after 2', 'after 3', 'late'])
  })
})

describe('pruning', () => {
  /** In which every feed that is alive has read. */
  const letTenMinutesPass = async () => {
    await Promise.all([readThrough(feed), readThrough(otherFeed)])
    await admin.query(`update changes_state set prune_next_noted_at = clock_timestamp() - interval '11 minutes'`)
  }

  /** Other tests in this cluster may hold its horizon for a while. */
  const pruneUntil = (isDone: () => Promise<boolean>) =>
    eventually(async () => {
      await letTenMinutesPass()
      await Promise.all(Array.from({ length: 4 }, () => feed.prune()))
      return (await isDone()) || undefined
    }, 'the rows to be pruned')

  before(async () => {
    await feed.readNow()
    words.length = 0
  })

  test('leaves young rows alone', async () => {
    await commit('young')
    const rows = await count()
    assert.equal(await feed.prune(), 0)
    assert.equal(await count(), rows)
  })

  test('deletes what has been finished for ten minutes, in many processes at once, unnoticed', async () => {
    await commit(...Array.from({ length: 9_000 }, (_, index) => `old ${index}`))
    await letTenMinutesPass()
    await feed.prune()
    await commit('new')
    const open = await connectTo(url)
    await open.query(`begin; insert into changes (scope, kind) values ('open', 'tested')`)
    await pruneUntil(async () => (await count(`scope like 'old%'`)) === 0)
    await open.query('commit')
    await open.end()
    await feed.readNow()
    assert.equal(await count(`scope in ('new', 'open')`), 2)
    assert.deepEqual(words.splice(0).slice(-2), ['new', 'open'])
  })

  test('is noticed by a reader that has not read what is gone', async () => {
    const session = await Session.open({ url, applicationName: 'behind' }, () => undefined)
    const { snapshot } = await session.read(undefined)
    await commit('unread')
    await letTenMinutesPass()
    await feed.prune()
    assert.equal((await session.read(snapshot)).isBehind, false)
    await pruneUntil(async () => (await session.read(snapshot)).isBehind)
    await session.close()
    await feed.readNow()
    assert.deepEqual(words.splice(0), ['unread'])
    assert.deepEqual(
      otherWords.filter((word) => word.startsWith('reset')),
      [],
    )
  })

  test('makes good a state that is missing', async () => {
    await admin.query('delete from changes_state')
    await feed.readNow()
    await feed.prune()
    await feed.readNow()
    await commit('more')
    await feed.readNow()
    assert.deepEqual(words.splice(0), ['reset:history-changed', 'reset:history-changed', 'more'])
  })
})

describe('a restore', () => {
  test('that says so resets every feed', async () => {
    await admin.query('update changes_state set incarnation = gen_random_uuid()')
    await Promise.all([readThrough(feed), readThrough(otherFeed)])
    assert.deepEqual(words.splice(0), ['reset:history-changed'])
    assert.equal(otherWords.splice(0).at(-1), 'reset:history-changed')
  })

  test('of rows and marks from a cluster with higher xids brings no phantoms and takes nothing away', async () => {
    await admin.query(`update changes_state set pruned_below = '900000000', prune_next_below = '900000000'`)
    await admin.query(`insert into changes (xid, scope, kind) values ('900000001', 'phantom', 'tested')`)
    await commit('real')
    await feed.readNow()
    assert.ok((await feed.prune()) === 1)
    await commit('also real')
    await feed.readNow()
    assert.deepEqual(words.splice(0), ['real', 'also real'])
    assert.equal(await count(`scope = 'phantom'`), 0)
    assert.equal(await count(`scope like '%real'`), 2)

    await admin.query(`update changes_state set prune_next_noted_at = clock_timestamp() + interval '1 year'`)
    await feed.prune()
    const { rows } = await sql<{ isSane: boolean }>`
      select pruned_below = '0' and prune_next_below <= pg_snapshot_xmin(pg_current_snapshot()) as is_sane
      from changes_state`.execute(db.pool)
    assert.deepEqual(rows, [{ isSane: true }])
  })
})

test('a backlog that nobody should hold in memory is given up', async () => {
  const session = await Session.open({ url, applicationName: 'behind' }, () => undefined)
  const { snapshot } = await session.read(undefined)
  await admin.query(`insert into changes (scope, kind) select 'many', 'tested' from generate_series(1, 100001)`)
  const { isTooMuch, changes } = await session.read(snapshot)
  assert.deepEqual([isTooMuch, changes], [true, []])
  await session.close()
  await feed.readNow()
  assert.deepEqual(words.splice(0), ['reset:fell-behind'])
})
