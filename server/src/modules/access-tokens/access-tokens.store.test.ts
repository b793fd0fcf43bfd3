import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { openTestDatabase } from '../../../test/test-database.ts'
import * as store from './access-tokens.store.ts'

const { db } = await openTestDatabase()

const NOW = Date.UTC(2026, 0, 1)
const at = (seconds: number) => new Date(NOW + seconds * 1000)
const PURGED_MAX = 1_000

const take = async (tokenId: string, usesLimit: number, expiresAt = at(60)) => {
  const use = { tokenId, usesLimit, expiresAt, requestId: 'req-1' }
  if (usesLimit > 1 && (await store.takeUseBeforeLast(db.pool, use))) return true
  return db.transaction((tx) => store.takeLastUse(tx, use))
}
const renew = (tokenId: string, usesLimit: number, expiresAt: Date) =>
  db.transaction((tx) => store.noteRenewal(tx, { tokenId, usesLimit, expiresAt, renewedAt: at(0) }))
const revoke = (tokenId: string, expiresAt = at(60)) => db.transaction((tx) => store.revoke(tx, tokenId, expiresAt))
const purge = (seconds: number) => store.deleteExpired(db.pool, at(seconds), PURGED_MAX)

describe('the uses of a token', () => {
  test('are counted down to none', async () => {
    const id = randomUUID()
    const taken = []
    for (let times = 1; times <= 4; times++) taken.push(await take(id, 3))
    assert.deepEqual(taken, [true, true, true, false])
  })

  test('are not given back when it is renewed after its first end', async () => {
    const id = randomUUID()
    assert.ok(await take(id, 2, at(60)))
    assert.ok(await renew(id, 2, at(120)))
    await purge(90)
    assert.ok(await take(id, 2, at(120)))
    assert.ok(!(await take(id, 2, at(120))))
    assert.ok(!(await renew(id, 2, at(180))))
  })

  test('are counted also from a renewal that comes before the first use', async () => {
    const id = randomUUID()
    assert.ok(await renew(id, 1, at(120)))
    assert.ok(await take(id, 1, at(60)))
    await purge(90)
    assert.ok(!(await take(id, 1, at(120))))
  })

  test('end when it is revoked', async () => {
    const id = randomUUID()
    assert.ok(await revoke(id))
    assert.ok(!(await take(id, 5)))
  })
})

describe('a revoked token', () => {
  test('is revoked once and not renewed', async () => {
    const id = randomUUID()
    assert.deepEqual([await revoke(id), await revoke(id), await renew(id, 0, at(120))], [true, false, false])
  })

  test('is remembered until the last that was renewed from it has ended', async () => {
    const id = randomUUID()
    await renew(id, 0, at(120))
    await revoke(id, at(60))
    await purge(90)
    assert.equal(await revoke(id), false)
    await purge(121)
    assert.equal(await revoke(id), true)
  })
})
