import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateDataKey } from './data-key.ts'
import { isSameCode, secretCode } from './hmac.ts'

const key = generateDataKey()
const text = () => fc.string({ unit: 'binary-ascii', maxLength: 40 })

test('the code of a secret is the same each time, and 32 bytes', () => {
  const code = secretCode(key, 'secret', ['client'])
  assert.equal(code.length, 32)
  assert.ok(isSameCode(code, secretCode(key, 'secret', ['client'])))
})

test('another secret, another binding or another key gives another code', () => {
  fc.assert(
    fc.property(fc.array(text(), { minLength: 1 }), fc.array(text(), { minLength: 1 }), (left, right) => {
      fc.pre(JSON.stringify(left) !== JSON.stringify(right))
      const codeOf = ([secret = '', ...boundTo]: string[]) => secretCode(key, secret, boundTo)
      assert.ok(!isSameCode(codeOf(left), codeOf(right)))
    }),
  )
  assert.ok(!isSameCode(secretCode(key, 'secret', []), secretCode(generateDataKey(), 'secret', [])))
})

test('codes of different lengths differ', () => {
  assert.ok(!isSameCode(secretCode(key, 'secret', []), Buffer.alloc(0)))
})
