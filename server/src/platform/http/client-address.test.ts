import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { endpoints } from './endpoint.ts'
import type { Routes } from './route.ts'

const Origin = z.object({ ip: z.string(), userAgent: z.string(), requestId: z.string() })
const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const routes: Routes = (app) => {
  app.get('/origin', endpoint('getOrigin', { response: { 200: Origin } }), ({ origin }) => origin)
}

const originSeen = async (trustedProxyCidrs: string[], remoteAddress: string, headers: Record<string, string> = {}) => {
  const app = await httpApp(routes, { trustedProxyCidrs })
  const response = await app.inject({ url: '/origin', remoteAddress, headers })
  await app.close()
  return Origin.parse(response.json())
}

describe('the address of the client', () => {
  for (const [why, trusted, peer, forwarded, expected] of [
    ['is that of the socket', [], '203.0.113.9', undefined, '203.0.113.9'],
    ['ignores a header when no proxy is configured', [], '203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['ignores a header from someone else', ['10.0.0.0/8'], '203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['is what the trusted proxy saw', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is the rightmost untrusted hop', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    ['skips further trusted hops', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 2.2.2.2, 10.9.9.9', '2.2.2.2'],
    ['is the leftmost if all are trusted', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['stops before garbage', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, garbage, 10.0.0.2', '10.0.0.2'],
    ['is the proxy when the header is garbage', ['10.0.0.0/8'], '10.0.0.1', 'unknown', '10.0.0.1'],
    ['is the proxy when a hop is empty', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1,', '10.0.0.1'],
    ['takes no hop with a port', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1:80', '10.0.0.1'],
    ['takes no octal hop', ['10.0.0.0/8'], '10.0.0.1', '0177.0.0.1', '10.0.0.1'],
    ['is IPv4 when the socket is mapped', [], '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['trusts a mapped proxy', ['10.0.0.0/8'], '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is IPv4 when a hop is mapped', ['10.0.0.0/8'], '10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['has one spelling in IPv6', ['10.0.0.0/8'], '10.0.0.1', '2001:DB8:0:0::1', '2001:db8::1'],
    ['has no zone', [], 'fe80::1%eth0', undefined, 'fe80::1'],
  ] as const) {
    test(why, async () => {
      const origin = await originSeen(
        [...trusted],
        peer,
        forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      )
      assert.equal(origin.ip, expected)
    })
  }

  test('a walk over thousands of trusted hops is bounded', async () => {
    const forwarded = `1.1.1.1,${Array.from({ length: 1000 }, () => '10.0.0.2').join(',')}`
    assert.equal((await originSeen(['10.0.0.0/8'], '10.0.0.1', { 'x-forwarded-for': forwarded })).ip, '10.0.0.2')
  })

  test('a list of proxies with a mistake is refused at the start', async () => {
    await assert.rejects(httpApp(routes, { trustedProxyCidrs: ['10.0.0.0/8abc'] }), /10\.0\.0\.0\/8abc/)
  })
})

test('the user agent is cut to a bound and may be missing', async () => {
  assert.equal((await originSeen([], '1.1.1.1', { 'user-agent': 'x'.repeat(5000) })).userAgent.length, 512)
  assert.equal((await originSeen([], '1.1.1.1', { 'user-agent': '' })).userAgent, '')
})
