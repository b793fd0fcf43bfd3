import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { canonicalIp, contains, matcher, parseCidr, type Cidr } from './cidr.ts'

const cidr = (text: string): Cidr => {
  const parsed = parseCidr(text)
  assert.ok(parsed, `${text} should parse`)
  return parsed
}

const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'))
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'))

describe('parseCidr', () => {
  for (const [text, expected] of [
    ['10.0.0.0/8', { family: 'ipv4', address: '10.0.0.0', prefix: 8 }],
    ['10.1.2.3/8', { family: 'ipv4', address: '10.1.2.3', prefix: 8 }],
    ['192.168.1.7', { family: 'ipv4', address: '192.168.1.7', prefix: undefined }],
    ['0.0.0.0/0', { family: 'ipv4', address: '0.0.0.0', prefix: 0 }],
    ['255.255.255.255/32', { family: 'ipv4', address: '255.255.255.255', prefix: 32 }],
    ['::/0', { family: 'ipv6', address: '::', prefix: 0 }],
    ['2001:DB8::/32', { family: 'ipv6', address: '2001:DB8::', prefix: 32 }],
    ['::ffff:10.0.0.0/104', { family: 'ipv6', address: '::ffff:10.0.0.0', prefix: 104 }],
    ['::1', { family: 'ipv6', address: '::1', prefix: undefined }],
  ] as const) {
    test(`keeps ${text} as it is written`, () => assert.deepEqual(parseCidr(text), expected))
  }

  for (const text of [
    '',
    ' ',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/8abc',
    '10.0.0.0/8/9',
    '10.0.0.0/ 8',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '10.0.0.0/08',
    '10.0.0.0/+8',
    '10.0.0.0/-1',
    '10.0.0.0/8.0',
    '10.0.0.0/1e1',
    '10.0.0.0/0x8',
    '10.0.0.0/255.0.0.0',
    '0.0.0.0/33',
    '::/129',
    '::/999',
    '::/1000',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.01',
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4:80',
    '[::1]',
    '[::1]/128',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    ':::',
    '1::2::3',
    '12345::',
    '::ffff:1.2.3.256',
    'localhost',
    '*',
    '10.0.0.0/8\0',
    '١٠.0.0.1',
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseCidr(text), undefined))
  }

  test('never throws, and what it accepts is the text itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), ipv4, ipv6), fc.string({ maxLength: 4 }), (address, suffix) => {
        const text = address + suffix
        const parsed = parseCidr(text)
        if (!parsed) return
        assert.equal(parsed.prefix === undefined ? parsed.address : `${parsed.address}/${parsed.prefix}`, text)
      }),
    )
  })
})

describe('contains', () => {
  for (const [range, ip, expected] of [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.200.0.1', true],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.128/25', '192.168.1.127', false],
    ['192.168.1.128/25', '192.168.1.200', true],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '::ffff:8.8.8.8', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['10.0.0.0/8', '::ffff:a01:101', true],
    ['::ffff:10.0.0.0/104', '10.1.1.1', true],
    ['::ffff:10.0.0.0/104', '::ffff:10.1.1.1', true],
    ['::ffff:10.0.0.0/104', '11.1.1.1', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::/0', '2001:db8::1', true],
    ['::/0', '8.8.8.8', false],
    ['::/0', '::ffff:8.8.8.8', false],
    ['::ffff:0:0/95', '::fffe:1:1', true],
    ['::ffff:0:0/95', '8.8.8.8', false],
    ['2001:db8::/32', '2001:DB8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['10.0.0.0/8', 'garbage', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', '10.0.0.1/8', false],
    ['::/0', 'fe80::1%eth0', false],
  ] as const) {
    test(`${range} ${expected ? 'holds' : 'does not hold'} '${ip}'`, () =>
      assert.equal(contains(cidr(range), ip), expected))
  }

  test('agrees with the block list of Node for every IPv4 range', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (address, prefix, ip) => {
        const oracle = new BlockList()
        oracle.addSubnet(address, prefix, 'ipv4')
        assert.equal(contains(cidr(`${address}/${prefix}`), ip), oracle.check(ip, 'ipv4'))
      }),
    )
  })

  test('agrees with plain arithmetic for every IPv6 range', () => {
    const near = fc.tuple(ipv6, fc.integer({ min: 0, max: 128 }), fc.integer({ min: 0, max: 127 }))
    fc.assert(
      fc.property(near, ([address, prefix, flippedBit]) => {
        const ip = fromBigInt(toBigInt(address) ^ (1n << BigInt(127 - flippedBit)))
        assert.equal(contains(cidr(`${address}/${prefix}`), ip), flippedBit >= prefix)
        assert.equal(contains(cidr(`${address}/${prefix}`), address), true)
      }),
    )
  })

  test('an IPv4 address and its mapped form are inside the same ranges', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (address, prefix, ip) => {
        const asIpv4 = cidr(`${address}/${prefix}`)
        const asIpv6 = cidr(`::ffff:${address}/${prefix + 96}`)
        const answers = [asIpv4, asIpv6].flatMap((range) => [contains(range, ip), contains(range, `::ffff:${ip}`)])
        assert.equal(new Set(answers).size, 1)
      }),
    )
  })
})

test('a matcher holds what any of its ranges holds', () => {
  const isTrusted = matcher(['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'].map(cidr))
  assert.deepEqual(['10.1.1.1', '2001:db8::5', '127.0.0.1', '127.0.0.2', '::1', 'x'].map(isTrusted), [
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  assert.equal(matcher([])('10.0.0.1'), false)
})

test('an address has one canonical spelling', () => {
  assert.equal(canonicalIp('::FFFF:1.2.3.4'), '1.2.3.4')
  assert.equal(canonicalIp('::ffff:102:304'), '1.2.3.4')
  assert.equal(canonicalIp('1.2.3.4'), '1.2.3.4')
  assert.equal(canonicalIp('2001:DB8:0:0:0:0:0:1'), '2001:db8::1')
  assert.equal(canonicalIp('::127.0.0.1'), canonicalIp('::7f00:1'))
  assert.equal(canonicalIp('::ffff:0:127.0.0.1'), '::ffff:0:7f00:1')
  assert.equal(canonicalIp('64:ff9b::192.0.2.33'), '64:ff9b::c000:221')
  for (const range of ['::127.0.0.1', '::7f00:1', '::127.0.0.0/120']) {
    assert.deepEqual(
      ['::127.0.0.1', '::7f00:1', '127.0.0.1'].map((ip) => contains(cidr(range), ip)),
      [true, true, false],
    )
  }
  assert.equal(canonicalIp('0x7f000001'), undefined)
  assert.equal(canonicalIp('fe80::1%eth0'), undefined)
  fc.assert(fc.property(fc.oneof(ipv4, ipv6), (ip) => contains(cidr(canonicalIp(ip) ?? ''), ip)))
})

const toBigInt = (ip: string) =>
  BigInt(
    `0x${ip
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join('')}`,
  )
const fromBigInt = (value: bigint) => (value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':')
