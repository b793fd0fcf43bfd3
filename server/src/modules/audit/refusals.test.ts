import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDatabase } from '../../../test/test-database.ts'
import { AuditLog } from './audit.service.ts'
import { type CountedRefusal, RefusalWindow } from './refusal-window.ts'

const { db } = await openTestDatabase()
const POLLS_MAX = 500

const rows = () =>
  db.pool.selectFrom('auditLogs').selectAll().where('eventType', '=', 'refuse-request').orderBy('seq').execute()
const clear = () => db.pool.deleteFrom('auditLogs').execute()

const refusal = (ip: string, route = '/api/v1/thing', error = 'TokenError') => ({
  origin: { ip, userAgent: 'curl', requestId: 'req-1' },
  ...{ method: 'GET', route, statusCode: 403, error },
})

describe('refusals of nobody known', () => {
  test('are one row with a count for each address, route and error', async () => {
    const audit = new AuditLog({ db, clock: Date })
    for (let count = 0; count < 50; count++) audit.refusedAnonymously(refusal('192.0.2.1'))
    audit.refusedAnonymously(refusal('192.0.2.2'))
    audit.refusedAnonymously(refusal('192.0.2.1', '/api/v1/other'))
    audit.refusedAnonymously(refusal('192.0.2.1', '/api/v1/thing', 'UnauthorizedError'))
    await audit.close()

    const found = await rows()
    assert.deepEqual(
      found.map(({ ipAddress, eventMetadata }) => [ipAddress, 'count' in eventMetadata && eventMetadata.count]),
      [
        ['192.0.2.1', 50],
        ['192.0.2.2', 1],
        ['192.0.2.1', 1],
        ['192.0.2.1', 1],
      ],
    )
    const { actorType, result, organizationId, eventMetadata } = found[0] ?? assert.fail()
    assert.deepEqual([actorType, result, organizationId], ['unknownUser', 'refused', null])
    assert.deepEqual(Object.keys(eventMetadata).sort(), [
      ...['count', 'error', 'firstAt', 'lastAt', 'method', 'route', 'statusCode'],
    ])
    await clear()
  })

  test('from any number of addresses are few rows, and all are counted', async () => {
    const audit = new AuditLog({ db, clock: Date })
    for (let address = 0; address < 5_000; address++)
      audit.refusedAnonymously(refusal(`10.0.${address >> 8}.${address & 255}`))
    await audit.close()
    const found = await rows()
    const counts = found.map(({ eventMetadata }) => Number('count' in eventMetadata && eventMetadata.count))
    assert.ok(found.length <= 110)
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      5_000,
    )
    assert.deepEqual([found.at(-1)?.ipAddress, counts.at(-1)], [null, 4_900])
    await clear()
  })

  test('are written when the window ends', async () => {
    const audit = new AuditLog({ db, clock: Date, refusalWindowMs: 5 })
    audit.refusedAnonymously(refusal('192.0.2.1'))
    for (let poll = 0; poll < POLLS_MAX && (await rows()).length === 0; poll++) await sleep(5)
    assert.equal((await rows()).length, 1)
    await audit.close()
    await clear()
  })

  test('that cannot be written are counted again for the next window', async () => {
    const written: CountedRefusal[] = []
    let attempts = 0
    const window = new RefusalWindow({
      clock: Date,
      windowMs: 5,
      write: (refusal) => {
        if (++attempts === 1) window.add(refusal)
        return attempts === 1 ? Promise.reject(new Error('away')) : Promise.resolve(void written.push(refusal))
      },
    })
    window.add(refusal('192.0.2.1'))
    for (let poll = 0; poll < POLLS_MAX && written.length === 0; poll++) await sleep(5)
    assert.deepEqual(
      written.map(({ count }) => count),
      [2],
    )
    await window.close()
  })
})
