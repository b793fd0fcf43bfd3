import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { OpenSsl } from '../../../../test/openssl.ts'
import * as der from './der.ts'
import {
  DerReader,
  readHexInteger,
  readNamedBits,
  readObjectIdentifier,
  readSmallInteger,
  readTime,
} from './der-reader.ts'
import { UnreadableError } from './unreadable-error.ts'

const openssl = new OpenSsl()
const only = (bytes: Buffer) => {
  const reader = new DerReader(bytes)
  const element = reader.next()
  reader.end()
  return element
}

describe('DER', () => {
  for (const [what, written, hex] of [
    ['zero', der.integer(0), '020100'],
    ['a number with its first bit set', der.integer(128), '02020080'],
    ['a number of one byte', der.integer(127), '02017f'],
    ['a serial number with leading zeros', der.hexInteger('00ff'), '020200ff'],
    ['an object identifier', der.objectIdentifier('1.2.840.113549.1.1.11'), '06092a864886f70d01010b'],
    ['an object identifier with a large arc', der.objectIdentifier('2.5.29.32.0'), '0604551d2000'],
    ['no bits', der.namedBits([]), '030100'],
    ['the first bit', der.namedBits([0]), '03020780'],
    ['bits of an authority', der.namedBits([5, 6]), '03020106'],
    ['the ninth bit', der.namedBits([8]), '0303070080'],
    ['a content of 127 bytes', der.header(0x04, 127), '047f'],
    ['a content of 128 bytes', der.header(0x04, 128), '048180'],
    ['a content of 65536 bytes', der.header(0x04, 65_536), '0483010000'],
    ['the last short date', der.time(new Date('2049-12-31T23:59:59.999Z')), '170d3439313233313233353935395a'],
    ['the first long date', der.time(new Date('2050-01-01T00:00:00Z')), '180f32303530303130313030303030305a'],
  ] as const) {
    test(`writes ${what}`, () => assert.equal(written.toString('hex'), hex))
  }

  test('reads back every integer, bit list, identifier and second that it writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), (value) => {
        assert.equal(readHexInteger(only(der.integer(value))), value.toString(16))
      }),
    )
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(8)), (bits) => {
        assert.deepEqual(readNamedBits(only(der.namedBits(bits))), bits.toSorted())
      }),
    )
    const arcs = fc.tuple(fc.nat(1), fc.nat(39), fc.array(fc.nat(2 ** 31 - 1), { maxLength: 8 }))
    fc.assert(
      fc.property(arcs, ([first, second, rest]) => {
        const dotted = [first, second, ...rest].join('.')
        assert.equal(readObjectIdentifier(only(der.objectIdentifier(dotted))), dotted)
      }),
    )
    const years = { min: new Date('1950-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }
    fc.assert(
      fc.property(fc.date(years), (date) => {
        const seconds = Math.floor(date.getTime() / 1_000)
        assert.equal(readTime(only(der.time(date))).getTime() / 1_000, seconds)
      }),
    )
  })

  test('means to openssl what it means here', async () => {
    const file = der.sequence(
      der.integer(4_096),
      der.objectIdentifier('2.5.29.31'),
      der.utf8String('Blåbär'),
      der.context(0, der.set(der.printableString('SE'))),
      der.octetString(Buffer.alloc(300)),
      der.time(new Date('2026-11-15T05:00:00Z')),
      der.generalizedTime(new Date('2026-11-15T05:00:00Z')),
      der.TRUE,
      der.NULL,
      der.enumerated(6),
    )
    const { isOk, output } = await openssl.run(['asn1parse', '-inform', 'DER', '-in', 'all.der'], { 'all.der': file })
    assert.ok(isOk, output)
    for (const line of [
      /INTEGER\s+:1000/,
      /OBJECT\s+:X509v3 CRL Distribution Points/,
      /PRINTABLESTRING\s+:SE/,
      /l= 300 prim: OCTET STRING/,
      /UTCTIME\s+:261115050000Z/,
      /GENERALIZEDTIME\s+:20261115050000Z/,
      /BOOLEAN\s+:255/,
      /ENUMERATED\s+:06/,
    ]) {
      assert.match(output, line)
    }
  })
})

describe('a reader of DER', () => {
  for (const [what, hex] of [
    ['nothing', ''],
    ['a length without content', '0405'],
    ['an indefinite length', '3080020100 0000'],
    ['a length that is not the shortest', '04817f'],
    ['a length with a zero in front', `04820080${'00'.repeat(128)}`],
    ['a length of five bytes', '04850100000000'],
    ['a tag of several bytes', '1f8101'],
    ['something after the end', '0201000500'],
  ] as const) {
    test(`refuses ${what}`, () => {
      assert.throws(() => only(Buffer.from(hex.replace(' ', ''), 'hex')), UnreadableError)
    })
  }

  test('refuses what is no number, identifier or date', () => {
    const [integer, identifier, time] = [readHexInteger, readObjectIdentifier, readTime]
    for (const [read, hex] of [
      [integer, '020180'],
      [integer, '0200'],
      [readSmallInteger, '02050100000000'],
      [identifier, '0600'],
      [identifier, '060181'],
      [identifier, `0641${'01'.repeat(65)}`],
      [time, '170d3236313131353035303030305b'],
      [time, '170d3236393939393939393939395a'],
      [time, '181132303530303130313030303030302e355a'],
    ] as const) {
      assert.throws(() => read(only(Buffer.from(hex, 'hex'))), UnreadableError, hex)
    }
  })
})
