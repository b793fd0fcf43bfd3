import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { ACTOR, openAuditLog, ORGANIZATION_ID } from '../../../test/audit-fixture.ts'
import { openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import { AuditLog } from './audit.service.ts'

const { db, url } = await openTestDatabase()
const { audit } = await openAuditLog(db)

const rowsOf = (eventType: string) =>
  db.pool.selectFrom('auditLogs').selectAll().where('eventType', '=', eventType).orderBy('seq').execute()

describe('record', () => {
  test('commits with the change, every column filled', async () => {
    const projectId = newId()
    await db.transaction((tx) =>
      audit.record(tx, ACTOR, { type: 'create-secret', metadata: { environment: 'dev', tags: ['a'] }, projectId }),
    )
    const [row] = await rowsOf('create-secret')
    const { seq, id, xid, createdAt, actorId, actorMetadata, ...rest } = row ?? {}
    assert.ok(seq && id && xid && actorId && actorMetadata)
    assert.ok(createdAt && Math.abs(createdAt.getTime() - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      organizationId: ORGANIZATION_ID,
      projectId,
      eventType: 'create-secret',
      eventMetadata: { environment: 'dev', tags: ['a'] },
      actorType: 'identity',
      ipAddress: '203.0.113.7',
      userAgent: 'cli',
      userAgentType: 'cli',
      requestId: 'req-00000000000000',
      result: 'success',
    })
  })

  test('leaves nothing when the change is rolled back', async () => {
    const change = db.transaction(async (tx) => {
      await audit.record(tx, ACTOR, { type: 'rolled-back', metadata: {} })
      throw new Error('changed my mind')
    })
    await assert.rejects(change, /changed my mind/)
    assert.deepEqual(await rowsOf('rolled-back'), [])
  })

  test('takes several events at once, in order', async () => {
    const events = [1, 2, 3].map((number) => ({ type: 'several', metadata: { number } }))
    await db.transaction((tx) => audit.record(tx, ACTOR, ...events))
    await db.transaction((tx) => audit.record(tx, ACTOR))
    assert.deepEqual(
      (await rowsOf('several')).map(({ eventMetadata }) => eventMetadata),
      [{ number: 1 }, { number: 2 }, { number: 3 }],
    )
  })
})

describe('note', () => {
  test('a thousand at once are all durable after few statements', async () => {
    const notes = Array.from({ length: 1_000 }, (_, number) =>
      audit.note(ACTOR, { type: 'many', metadata: { number } }),
    )
    await Promise.all(notes)
    const rows = await rowsOf('many')
    assert.equal(new Set(rows.map(({ eventMetadata }) => JSON.stringify(eventMetadata))).size, 1_000)
    assert.ok(new Set(rows.map(({ xid }) => xid)).size <= 3)
  })

  test('is stored when it resolves', async () => {
    for (const number of [1, 2, 3]) {
      await audit.note(ACTOR, { type: 'one-by-one', metadata: { number } })
      assert.equal((await rowsOf('one-by-one')).length, number)
    }
  })

  test('stores what JSON can say and PostgreSQL cannot, as far as possible', async () => {
    await audit.note(ACTOR, { type: 'odd', metadata: { name: 'a\0b\ud800', nothing: undefined, at: new Date(0) } })
    const [row] = await rowsOf('odd')
    assert.deepEqual(row?.eventMetadata, { name: 'a\ufffdb\ufffd', at: '1970-01-01T00:00:00.000Z' })
  })

  test('fails for the one whose ids are none, and for nobody else', async () => {
    const results = await Promise.allSettled([
      audit.note(ACTOR, { type: 'mixed', metadata: {} }),
      audit.note(ACTOR, { type: 'mixed', metadata: {}, projectId: 'not-an-id' }),
      audit.note(ACTOR, { type: 'mixed', metadata: {} }),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((await rowsOf('mixed')).length, 2)
  })

  test('rejects when the log cannot be written, so that a read fails closed', async () => {
    const other = openDatabase(url, 2, { statementTimeoutMs: 100 })
    const blocked = new AuditLog({ db: other, clock: Date })
    await db.transaction(async (tx) => {
      await sql`lock table audit_logs in exclusive mode`.execute(tx)
      await assert.rejects(
        blocked.note(ACTOR, { type: 'blocked', metadata: {} }),
        (error) => error instanceof AppError && error.kind === 'unavailable',
      )
    })
    await other.close()
    assert.deepEqual(await rowsOf('blocked'), [])
  })
})
