import { sql } from 'kysely'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { Database } from '../db/db.ts'
import type { DataKey } from './data-key.ts'
import { Keyring } from './keyring.ts'
import { RecentMap } from './recent-map.ts'
import { generateRootKeyText, parseRootKey, RootKeys } from './root-key.ts'

const { db, url } = await openTestDatabase()
const other = openDatabase(url)
const roots = new RootKeys({ current: parseRootKey(generateRootKeyText(), 'test') })
const newKeyring = (pool = db) => new Keyring({ db: pool, roots })
const isSame = (left: DataKey, right: DataKey) => left.id === right.id && left.secret.equals(right.secret)

before(() => newKeyring().establish())
after(() => other.close())

describe('a keyring', () => {
  test('makes a key once and finds it again, by purpose and by id, in another process too', async () => {
    const ownerId = randomUUID()
    const key = await newKeyring().ensure(db.pool, 'project-data', ownerId)
    const another = newKeyring(other)
    for (const found of [
      await another.ensure(other.pool, 'project-data', ownerId),
      await another.active(other.pool, 'project-data', ownerId),
      await another.byId(other.pool, key.id),
    ]) {
      assert.ok(isSame(found, key))
    }
  })

  test('keeps purposes and owners apart, and the installation from both', async () => {
    const keyring = newKeyring()
    const [left, right] = [randomUUID(), randomUUID()]
    const keys = [
      await keyring.ensure(db.pool, 'a', left),
      await keyring.ensure(db.pool, 'a', right),
      await keyring.ensure(db.pool, 'b', left),
      await keyring.ensure(db.pool, 'a', null),
    ]
    assert.equal(new Set(keys.map(({ id }) => id)).size, 4)
    assert.equal(new Set(keys.map(({ secret }) => secret.export().toString('hex'))).size, 4)
  })

  for (const ownerId of [null, randomUUID()]) {
    test(`makes one key when many ask at once for ${ownerId ? 'an owner' : 'the installation'}`, async () => {
      const asked = Array.from({ length: 20 }, (_, index) => {
        const pool = index % 2 ? db : other
        return newKeyring(pool).ensure(pool.pool, 'race', ownerId)
      })
      const [first, ...rest] = await Promise.all(asked)
      assert.ok(first && rest.every((key) => isSame(key, first)))
    })
  }

  test('makes one key when transactions race for it', async () => {
    const ownerId = randomUUID()
    const asked = [db, other, db, other].map((pool) =>
      pool.transaction((tx) => newKeyring(pool).ensure(tx, 'race', ownerId)),
    )
    const [first, ...rest] = await Promise.all(asked)
    assert.ok(first && rest.every((key) => isSame(key, first)))
  })

  test('does not remember a key whose transaction was rolled back', async () => {
    const ownerId = randomUUID()
    const keyring = newKeyring()
    const rolledBack = db.transaction(async (tx) => {
      await keyring.ensure(tx, 'project-data', ownerId)
      await keyring.ensure(tx, 'project-data', ownerId)
      throw new Error('no')
    })
    await assert.rejects(rolledBack, /^Error: no$/)
    await assert.rejects(keyring.active(db.pool, 'project-data', ownerId), /There is no active project-data key/)
  })

  test('knows a key in a transaction that it has in memory, and loads it there otherwise', async () => {
    const ownerId = randomUUID()
    const { id } = await newKeyring().ensure(db.pool, 'project-data', ownerId)
    const keyring = newKeyring()
    await db.transaction(async (tx) => {
      assert.equal((await keyring.byId(tx, id)).id, id)
      assert.equal((await keyring.active(tx, 'project-data', ownerId)).id, id)
    })
  })

  test('refuses ids and owners it does not know', async () => {
    await assert.rejects(newKeyring().byId(db.pool, randomUUID()), /There is no key/)
    await assert.rejects(newKeyring().active(db.pool, 'nothing', null), /There is no active nothing key of the inst/)
  })

  test('replaces a key; the retired one still opens by its id', async () => {
    const keyring = newKeyring()
    const old = await keyring.ensure(db.pool, 'replaced', null)
    const elsewhere = newKeyring(other)
    await elsewhere.active(other.pool, 'replaced', null)

    const fresh = await db.transaction((tx) => keyring.replace(tx, 'replaced', null))
    assert.notEqual(fresh.id, old.id)
    assert.equal((await keyring.active(db.pool, 'replaced', null)).id, fresh.id)
    assert.equal((await elsewhere.active(other.pool, 'replaced', null)).id, old.id, 'has not heard yet')
    elsewhere.forget()
    assert.equal((await elsewhere.active(other.pool, 'replaced', null)).id, fresh.id)
    assert.ok(isSame(await newKeyring().byId(db.pool, old.id), old))
    assert.deepEqual(
      (await newKeyring().list(db.pool, 'replaced', null)).map(({ id }) => id),
      [fresh.id, old.id],
    )
  })

  test('leaves one active key when it is replaced twice at once', async () => {
    await newKeyring().ensure(db.pool, 'twice', null)
    const replaced = [db, other].map((pool) => pool.transaction((tx) => newKeyring(pool).replace(tx, 'twice', null)))
    const ids = (await Promise.all(replaced)).map(({ id }) => id)
    assert.ok(ids.includes((await newKeyring().active(db.pool, 'twice', null)).id))
  })

  test('loads a key with one query, however many ask for it at once', async () => {
    const { id } = await newKeyring().ensure(db.pool, 'coalesced', null)
    // A second query would have to wait, and nobody may.
    const narrow = new Database({
      url,
      applicationName: 'holdfast-test',
      statementTimeoutMs: 30_000,
      connectionsMax: 1,
      waitersMax: 1,
      waitMsMax: 30_000,
      preparedStatements: true,
    })
    after(() => narrow.close())
    const keyring = newKeyring(narrow)
    const byId = await Promise.all(Array.from({ length: 50 }, () => keyring.byId(narrow.pool, id)))
    const active = await Promise.all(Array.from({ length: 50 }, () => keyring.active(narrow.pool, 'coalesced', null)))
    assert.equal(new Set([...byId, ...active]).size, 1)
  })
})

describe('a key changed in the database', () => {
  for (const [change, statement] of [
    ['moved to another owner', (id: string) => `update keys set owner_id = gen_random_uuid() where id = '${id}'`],
    ['given another purpose', (id: string) => `update keys set purpose = 'other' where id = '${id}'`],
    [
      'damaged',
      (id: string) => `update keys set wrapped = set_byte(wrapped, 20, 255 - get_byte(wrapped, 20)) where id = '${id}'`,
    ],
    ['emptied', (id: string) => `update keys set wrapped = '' where id = '${id}'`],
    [
      'exchanged for another',
      (id: string) =>
        `update keys set wrapped = (select wrapped from keys where id <> '${id}' limit 1) where id = '${id}'`,
    ],
  ] as const) {
    test(`is refused when ${change}`, async () => {
      const { id } = await newKeyring().ensure(db.pool, 'tampered', randomUUID())
      await sql.raw(statement(id)).execute(db.pool)
      await assert.rejects(newKeyring().byId(db.pool, id), /was changed in the database and cannot be opened/)
    })
  }
})

test('a map of recent entries forgets the one unused for longest', () => {
  const map = new RecentMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
})
