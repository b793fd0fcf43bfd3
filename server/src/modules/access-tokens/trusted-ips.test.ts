import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isRestricted, parseTrustedIps, trustedIpMatcher } from './trusted-ips.ts'

describe('a trusted IP entry', () => {
  const cases: [text: string, expected: object][] = [
    ['192.168.1.7', { type: 'ipv4', ipAddress: '192.168.1.7' }],
    ['10.1.2.3/8', { type: 'ipv4', prefix: 8, ipAddress: '10.1.2.3' }],
    ['0.0.0.0/0', { type: 'ipv4', prefix: 0, ipAddress: '0.0.0.0' }],
    ['::/0', { type: 'ipv6', prefix: 0, ipAddress: '::' }],
    ['2001:DB8::/32', { type: 'ipv6', prefix: 32, ipAddress: '2001:DB8::' }],
    ['192.168.1.7/32', { type: 'ipv4', prefix: 32, ipAddress: '192.168.1.7' }],
  ]
  for (const [text, expected] of cases) {
    test(`'${text}' is kept as it was written`, () => assert.deepEqual(parseTrustedIps([text]), [expected]))
  }

  for (const text of ['', 'not-an-ip', '10.0.0.0/33', '10.0.0.0/8abc', '10.0.0.0/8/9', '10.0.0/8', 'fe80::1%eth0']) {
    test(`'${text}' is refused`, () => {
      assert.throws(() => parseTrustedIps([text]), { kind: 'bad-request' })
    })
  }

  test('keeps its place in the list, also when it comes twice', () => {
    const texts = ['10.0.0.2', '10.0.0.1', '10.0.0.2']
    assert.deepEqual(
      parseTrustedIps(texts).map(({ ipAddress }) => ipAddress),
      texts,
    )
  })
})

describe('a list of trusted IPs', () => {
  const admits = (texts: string[], ip: string) => trustedIpMatcher(parseTrustedIps(texts))(ip)

  test('admits what is inside one of its ranges', () => {
    assert.ok(admits(['192.168.1.7', '10.1.2.3/8'], '10.200.0.1'))
    assert.ok(admits(['192.168.1.7'], '192.168.1.7'))
    assert.ok(!admits(['192.168.1.7', '10.1.2.3/8'], '11.0.0.1'))
    assert.ok(!admits(['0.0.0.0/0'], '2001:db8::1'))
  })

  test('admits every address, and nothing else, when it is open', () => {
    const open = ['::/0', '0.0.0.0/0']
    assert.ok(!isRestricted(parseTrustedIps(open)))
    assert.ok(admits(open, '1.2.3.4'))
    assert.ok(admits(open, '2001:db8::1'))
    assert.ok(!admits(open, 'not-an-ip'))
  })

  test('takes an IPv4 address in IPv6 notation for the IPv4 address', () => {
    assert.ok(admits(['10.0.0.0/8'], '::ffff:10.1.2.3'))
    assert.ok(admits(['::ffff:10.0.0.0/104'], '10.1.2.3'))
  })
})
