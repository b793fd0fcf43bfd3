import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { ACTOR, openAuditLog } from '../../../test/audit-fixture.ts'
import { connectTo, openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { AuditLog } from './audit.service.ts'
import { requireChainKey, signed, TamperedError } from './chain.ts'
import * as store from './chain.store.ts'
import { AuditSealer } from './sealer.ts'
import { verifyAuditLog } from './verify.ts'

const { db, url } = await openTestDatabase()
const { audit, keyring, sealer, sealRows } = await openAuditLog(db)
const elsewhere = openDatabase(url)
after(() => elsewhere.close())

const secondSealer = new AuditSealer({ db: elsewhere, keyring })
const event = { type: 'create-secret', metadata: {} }

const insertBy = (type: string, count = 1) =>
  `insert into audit_logs (id, event_type, event_metadata, actor_type, actor_metadata, result)
   select gen_random_uuid(), '${type}', '{}', 'platform', '{}', 'success' from generate_series(1, ${count})`

const isSealed = async (eventType: string): Promise<boolean> => {
  const { rows } = await sql<{ sealed: boolean }>`select bool_and(s.position is not null) as sealed
    from audit_logs l left join audit_seals s on s.log_seq = l.seq where l.event_type = ${eventType}`.execute(db.pool)
  return rows[0]?.sealed ?? false
}

const assertSound = async (rows?: number): Promise<void> => {
  const verdict = await verifyAuditLog({ db, keyring })
  assert.deepEqual([verdict.fault, verdict.unsealed], [undefined, 0])
  if (rows !== undefined) assert.equal(verdict.rows, rows)
}

describe('sealing', () => {
  test('does nothing while there is nothing', async () => {
    await sealer.run()
    await assertSound(0)
    assert.equal(await sealer.lagSeconds(), 0)
  })

  test('seals every row once, however often it runs', async () => {
    await sealRows(30)
    await sealer.run()
    await assertSound(30)
  })

  test('seals more rows than fit into one round', async () => {
    await sealRows(1_234)
    await assertSound(1_264)
  })

  test('tells how long the oldest row has waited', async () => {
    await audit.note(ACTOR, event)
    assert.ok((await sealer.lagSeconds()) > 0)
    await sealer.run()
    assert.equal(await sealer.lagSeconds(), 0)
  })

  test('does not wait for a foreign transaction that stays open', async () => {
    const foreign = await connectTo(url)
    await foreign.query('begin')
    await foreign.query('create table foreign_work (id integer)')
    await sealRows(10)
    await sealRows(10)
    await assertSound()
    await foreign.query('rollback')
    await foreign.end()
  })

  test('seals a row whose transaction ends after later ones were sealed', async () => {
    const [early, late] = await Promise.all([connectTo(url), connectTo(url)])
    await early.query('begin')
    await early.query(insertBy('early'))
    await late.query('begin')
    await late.query('select pg_current_xact_id()')
    await sealRows(5)
    await late.query(insertBy('late'))
    await sealRows(5)
    await late.query('commit')
    await sealRows(5)
    assert.deepEqual([await isSealed('early'), await isSealed('late')], [false, true])
    await early.query('commit')
    assert.ok((await sealer.lagSeconds()) > 0)
    await sealer.run()
    assert.ok(await isSealed('early'))
    await assertSound()
    await Promise.all([early.end(), late.end()])
  })

  test('seals a row of a transaction that is younger than the last one that ended', async () => {
    const [older, younger] = await Promise.all([connectTo(url), connectTo(url)])
    await older.query('begin')
    await older.query('select pg_current_xact_id()')
    await younger.query('begin')
    await younger.query(insertBy('younger'))
    await older.query(insertBy('older'))
    await older.query('commit')
    await sealer.run()
    await younger.query('commit')
    await sealer.run()
    assert.deepEqual([await isSealed('older'), await isSealed('younger')], [true, true])
    await Promise.all([older.end(), younger.end()])
  })

  test('seals the rows of one late transaction that are more than fit into one round', async () => {
    const late = await connectTo(url)
    await late.query('begin')
    await late.query(insertBy('bulk', 1_200))
    await sealRows(5)
    await late.query('commit')
    await sealRows(700)
    assert.ok(await isSealed('bulk'))
    await assertSound()
    await late.end()
  })

  test('leaves out a row whose transaction was rolled back', async () => {
    const undone = await connectTo(url)
    await undone.query('begin')
    await undone.query(insertBy('undone'))
    await sealRows(3)
    await undone.query('rollback')
    await sealRows(3)
    await assertSound()
    await undone.end()
  })
})

describe('two sealers at once, while many write', () => {
  test('make one chain that holds every row once', async () => {
    const others = new AuditLog({ db: elsewhere, clock: Date })
    let isWriting = true
    const write = async (number: number): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const pool = number % 2 === 0 ? db : elsewhere
        await pool.transaction(async (tx) => {
          await audit.record(tx, ACTOR, event)
          if (round % 3 === 0) await sql`select pg_sleep(${(number * round) % 7} / 1000.0)`.execute(tx)
          if (round % 5 === 0) await audit.record(tx, ACTOR, event, event)
        })
        await others.note(ACTOR, event)
      }
    }
    const seal = async (one: AuditSealer): Promise<void> => {
      while (isWriting) await one.run()
    }
    const sealing = [seal(sealer), seal(secondSealer)]
    await Promise.all(Array.from({ length: 12 }, (_, number) => write(number)))
    isWriting = false
    await Promise.all(sealing)
    await sealer.run()
    await assertSound()
    const { rows } = await sql<{ rows: number; seals: number }>`
      select (select count(*) from audit_logs) as rows, (select count(*) from audit_seals) as seals`.execute(db.pool)
    assert.equal(rows[0]?.rows, rows[0]?.seals)
  })
})

describe('a database that was restored into another cluster', () => {
  test('is sealed on, although that one counts transactions from lower', async () => {
    await sealRows(5)
    // As if the last sealing had been done there: signed, with numbers that are far ahead of these.
    await db.transaction(async (tx) => {
      const head = await store.lockHead(tx)
      assert.ok(head)
      const key = await requireChainKey(tx, keyring, head)
      const ahead = '90000000000:90000000009:90000000003'
      await store.updateHead(tx, signed(key, { ...head, sealedSnapshot: ahead }))
    })
    await sealRows(5)
    await sealRows(5)
    await assertSound()
  })
})

describe('a chain whose head was changed', () => {
  test('is not sealed on, since that would hide it', async () => {
    await sql`update audit_head set position = position - 1`.execute(db.pool)
    await audit.note(ACTOR, event)
    await assert.rejects(sealer.run(), TamperedError)
    await assert.doesNotReject(sealer.run())
    assert.ok((await sealer.lagSeconds()) > 0)
    await sql`update audit_head set position = position + 1`.execute(db.pool)
    await secondSealer.run()
    await assertSound()
  })

  test('is not begun anew when it is made to look like the first day', async () => {
    await sql`delete from audit_head`.execute(db.pool)
    await sql`insert into audit_head default values`.execute(db.pool)
    await audit.note(ACTOR, event)
    await assert.rejects(secondSealer.run(), TamperedError)
    assert.equal((await verifyAuditLog({ db, keyring })).fault?.kind, 'head-changed')
  })
})
