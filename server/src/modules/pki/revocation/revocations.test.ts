import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { RevocationBench, serialsOn } from '../../../../test/test-revocations.ts'
import { openDatabase, openTestDatabase } from '../../../../test/test-database.ts'
import { newSerialNumber } from '../x509/certificate.ts'
import { Revocations } from './revocations.service.ts'
import * as store from './revocations.store.ts'

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)
const other = openDatabase(url, 1)
after(() => other.close())
const DAY_MS = 24 * 60 * 60_000

const target = (notAfter?: Date) => ({ serialNumber: newSerialNumber(), ...(notAfter && { notAfter }) })
const serials = (all: { serialNumber: string }[]) => all.map(({ serialNumber }) => serialNumber)

describe('the list of an authority', () => {
  test('is there, empty and with the number one, as soon as the authority can sign', async () => {
    const ca = await bench.authority()
    const { number, der, baseNumber } = await bench.list(ca)
    assert.deepEqual([number, baseNumber, serialsOn(der)], [1, 1, []])
  })

  test('is made by the job when the certificate comes later', async () => {
    const ca = await bench.authority()
    await sql`update revocation_lists set number = 0, der = null where id = ${ca.listId}`.execute(db.pool)
    await bench.revocations.job.run()
    assert.equal((await bench.list(ca)).number, 1)
  })

  test('says what was revoked when the call returns, in the order of revoking', async () => {
    const ca = await bench.authority()
    const [first, second] = [target(), target()]
    await bench.revoke(ca, first)
    bench.clock.advance(1_000)
    await bench.revoke(ca, second, 1)
    const { number, der } = await bench.list(ca)
    assert.deepEqual([number, serialsOn(der)], [3, serials([first, second])])
  })

  test('says nothing of a revocation that was rolled back', async () => {
    const ca = await bench.authority()
    const revocation = { caId: ca.caId, ...target(), notAfter: new Date(), revokedAt: new Date(), reason: 0 }
    const failing = db.transaction(async (tx) => {
      await bench.revocations.revoke(tx, revocation)
      throw new Error('no')
    })
    await assert.rejects(failing)
    await bench.revocations.published(ca.caId)
    assert.deepEqual([(await bench.list(ca)).number], [1])
  })

  test('is not made anew when nothing has changed', async () => {
    const ca = await bench.authority()
    await bench.revocations.published(ca.caId)
    await bench.revocations.job.run()
    assert.equal((await bench.list(ca)).number, 1)
  })

  test('is made anew by the job at half its life, and its base moves on when it is as old as a list may be', async () => {
    const ca = await bench.authority()
    bench.clock.advance(2 * DAY_MS)
    await bench.revocations.job.run()
    assert.equal((await bench.list(ca)).number, 1)
    bench.clock.advance(1.6 * DAY_MS)
    await bench.revocations.job.run()
    assert.deepEqual([(await bench.list(ca)).number, (await bench.list(ca)).baseNumber], [2, 1])
    bench.clock.advance(3.6 * DAY_MS)
    await bench.revocations.job.run()
    assert.deepEqual([(await bench.list(ca)).number, (await bench.list(ca)).baseNumber], [3, 3])
  })

  test('drops what has expired, after one list made since has said it', async () => {
    const ca = await bench.authority()
    const [short, long] = [target(new Date(bench.clock.now() + 1_000)), target()]
    await bench.revoke(ca, short)
    bench.clock.advance(10_000)
    await bench.revoke(ca, long)
    assert.deepEqual(serialsOn((await bench.list(ca)).der), serials([short, long]))
    const expired = target(new Date(bench.clock.now() - DAY_MS))
    bench.clock.advance(1_000)
    await bench.revoke(ca, expired)
    assert.deepEqual(serialsOn((await bench.list(ca)).der), serials([long, expired]))
    await bench.revoke(ca, target())
    assert.ok(!serialsOn((await bench.list(ca)).der).includes(expired.serialNumber))
  })

  test('stays as it was when its authority is deleted', async () => {
    const ca = await bench.authority()
    await bench.revoke(ca, target())
    const before = await bench.list(ca)
    await sql`delete from certificate_authorities where id = ${ca.caId}`.execute(db.pool)
    await bench.revocations.published(ca.caId)
    await bench.revocations.job.run()
    assert.deepEqual(await bench.list(ca), before)
    assert.deepEqual(await bench.revocations.lists(ca.caId), [])
  })

  test('does not keep anyone waiting for longer than a second when it cannot be made', async () => {
    const ca = await bench.authority()
    const held = await db.pool.startTransaction().execute()
    await sql`select from revocation_lists where id = ${ca.listId} for update`.execute(held)
    const beganAt = performance.now()
    await bench.revoke(ca, target())
    assert.ok(performance.now() - beganAt < 1_500)
    await held.rollback().execute()
    await bench.revocations.published(ca.caId)
    assert.equal(serialsOn((await bench.list(ca)).der).length, 1)
  })
})

describe('a hold', () => {
  test('that is lifted is gone from the full list, and the delta says so until the base has moved on', async () => {
    const ca = await bench.authority()
    const [held, other] = [target(), target()]
    await bench.revoke(ca, held, 6)
    await bench.release(ca, held)
    await bench.revoke(ca, other)
    const { der, deltaDer } = await bench.list(ca)
    assert.deepEqual(serialsOn(der), serials([other]))
    assert.deepEqual(serialsOn(deltaDer).toSorted(), serials([held, other]).toSorted())
    assert.ok(deltaDer.includes(Buffer.from('0603551d1504030a0108', 'hex')), 'removeFromCRL')

    bench.clock.advance(8 * DAY_MS)
    await bench.revocations.job.run()
    const later = await bench.list(ca)
    assert.deepEqual([serialsOn(later.der), serialsOn(later.deltaDer)], [serials([other]), []])
    const { rows } = await sql`select from revocations where serial_number = ${held.serialNumber}`.execute(db.pool)
    assert.equal(rows.length, 0)
  })

  test('may become a revocation, and a reason may become a worse one', async () => {
    const ca = await bench.authority()
    const one = target()
    await bench.revoke(ca, one, 6)
    await bench.release(ca, one)
    await bench.revoke(ca, one, 4)
    await bench.revoke(ca, one, 1)
    const { der } = await bench.list(ca)
    assert.deepEqual(serialsOn(der), serials([one]))
    assert.ok(der.includes(Buffer.from('0603551d1504030a0101', 'hex')), 'keyCompromise')
  })
})

describe('a list that is being made', () => {
  test('still says what is changed meanwhile, as the full list and as the delta', async () => {
    const ca = await bench.authority()
    const one = target()
    await bench.revoke(ca, one, 4)
    const { full, delta } = await db.transaction(async (tx) => {
      await store.takeUnlisted(tx, ca.caId, 3)
      // On a connection of its own: another request, that commits in between.
      await sql`update revocations set listed_in = null where serial_number = ${one.serialNumber}`.execute(other.pool)
      return store.joinEntries(tx, ca.caId, { number: 3, since: new Date(0), base: 1, deltaMax: 10 })
    })
    assert.ok(full?.includes(Buffer.from(one.serialNumber, 'hex')))
    assert.ok(delta?.includes(Buffer.from(one.serialNumber, 'hex')))
  })

  test('has no delta when there would be more in it than is worth while', async () => {
    const ca = await bench.authority()
    for (const one of [target(), target(), target()]) await bench.revoke(ca, one)
    const scope = { number: 9, since: new Date(0), base: 1, deltaMax: 2 }
    const { deltaCount } = await db.transaction((tx) => store.joinEntries(tx, ca.caId, scope))
    assert.equal(deltaCount, 3)
  })
})

describe('a process that ended too early', () => {
  test('leaves nothing unsaid: the job of another makes the list', async () => {
    const ca = await bench.authority()
    const never = () => new Promise<undefined>(() => undefined)
    const crashed = new Revocations({ ...bench.deps, signers: { signer: never, signerIn: never } })
    const one = target()
    const revocation = { caId: ca.caId, ...one, notAfter: new Date('2100-01-01'), revokedAt: new Date(), reason: 0 }
    await db.transaction((tx) => crashed.revoke(tx, revocation))
    assert.equal((await bench.list(ca)).number, 1)
    await bench.revocations.job.run()
    assert.deepEqual(serialsOn((await bench.list(ca)).der), serials([one]))
  })
})
