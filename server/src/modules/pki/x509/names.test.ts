import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { encodeAltNames, readAltNames } from './alt-names.ts'
import { TAG } from './der.ts'
import { DerReader } from './der-reader.ts'
import { describeName, encodeName, inferAltName, readName, type AltName, type Subject } from './names.ts'
import { UnreadableError } from './unreadable-error.ts'

const whole: Subject = {
  commonName: 'Blåbär & Co',
  organization: 'Acme, Inc.',
  organizationalUnit: 'R&D',
  country: 'SE',
  state: 'Skåne',
  locality: 'Lund',
  domainComponents: ['pki', 'example', 'com'],
}

describe('a name', () => {
  test('is read back as it was written', () => {
    assert.deepEqual(readName(DerReader.whole(encodeName(whole), TAG.sequence)), whole)
    const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((value) => !/\p{Cc}/u.test(value))
    const subjects = fc.record({ commonName: text, organization: text, locality: text }, { requiredKeys: [] })
    fc.assert(
      fc.property(subjects, (subject) => {
        const read = readName(DerReader.whole(encodeName(subject), TAG.sequence))
        assert.deepEqual({ ...read }, { ...subject })
      }),
    )
  })

  test('is described in the order in which it is written, with its commas escaped', () => {
    assert.equal(
      describeName(whole),
      'DC=com,DC=example,DC=pki,C=SE,O=Acme\\, Inc.,OU=R&D,ST=Skåne,CN=Blåbär & Co,L=Lund',
    )
    assert.equal(describeName({ commonName: ' #1 ' }), 'CN=\\ #1\\ ')
  })

  test('has no attribute for what is empty', () => {
    assert.equal(encodeName({ commonName: '', organization: '' }).toString('hex'), '3000')
  })

  test('is refused when it holds control characters, written or read', () => {
    assert.throws(() => encodeAltNames([{ type: 'upn', value: 'ada\u0001@corp' }]), UnreadableError)
    assert.throws(() => encodeName({ commonName: 'a\0b' }), UnreadableError)
    const forged = Buffer.from(encodeName({ commonName: 'a~b' }).toString('latin1').replace('~', '\0'), 'latin1')
    assert.throws(() => readName(DerReader.whole(forged, TAG.sequence)), UnreadableError)
  })
})

describe('an alternative name', () => {
  for (const [value, type] of [
    ['api.example.com', 'dns_name'],
    ['*.example.com', 'dns_name'],
    ['localhost', 'dns_name'],
    ['10.0.0.1', 'ip_address'],
    ['2001:db8::1', 'ip_address'],
    ['spiffe://example.org/api', 'uri'],
    ['https://example.org', 'uri'],
    ['ada@example.org', 'email'],
    ['something else', 'dns_name'],
  ] as const) {
    test(`'${value}' is taken for a ${type}`, () => assert.deepEqual(inferAltName(value), { type, value }))
  }

  test('of every kind is read back as it was written', () => {
    const names: AltName[] = [
      { type: 'dns_name', value: '*.example.com' },
      { type: 'ip_address', value: '192.0.2.7' },
      { type: 'ip_address', value: '2001:db8::7' },
      { type: 'email', value: 'ada@example.com' },
      { type: 'uri', value: 'spiffe://example.org/api' },
      { type: 'upn', value: 'ada@corp.example' },
    ]
    assert.deepEqual(readAltNames(encodeAltNames(names)), names)
  })

  for (const name of [
    { type: 'ip_address', value: '10.0.0' },
    { type: 'ip_address', value: '0x7f.1' },
    { type: 'dns_name', value: 'blåbär.example' },
    { type: 'dns_name', value: 'a\nb' },
    { type: 'uri', value: 'https://exämple.org' },
  ] as const) {
    test(`${name.type} ${JSON.stringify(name.value)} is refused`, () => {
      assert.throws(() => encodeAltNames([name]), UnreadableError)
    })
  }

  test('with a zero byte is refused when read', () => {
    const forged = Buffer.from(
      encodeAltNames([{ type: 'dns_name', value: 'a.com~.evil.org' }])
        .toString('latin1')
        .replace('~', '\0'),
      'latin1',
    )
    assert.throws(() => readAltNames(forged), UnreadableError)
  })
})
