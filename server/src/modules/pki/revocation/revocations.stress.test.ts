import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase, openTestDatabase } from '../../../../test/test-database.ts'
import { RevocationBench, serialsOn } from '../../../../test/test-revocations.ts'
import { newSerialNumber } from '../x509/certificate.ts'

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)

describe('many revocations', () => {
  test('at once, of two processes, are each on the list once, and its number only grows', async () => {
    const other = await RevocationBench.start(openDatabase(url, 5), url, bench.signers)
    const ca = await bench.authority()
    const all = Array.from({ length: 1_000 }, () => ({ serialNumber: newSerialNumber() }))
    const numbers: number[] = []
    const stop = new AbortController()
    const watching = (async () => {
      while (!stop.signal.aborted) numbers.push(await bench.listNumber(ca))
    })()
    await Promise.all(all.map((one, index) => (index % 2 === 0 ? bench : other).revoke(ca, one)))
    await Promise.all([bench.revocations.published(ca.caId), other.revocations.published(ca.caId)])
    stop.abort()
    await watching
    await other.revocations.close()
    await other.changes.stop()
    await other.db.close()

    const { number, der, baseNumber } = await bench.list(ca)
    assert.deepEqual(serialsOn(der).toSorted(), all.map(({ serialNumber }) => serialNumber).toSorted())
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, two) => one - two),
    )
    assert.ok(number < 500, `${number} lists for a thousand revocations`)
    assert.ok(baseNumber >= 1)
  })

  test('a hundred thousand and one are on one list', async () => {
    const ca = await bench.authority()
    await sql`
      insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry, listed_in)
      select ${ca.caId}, '5' || md5(i::text), now(), 1, '2100-01-01', decode('3021021005' || repeat('00', 15) || '170d3236313131353035303030305a', 'hex'), 1
      from generate_series(1, 100000) i`.execute(db.pool)
    const serialNumber = newSerialNumber()
    await bench.revoke(ca, { serialNumber })
    await bench.revocations.published(ca.caId)
    const serials = serialsOn((await bench.list(ca)).der)
    assert.equal(serials.length, 100_001)
    assert.ok(serials.includes(serialNumber))
  })
})
