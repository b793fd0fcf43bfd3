import assert from 'node:assert/strict'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { runHoldfast } from '../../test/run-holdfast.ts'
import { connectTo, createEmptyDatabase, createTestDatabase } from '../../test/test-database.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-doctor-'))
const KEY = Buffer.alloc(32, 1).toString('base64')
const { url, drop } = await createEmptyDatabase()
const admin = await connectTo(url)
after(async () => {
  await admin.end()
  await drop()
  await rm(folder, { recursive: true, force: true })
})
const name = new URL(url).pathname.slice(1)

/** What it says of one thing: the mark before it, and what stands below it. */
const lookAt = async (thing: string, environment: Record<string, string>) => {
  const { code, said, shown } = await runHoldfast('doctor', environment)
  assert.equal(said, '')
  const [, mark, below] = new RegExp(`^ {2}([✓✗]) ${thing}[^\\n]*\\n(?: {6}([^\\n]*)\\n)?`, 'm').exec(shown) ?? []
  return { code, mark, below, shown }
}

/** As PostgreSQL would answer whose settings are these: found before its own function. */
const pretendSettings = async (settings: Record<string, string>) => {
  await admin.query('create schema pretended')
  await admin.query(`create function pretended.current_setting(name text) returns text language sql as
    $$ select coalesce('${JSON.stringify(settings)}'::jsonb ->> name, pg_catalog.current_setting(name)) $$`)
  await admin.query(`alter database ${name} set search_path = pretended, pg_catalog, public`)
}

const setting = (what: string) => admin.query(`alter database ${name} set ${what}`)
const reset = () => admin.query(`alter database ${name} reset all; drop schema if exists pretended cascade`)

describe('npx holdfast doctor', () => {
  const good = { DATABASE_URL: url, HOLDFAST_ROOT_KEY: KEY }

  test('finds nothing wrong with a database that is new, or behind, and says what will become of it', async () => {
    const fresh = await lookAt('The schema fits', good)
    assert.deepEqual([fresh.mark, fresh.below], ['✓', 'The database is new: the first start makes its tables'])

    const other = await createTestDatabase()
    try {
      const client = await connectTo(other.url)
      await client.query('delete from schema_migrations where number = (select max(number) from schema_migrations)')
      await client.end()
      const behind = await lookAt('The schema fits', { ...good, DATABASE_URL: other.url })
      assert.equal(behind.mark, '✓')
      assert.match(behind.below ?? '', /earlier version: the next start, or npx holdfast migrate/)
    } finally {
      await other.drop()
    }
  })

  test('names every thing that is wrong, with the way out, and counts them', async () => {
    await pretendSettings({ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'on', max_connections: '10' })
    try {
      const { code, mark, below, shown } = await lookAt('Commits are durable', good)
      assert.deepEqual([code, mark], [1, '✗'])
      assert.match(below ?? '', /turn fsync and full_page_writes on/)
      assert.match(shown, / {2}✗ There are enough connections\n {6}PostgreSQL allows 10, .*DATABASE_POOL_SIZE\n/)
      assert.match(shown, /\n\n {2}2 things are wrong\.\n$/)
    } finally {
      await reset()
    }
  })

  test('says that nothing is wrong when that is so', async () => {
    await pretendSettings({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', max_connections: '100' })
    try {
      const { code, shown } = await lookAt('The configuration', good)
      assert.equal(code, 0)
      assert.match(shown, /\n\n {2}Nothing is wrong\.\n$/)
    } finally {
      await reset()
    }
  })

  test('finds a copy that takes no writes', async () => {
    await setting('default_transaction_read_only = on')
    try {
      const { code, mark, below } = await lookAt('The database can be written to', good)
      assert.deepEqual([code, mark], [1, '✗'])
      assert.match(below ?? '', /primary/)
    } finally {
      await admin.query('begin read write')
      await reset()
      await admin.query('commit')
    }
  })

  test('finds a role that has nowhere to make tables', async () => {
    const without = new URL(url)
    without.searchParams.set('options', '-c search_path=nowhere')
    const { mark, below } = await lookAt('The database can be written to', { ...good, DATABASE_URL: without.href })
    assert.equal(mark, '✗')
    assert.match(below ?? '', /^The role '.+' may not make tables: make it the owner of the database$/)
  })

  test('tries the way that requests take too, where that is another', async () => {
    const { code, mark, below } = await lookAt('The database answers', {
      ...{ DATABASE_URL: 'postgresql://app@127.0.0.1:1/app', DATABASE_DIRECT_URL: url, HOLDFAST_ROOT_KEY: KEY },
    })
    assert.deepEqual([code, mark], [1, '✗'])
    assert.match(below ?? '', /ECONNREFUSED 127\.0\.0\.1:1/)
  })

  test('finds a licence that is none', async () => {
    const { code, mark, below } = await lookAt('The licence is valid', { ...good, HOLDFAST_LICENSE: 'rubbish' })
    assert.deepEqual([code, mark], [1, '✗'])
    assert.match(below ?? '', /^HOLDFAST_LICENSE: /)
  })

  test('makes no database where there is none', async () => {
    const dataDir = path.join(folder, 'data')
    const { code, mark, below } = await lookAt('The data directory', { HOLDFAST_DATA_DIR: dataDir })
    assert.deepEqual([code, mark], [1, '✗'])
    assert.match(below ?? '', /^There is no database in .* yet: npm start makes one\./)
    await assert.rejects(access(dataDir))
  })

  test('says of a data directory that cannot be one why', async () => {
    const file = path.join(folder, 'file')
    await writeFile(file, '')
    const { code, mark, below } = await lookAt('The data directory', { HOLDFAST_DATA_DIR: file })
    assert.deepEqual([code, mark], [1, '✗'])
    assert.match(below ?? '', /cannot be used .*HOLDFAST_DATA_DIR/)
  })
})

describe('a PostgreSQL that is too old', () => {
  for (const command of ['serve', 'migrate']) {
    test(`is refused by ${command} in one line, before anything is written`, async () => {
      await pretendSettings({ server_version_num: '130023', server_version: '13.23' })
      try {
        const { code, said } = await runHoldfast(command, { DATABASE_URL: url, HOLDFAST_ROOT_KEY: KEY })
        assert.equal(code, 1)
        assert.match(said, /^holdfast: PostgreSQL 13\.23 is too old, Holdfast needs 14 or later: [^\n]*\n$/)
        const { rows } = await admin.query('select from pg_tables where schemaname = $1', ['public'])
        assert.equal(rows.length, 0)
      } finally {
        await reset()
      }
    })
  }
})

describe('a database of something else that keeps its migrations under the same name', () => {
  const environment = { DATABASE_URL: url, HOLDFAST_ROOT_KEY: KEY }
  const FOREIGN = /The database belongs to something else .*: point DATABASE_URL at one of Holdfast's own/

  test('is found by doctor, which goes on', async () => {
    await admin.query('create table schema_migrations (version text primary key)')
    try {
      const { code, mark, below, shown } = await lookAt('The schema fits', environment)
      assert.deepEqual([code, mark], [1, '✗'])
      assert.match(below ?? '', FOREIGN)
      assert.match(shown, / {2}✓ The clocks .*\n\n {2}\d+ things? (?:is|are) wrong\.\n$/s)
    } finally {
      await admin.query('drop table schema_migrations')
    }
  })

  for (const command of ['serve', 'migrate']) {
    test(`is refused by ${command} in one line, before anything is written`, async () => {
      await admin.query('create table schema_migrations (version text primary key)')
      try {
        const { code, said } = await runHoldfast(command, environment)
        assert.equal(code, 1)
        assert.match(said, new RegExp(`^holdfast: ${FOREIGN.source}[^\\n]*\\n$`))
        const { rows } = await admin.query('select from pg_tables where schemaname = $1', ['public'])
        assert.equal(rows.length, 1)
      } finally {
        await admin.query('drop table schema_migrations')
      }
    })
  }
})

describe("a database of something else that has tables named like Holdfast's", () => {
  const environment = { DATABASE_URL: url, HOLDFAST_ROOT_KEY: KEY }
  const FOREIGN =
    /The database has what is named like Holdfast's \(groups, root_keys, secrets and 1 more\) and no record [^\n]*: point DATABASE_URL at a database of its own, or restore [^\n]*/
  const make = `create table users (name text); create view groups as select 1 as one; create table root_keys (id integer);
    create type secrets as enum ('one'); create table other (id integer)`
  const remove = 'drop table users, root_keys, other; drop view groups; drop type secrets'
  const relations = async () =>
    (await admin.query(`select relname from pg_class where relnamespace = 'public'::regnamespace order by 1`)).rows

  test('is found by doctor, which goes on', async () => {
    await admin.query(make)
    try {
      const { code, mark, below, shown } = await lookAt('The schema fits', environment)
      assert.deepEqual([code, mark], [1, '✗'])
      assert.match(below ?? '', FOREIGN)
      assert.match(shown, / {2}✓ The clocks .*\n\n {2}\d+ things? (?:is|are) wrong\.\n$/s)
    } finally {
      await admin.query(remove)
    }
  })

  for (const command of ['serve', 'migrate']) {
    test(`is refused by ${command} in one line, before anything is written`, async () => {
      await admin.query(make)
      try {
        const before = await relations()
        const { code, said } = await runHoldfast(command, environment)
        assert.equal(code, 1)
        assert.match(said, new RegExp(`^holdfast: ${FOREIGN.source}\\n$`))
        assert.deepEqual(await relations(), before)
      } finally {
        await admin.query(remove)
      }
    })
  }

  test('is used through a schema of its own, however that is spelt', async () => {
    await admin.query(`${make}; create schema "Hold-fast"`)
    await setting('search_path = "Hold-fast"')
    try {
      assert.equal((await lookAt('The schema fits', environment)).mark, '✓')
      const { code, said } = await runHoldfast('migrate', environment)
      assert.deepEqual([code, said], [0, ''])
    } finally {
      await reset()
      await admin.query(`drop schema "Hold-fast" cascade; ${remove}`)
    }
  })

  test('is used where nothing in it is in the way', async () => {
    await admin.query('create table other (id integer)')
    try {
      assert.equal((await lookAt('The schema fits', environment)).mark, '✓')
    } finally {
      await admin.query('drop table other')
    }
  })
})
