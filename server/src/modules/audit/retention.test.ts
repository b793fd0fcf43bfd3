import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openAuditLog } from '../../../test/audit-fixture.ts'
import { openTestDatabase } from '../../../test/test-database.ts'
import { TamperedError } from './chain.ts'
import { AuditRetention } from './retention.ts'
import { verifyAuditLog } from './verify.ts'

const DAY_MS = 86_400_000

const { db } = await openTestDatabase()
const { keyring, sealer, sealRows } = await openAuditLog(db)

/** As it will run that many days from now. */
const retention = (retentionDays: number, daysLater: number) =>
  new AuditRetention({ db, keyring, retentionDays, clock: { now: () => Date.now() + daysLater * DAY_MS } })

const verify = () => verifyAuditLog({ db, keyring })

/** Rows that were written long ago: made old before they are sealed. */
const sealOldRows = async (count: number, days: number): Promise<void> => {
  await sql`insert into audit_logs (id, created_at, event_type, event_metadata, actor_type, actor_metadata, result)
    select gen_random_uuid(), now() - ${days} * interval '1 day', 'old', '{}', 'platform', '{}', 'success'
    from generate_series(1, ${count}::integer)`.execute(db.pool)
  await sealer.run()
}

describe('retention', () => {
  test('removes nothing from an empty log', () => retention(1, 10).run())

  test('removes what is older than its days, and the rest is still a chain', async () => {
    await sealOldRows(1_500, 40)
    await sealOldRows(20, 20)
    await sealRows(10)
    await retention(30, 0).run()
    const verdict = await verify()
    assert.deepEqual([verdict.fault, verdict.rows, verdict.basePosition], [undefined, 30, 1_500])
  })

  test('does nothing when nothing is old enough', async () => {
    await retention(30, 0).run()
    assert.equal((await verify()).basePosition, 1_500)
  })

  test('removes from the old end only, though a later row be older', async () => {
    await sealOldRows(1, 100)
    await retention(30, 0).run()
    assert.deepEqual([(await verify()).fault, (await verify()).rows], [undefined, 31])
  })

  test('leaves evidence alone: a row that was edited or removed is never taken for old', async () => {
    const { rows } = await sql<{ seq: number }>`select min(seq) as seq from audit_logs`.execute(db.pool)
    const seq = rows[0]?.seq ?? 0
    await sql`update audit_logs set created_at = created_at - interval '50 days' where seq = ${seq}`.execute(db.pool)
    await assert.rejects(retention(30, 0).run(), TamperedError)
    assert.deepEqual([(await verify()).fault?.kind, (await verify()).fault?.position], ['row-edited', 1_501])
    await sql`update audit_logs set created_at = created_at + interval '50 days' where seq = ${seq}`.execute(db.pool)
    assert.equal((await verify()).fault, undefined)
  })

  test('can remove everything, and the log goes on', async () => {
    await retention(30, 60).run()
    assert.deepEqual([(await verify()).fault, (await verify()).rows], [undefined, 0])
    await sealRows(3)
    const verdict = await verify()
    assert.deepEqual([verdict.fault, verdict.rows, verdict.head?.position], [undefined, 3, 1_534])
  })
})
