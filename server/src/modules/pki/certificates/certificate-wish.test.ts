import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { AltName } from '../x509/names.ts'
import { type CertificateWish, requireSound, wishFrom } from './certificate-wish.ts'

const wishWith = (wish: Partial<CertificateWish>): CertificateWish => ({
  subject: { commonName: 'api.example.com' },
  altNames: [],
  keyUsages: [],
  extendedKeyUsages: [],
  isCa: false,
  ...wish,
})

describe('a wish', () => {
  for (const [type, value] of [
    ['dns_name', 'example.com.'],
    ['dns_name', '192.0.2.1'],
    ['dns_name', 'a.*.example.com'],
    ['ip_address', 'fe80::1%eth0'],
    ['ip_address', '192.0.2.1/24'],
  ] as const) {
    test(`for the ${type} ${value} is not sound`, () => {
      assert.throws(() => requireSound(wishWith({ altNames: [{ type, value }] })), AppError)
    })
  }

  for (const [type, value] of [
    ['dns_name', '*.example.com'],
    ['dns_name', 'xn--e1afmkfd.xn--p1ai'],
    ['ip_address', '2001:db8::1'],
  ] as const) {
    test(`for the ${type} ${value} is sound`, () => requireSound(wishWith({ altNames: [{ type, value }] })))
  }

  test('for an authority without a subject is not sound, whatever else names it', () => {
    const authority = { isCa: true, keyUsages: ['keyCertSign' as const], altNames: [dns('a.example.com')] }
    requireSound(wishWith(authority))
    for (const subject of [{}, { commonName: '' }]) {
      assert.throws(() => requireSound(wishWith({ ...authority, subject })), AppError)
    }
  })

  test('spells each address in one way only, so that rules know it', () => {
    for (const value of ['0::1', '0:0:0:0:0:0:0:1', '::0001']) {
      const altNames: AltName[] = [{ type: 'ip_address', value }]
      const one = [{ type: 'ip_address', value: '::1' }]
      assert.deepEqual(wishFrom({ altNames }, {}).altNames, one)
      assert.deepEqual(wishFrom({}, { subjectAltNames: altNames }).altNames, one)
    }
  })
})

const dns = (value: string): AltName => ({ type: 'dns_name', value })
