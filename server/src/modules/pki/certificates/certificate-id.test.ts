import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readCertificateId, readSerialNumber } from './certificate-id.ts'

const SHA1 = '1e004b486695e72a50a6ff9de6bdca01f0431b7a'
const SHA256 = '7d5f3666650b9c8827407 0aadd8473714ba53f18dd4fdf78de82466eb367c6a3'.replace(' ', '')
const colons = (hex: string) => (hex.match(/../g) ?? []).join(':')

describe('what a path may mean', () => {
  for (const [text, meaning] of [
    ['e199e258-b4ab-415a-95f8-b8485fbab699', { id: 'e199e258-b4ab-415a-95f8-b8485fbab699' }],
    [' E199E258-B4AB-415A-95F8-B8485FBAB699 ', { id: 'e199e258-b4ab-415a-95f8-b8485fbab699' }],
    [SHA1, { thumbprint: SHA1, serialNumber: SHA1 }],
    [colons(SHA1).toUpperCase(), { thumbprint: SHA1, serialNumber: SHA1 }],
    [SHA256, { thumbprint: SHA256, serialNumber: SHA256 }],
    [colons(SHA256).replaceAll(':', ' '), { thumbprint: SHA256, serialNumber: SHA256 }],
    [colons(SHA256).replaceAll(':', '.'), { thumbprint: SHA256 }],
    ['0bd49848ad6b9b6bb9d12d46bd6f95f6', { serialNumber: 'bd49848ad6b9b6bb9d12d46bd6f95f6' }],
    ['00:AB:cd', { serialNumber: 'abcd' }],
    ['0', { serialNumber: '0' }],
    ['abc', { serialNumber: 'abc' }],
    ['hello', {}],
    ['', {}],
    ['-', {}],
    ['%', {}],
    ['f'.repeat(1000), {}],
  ] as const) {
    test(`'${text.slice(0, 80)}'`, () => assert.deepEqual(readCertificateId(text), meaning))
  }
})

test('a serial number is no more than hexadecimal digits and their separators', () => {
  assert.equal(readSerialNumber('AB:0c'), 'ab0c')
  assert.equal(readSerialNumber('ab_0c'), undefined)
  assert.equal(readSerialNumber('0x0c'), undefined)
})
