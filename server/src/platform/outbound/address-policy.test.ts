import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { addressPolicy } from './address-policy.ts'

const isAllowed = addressPolicy([])

describe('without an exception', () => {
  for (const [kind, ...addresses] of [
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::7f00:1', '::127.0.0.1'],
    ['this network', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1', '::ffff:10.0.0.1'],
    ['shared by a carrier', '100.64.0.1', '100.127.255.255'],
    ['link-local', '169.254.0.1', 'fe80::1', 'febf::1', 'fec0::1'],
    ['of cloud metadata', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ['multicast or broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['reserved or for examples', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1'],
    ['IPv4 in disguise', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '::ffff:0:7f00:1'],
    ['given to nobody', '1::1', '4000::1', '5f00::1', '8000::1', '100::1'],
    ['no address', '', 'localhost', '127.1', '0x7f.1', '1.2.3.4.5', '2606:4700::1%eth0', '8.8.8.8/32'],
  ] as const) {
    test(`an address that is ${kind} is refused`, () => {
      for (const address of addresses) assert.ok(!isAllowed(address), address)
    })
  }

  test('a public address is allowed', () => {
    for (const address of ['8.8.8.8', '140.82.112.3', '172.32.0.1', '2606:4700::1', '2a00:1450::1', '::ffff:8.8.8.8']) {
      assert.ok(isAllowed(address), address)
    }
  })
})

describe('what the operator allows', () => {
  test('is allowed, and nothing beside it', () => {
    const policy = addressPolicy(['10.1.0.0/16', '127.0.0.1', 'fd00::/8'])
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd12::1', '8.8.8.8']) {
      assert.ok(policy(address), address)
    }
    for (const address of ['10.2.0.1', '127.0.0.2', '::1', 'fc00::1', '169.254.169.254']) {
      assert.ok(!policy(address), address)
    }
  })
})

test('no IPv4 address is allowed in one spelling and refused in the other', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(isAllowed(address), isAllowed(`::ffff:${address}`))
    }),
  )
})
