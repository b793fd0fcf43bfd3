import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { httpApp } from '../../../../test/http-app.ts'
import { OpenSsl } from '../../../../test/openssl.ts'
import { openTestDatabase } from '../../../../test/test-database.ts'
import { RevocationBench, serialsOn } from '../../../../test/test-revocations.ts'
import { newId } from '../../../lib/uuid.ts'
import { newSerialNumber } from '../x509/certificate.ts'
import { publishedListLegacyRoutes } from './published-lists.legacy-routes.ts'
import { publishedListRoutes } from './published-lists.routes.ts'
import { PublishedLists } from './published-lists.service.ts'

const { db, url } = await openTestDatabase()
const bench = await RevocationBench.start(db, url)
const openssl = new OpenSsl()
const lists = new PublishedLists(bench.deps)
const app = await httpApp(async (instance) => {
  await publishedListRoutes(lists)(instance)
  await publishedListLegacyRoutes(lists)(instance)
})
after(() => app.close())

const ca = await bench.authority()
const PATH = `/api/v1/cert-manager/crl/${ca.listId}`
const get = (path: string, headers: Record<string, string> = {}) => app.inject({ url: path, headers })

describe('GET /api/v1/cert-manager/crl/:crlId', () => {
  for (const path of [`${PATH}/der`, PATH, `/api/v1/pki/crl/${ca.listId}`, `/api/v1/pki/crl/${ca.listId}/der`]) {
    test(`200 with the DER at ${path.replace(ca.listId, ':crlId')}`, async () => {
      const { statusCode, headers, rawPayload } = await get(path)
      assert.equal(statusCode, 200)
      assert.equal(headers['content-type'], 'application/pkix-crl')
      assert.deepEqual(rawPayload, (await bench.list(ca)).der)
      assert.equal(headers['cache-control'], 'public, max-age=3600')
      assert.ok(Date.now() - Date.parse(String(headers['last-modified'])) < 120_000)
    })
  }

  test('200 with PEM that openssl reads', async () => {
    const { statusCode, headers, payload } = await get(`${PATH}/pem`)
    assert.deepEqual([statusCode, headers['content-type']], [200, 'application/x-pem-file'])
    const { isOk, output } = await openssl.run(['crl', '-in', 'l.pem', '-noout', '-crlnumber'], { 'l.pem': payload })
    assert.ok(isOk && output.includes('crlNumber=0x01'), output)
  })

  test('200 with the delta', async () => {
    const { statusCode, rawPayload } = await get(`${PATH}/delta`)
    assert.deepEqual([statusCode, rawPayload], [200, (await bench.list(ca)).deltaDer])
  })

  test('304 for whoever holds it, until something is revoked', async () => {
    const tag = String((await get(`${PATH}/der`)).headers.etag)
    const held = await get(`${PATH}/der`, { 'if-none-match': tag })
    assert.deepEqual([held.statusCode, held.rawPayload.length], [304, 0])
    assert.equal((await get(`${PATH}/delta`, { 'if-none-match': tag })).statusCode, 200)

    const serialNumber = newSerialNumber()
    await bench.revoke(ca, { serialNumber })
    const fresh = await get(`${PATH}/der`, { 'if-none-match': tag })
    assert.equal(fresh.statusCode, 200)
    assert.deepEqual(serialsOn(fresh.rawPayload), [serialNumber])
  })

  test('may be kept for no longer than it is valid', async () => {
    const other = await bench.authority()
    const sevenDays = 7 * 24 * 60 * 60_000
    bench.clock.advance(sevenDays - 100_000)
    const { headers } = await get(`/api/v1/cert-manager/crl/${other.listId}/der`)
    const seconds = Number(/max-age=(\d+)/.exec(String(headers['cache-control']))?.[1])
    assert.ok(seconds > 60 && seconds <= 100, String(seconds))
  })

  for (const id of [newId(), 'nonsense', ca.listId.toUpperCase(), '%00', 'x'.repeat(99)]) {
    test(`404 or 422 for ${id}`, async () => {
      for (const form of ['/der', '', '/pem', '/delta']) {
        const { statusCode } = await get(`/api/v1/cert-manager/crl/${id}${form}`)
        assert.ok([404, 422].includes(statusCode), String(statusCode))
      }
    })
  }
})
