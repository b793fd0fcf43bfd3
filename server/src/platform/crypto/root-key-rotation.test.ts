import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo, openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import type { Database } from '../db/db.ts'
import type { DataKey } from './data-key.ts'
import { isSameCode, secretCode } from './hmac.ts'
import { Keyring } from './keyring.ts'
import { verifyRootKey } from './root-key-check.ts'
import { rewrapAll, rotateRootKey } from './root-key-rotation.ts'
import { loadRootKeys, type RootKeySettings } from './root-key-settings.ts'
import { generateRootKeyText, parseRootKey, RootKeyError, RootKeys, type RootKey } from './root-key.ts'
import * as store from './root-keys.store.ts'
import { TokenSigner } from './token.ts'
import { checkValueOf } from './wrapping.ts'

/** Several batches. */
const KEYS = 250
const NOW_MS = 1_700_000_000_000
const LIFETIME = { issuedAtSeconds: NOW_MS / 1000, expiresAtSeconds: NOW_MS / 1000 + 60 }

const newRoot = (): RootKey => parseRootKey(generateRootKeyText(), 'test')
const holding = (current: RootKey, previous?: RootKey) => new RootKeys({ current, previous })
const refused = (pattern: RegExp) => (error: unknown) => error instanceof RootKeyError && pattern.test(error.message)
const quietly = () => undefined

const seed = async (db: Database, roots: RootKeys, count: number): Promise<DataKey[]> => {
  const keyring = new Keyring({ db, roots })
  await keyring.establish()
  return Promise.all(Array.from({ length: count }, () => keyring.ensure(db.pool, 'project-data', randomUUID())))
}

/** Reads everything through the database, with nothing in memory. */
const assertAllOpen = async (db: Database, roots: RootKeys, keys: readonly DataKey[]): Promise<void> => {
  const keyring = new Keyring({ db, roots })
  await keyring.establish()
  const found = await Promise.all(keys.map(({ id }) => keyring.byId(db.pool, id)))
  found.forEach(({ secret }, index) => assert.ok(keys[index]?.secret.equals(secret)))
}

const countByRoot = async (db: Database): Promise<Record<string, number>> => {
  const rows = await db.pool
    .selectFrom('keys')
    .select(['rootKeyId', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('rootKeyId')
    .execute()
  return Object.fromEntries(rows.map(({ rootKeyId, count }) => [rootKeyId, count]))
}

const untilOneWaits = async (client: pg.Client): Promise<void> => {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount === 1) return
    await sleep(5)
  }
  assert.fail('nobody waits')
}

describe('rotating the root key', () => {
  test('loses nothing while two servers make and use keys and two commands rewrap at once', async () => {
    const { db, url } = await openTestDatabase()
    const other = openDatabase(url)
    after(() => other.close())
    const [previousRoot, current] = [newRoot(), newRoot()]
    const keys = await seed(db, holding(previousRoot), KEYS)
    const servers = [db, other].map((pool) => {
      const keyring = new Keyring({ db: pool, roots: holding(current, previousRoot) })
      return { pool, keyring, signer: new TokenSigner({ db: pool, keyring }) }
    })
    const [server] = servers
    assert.ok(server)
    const token = await server.signer.sign({ jti: 'before' }, LIFETIME)
    const clientKey = await server.keyring.ensure(db.pool, 'client-secret-hmac', null)
    const code = secretCode(clientKey, 'client secret', [])

    let isDone = false
    let rounds = 0
    const work = servers.map(async ({ pool, keyring, signer }) => {
      do {
        rounds++
        keys.push(await keyring.ensure(pool.pool, 'project-data', randomUUID()))
        keys.push(await pool.transaction((tx) => keyring.ensure(tx, 'project-data', randomUUID())))
        // As a process that has just started: nothing in memory.
        const fresh = new Keyring({ db: pool, roots: holding(current, previousRoot) })
        const { id } = keys[rounds % keys.length] ?? assert.fail()
        await fresh.byId(pool.pool, id)
        assert.equal((await new TokenSigner({ db: pool, keyring: fresh }).verify(token, NOW_MS))['jti'], 'before')
        assert.equal((await signer.verify(token, NOW_MS))['jti'], 'before')
        const secret = await fresh.active(pool.pool, 'client-secret-hmac', null)
        assert.ok(isSameCode(secretCode(secret, 'client secret', []), code))
      } while (!isDone)
    })
    await Promise.all(
      [db, other].map((pool) => rewrapAll({ db: pool, newRoot: current, previousRoot, report: quietly })),
    )
    isDone = true
    await Promise.all(work)

    assert.deepEqual(await countByRoot(db), { [current.id]: keys.length + 2 })
    await assertAllOpen(db, holding(current), keys)
    assert.equal((await server.signer.verify(token, NOW_MS))['jti'], 'before')
    const client = await connectTo(url)
    after(() => client.end())
    await assert.rejects(verifyRootKey(client, holding(previousRoot)), refused(/is no longer accepted/))
    await verifyRootKey(client, holding(current))
  })

  test('goes on where it was stopped', async () => {
    const { db } = await openTestDatabase()
    const [previousRoot, current] = [newRoot(), newRoot()]
    const keys = await seed(db, holding(previousRoot), KEYS)
    const stop = () => {
      throw new Error('stopped')
    }
    await assert.rejects(rewrapAll({ db, newRoot: current, previousRoot, report: stop }), /stopped/)
    assert.deepEqual(await countByRoot(db), { [previousRoot.id]: KEYS - 100, [current.id]: 100 })

    await assertAllOpen(db, holding(current, previousRoot), keys)
    await assert.rejects(assertAllOpen(db, holding(current), keys), refused(/Some keys are still under/))
    await assert.rejects(assertAllOpen(db, holding(previousRoot), keys), refused(/is being replaced/))
    const third = rewrapAll({ db, newRoot: newRoot(), previousRoot: current, report: quietly })
    await assert.rejects(third, refused(/Some keys are still under/))

    const reports: string[] = []
    await rewrapAll({ db, newRoot: current, previousRoot, report: (line) => reports.push(line) })
    assert.equal(reports.at(-2), `${KEYS - 100} keys rewrapped`)
    await assertAllOpen(db, holding(current), keys)
    await rewrapAll({ db, newRoot: current, previousRoot, report: quietly })
    await assertAllOpen(db, holding(current), keys)
  })

  test('can be followed by another', async () => {
    const { db } = await openTestDatabase()
    const [first, second, third] = [newRoot(), newRoot(), newRoot()]
    const keys = await seed(db, holding(first), 3)
    await rewrapAll({ db, newRoot: second, previousRoot: first, report: quietly })
    await rewrapAll({ db, newRoot: third, previousRoot: second, report: quietly })
    await assertAllOpen(db, holding(third), keys)
    const back = rewrapAll({ db, newRoot: first, previousRoot: third, report: quietly })
    await assert.rejects(back, refused(/has been retired/))
  })

  test('stops at a key that was changed, and keeps the previous root key', async () => {
    const { db } = await openTestDatabase()
    const [previousRoot, current] = [newRoot(), newRoot()]
    const [key] = await seed(db, holding(previousRoot), 1)
    assert.ok(key)
    await db.pool.updateTable('keys').set({ purpose: 'other' }).where('id', '=', key.id).execute()
    const rewrapping = rewrapAll({ db, newRoot: current, previousRoot, report: quietly })
    await assert.rejects(rewrapping, refused(new RegExp(`The key ${key.id} in the database was changed`)))

    await db.pool.updateTable('keys').set({ purpose: 'project-data' }).where('id', '=', key.id).execute()
    await rewrapAll({ db, newRoot: current, previousRoot, report: quietly })
    await assertAllOpen(db, holding(current), [key])
  })

  test('refuses root keys that are not the database’s, and changes nothing', async () => {
    const { db } = await openTestDatabase()
    const root = newRoot()
    await seed(db, holding(root), 2)
    const rewrapping = rewrapAll({ db, newRoot: newRoot(), previousRoot: newRoot(), report: quietly })
    await assert.rejects(rewrapping, refused(/is not the one this database was written with/))
    assert.deepEqual(await countByRoot(db), { [root.id]: 2 })
  })

  test('a key that is being made when it begins comes under the new root key', async () => {
    const { db, url } = await openTestDatabase()
    const client = await connectTo(url)
    after(() => client.end())
    const [previousRoot, current] = [newRoot(), newRoot()]
    await seed(db, holding(previousRoot), 0)
    const keyring = new Keyring({ db, roots: holding(current, previousRoot) })

    const { making } = await db.transaction(async (tx) => {
      await store.lockAll(tx)
      await store.updateState(tx, previousRoot.id, 'retiring')
      await store.insertActive(tx, { id: current.id, checkValue: checkValueOf(current) })
      const other = openDatabase(url)
      after(() => other.close())
      const making = new Keyring({ db: other, roots: holding(current, previousRoot) }).ensure(other.pool, 'a', null)
      await untilOneWaits(client)
      return { making }
    })
    assert.ok((await making).secret.equals((await keyring.active(db.pool, 'a', null)).secret))
    assert.deepEqual(await countByRoot(db), { [current.id]: 1 })
  })

  test('a server that was given the old root key alone makes no key under it any more', async () => {
    const { db } = await openTestDatabase()
    const [previousRoot, current] = [newRoot(), newRoot()]
    const late = new Keyring({ db, roots: holding(previousRoot) })
    await late.establish()
    await rewrapAll({ db, newRoot: current, previousRoot, report: quietly })
    await assert.rejects(late.ensure(db.pool, 'project-data', randomUUID()), { kind: 'unavailable' })
    assert.deepEqual(await countByRoot(db), {})
  })
})

describe('the rotation command', () => {
  test('asks for both keys when they are configured', async () => {
    const { db } = await openTestDatabase()
    const [previousRootKey, rootKey] = [generateRootKeyText(), generateRootKeyText()]
    const keys = await seed(db, await loadRootKeys({ rootKey: previousRootKey }), 2)
    const alone = rotateRootKey({ db, settings: { rootKey: previousRootKey }, report: quietly })
    await assert.rejects(alone, refused(/set HOLDFAST_ROOT_KEY to a new key and HOLDFAST_ROOT_KEY_PREVIOUS/))

    const reports: string[] = []
    await rotateRootKey({ db, settings: { rootKey, previousRootKey }, report: (line) => reports.push(line) })
    assert.match(reports.at(-1) ?? '', /remove HOLDFAST_ROOT_KEY_PREVIOUS/)
    await assertAllOpen(db, await loadRootKeys({ rootKey }), keys)
  })

  test('replaces the key that the data directory keeps, under a running server, also when run twice at once', async () => {
    const { db, url } = await openTestDatabase()
    const other = openDatabase(url)
    const generateIn = await mkdtemp(path.join(os.tmpdir(), 'holdfast-rotation-'))
    after(async () => {
      await other.close()
      await rm(generateIn, { recursive: true })
    })
    const settings: RootKeySettings = { generateIn }
    const keys = await seed(db, await loadRootKeys(settings), 150)
    const running = new Keyring({ db, roots: await loadRootKeys(settings) })
    const old = (await loadRootKeys(settings)).current

    await Promise.all([db, other, db].map((pool) => rotateRootKey({ db: pool, settings, report: quietly })))
    assert.deepEqual(await readdir(generateIn), ['root.key'])
    assert.notEqual((await loadRootKeys(settings)).current.id, old.id)
    keys.push(await running.ensure(db.pool, 'project-data', randomUUID()))
    for (const key of keys) assert.ok((await running.byId(db.pool, key.id)).secret.equals(key.secret))
    await assertAllOpen(db, await loadRootKeys(settings), keys)
  })

  test('leaves the kept key alone when it is not the database’s', async () => {
    const { db } = await openTestDatabase()
    const generateIn = await mkdtemp(path.join(os.tmpdir(), 'holdfast-rotation-'))
    after(() => rm(generateIn, { recursive: true }))
    await seed(db, holding(newRoot()), 1)
    const { current } = await loadRootKeys({ generateIn })
    const rotation = rotateRootKey({ db, settings: { generateIn }, report: quietly })
    await assert.rejects(rotation, refused(/is not the one this database was written with/))
    assert.equal((await loadRootKeys({ generateIn })).current.id, current.id)
    assert.deepEqual(await readdir(generateIn), ['root.key'])
  })
})
