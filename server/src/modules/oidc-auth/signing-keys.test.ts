import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { LoginRefusal } from './login-refusal.ts'
import { ALGORITHMS, algorithmsOf, parseKeySet, pickKey } from './signing-keys.ts'

const jwk = ({ publicKey }: ReturnType<typeof generateKeyPairSync>): object => publicKey.export({ format: 'jwk' })
const rsa = jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const p256 = jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const p384 = jwk(generateKeyPairSync('ec', { namedCurve: 'P-384' }))
const secp256k1 = jwk(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }))
const ed25519 = jwk(generateKeyPairSync('ed25519'))
const x25519 = jwk(generateKeyPairSync('x25519'))

const parse = (...keys: unknown[]) => parseKeySet({ keys }) ?? []
const algorithms = (key: object) => parse(key).flatMap(algorithmsOf)

describe('a set of keys', () => {
  for (const [name, document] of [
    ['null', null],
    ['a list', []],
    ['without keys', {}],
    ['with keys that are no list', { keys: {} }],
    ['a text', 'keys'],
  ] as const) {
    test(`that is ${name} is none`, () => {
      assert.equal(parseKeySet(document), undefined)
    })
  }

  for (const [name, key] of [
    ['a shared secret', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }],
    ['for encryption', { ...rsa, use: 'enc' }],
    ['for other operations', { ...rsa, key_ops: ['encrypt'] }],
    ['for another algorithm', { ...rsa, alg: 'HS256' }],
    ['for none', { ...rsa, alg: 'none' }],
    ['for RSA encryption', { ...rsa, alg: 'RSA-OAEP' }],
    ['on a curve that is not used', secp256k1],
    ['for key agreement', x25519],
    ['without a modulus', { kty: 'RSA', e: 'AQAB' }],
    ['with a modulus of many kilobytes', { kty: 'RSA', n: 'x'.repeat(10_000), e: 'AQAB' }],
    ['with an exponent of many digits', { ...rsa, e: 'x'.repeat(100) }],
    ['with a name that cannot be kept', { ...rsa, kid: 'a\0' }],
    ['with half a character for a name', { ...rsa, kid: '\ud800' }],
    ['no object', 'key'],
    ['null', null],
  ] as const) {
    test(`leaves out one that is ${name}`, () => {
      assert.deepEqual(
        parse(key, { ...p256, kid: 'good' }).map(({ kid }) => kid),
        ['good'],
      )
    })
  }

  test('keeps nothing but what verifying takes', () => {
    const { d, ...publicPart } = { ...rsa, d: 'private', kid: 'a', use: 'sig', alg: 'RS256', key_ops: ['verify'] }
    assert.deepEqual(parse({ ...publicPart, d, x5c: ['…'], x5t: 'x', anything: {} }), [publicPart])
  })

  test('is cut where it has no end', () => {
    assert.equal(parse(...Array.from({ length: 1_000 }, () => p256)).length, 50)
  })
})

describe('the algorithms of a key', () => {
  for (const [name, key, expected] of [
    ['RSA', rsa, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['RSA for one', { ...rsa, alg: 'PS384' }, ['PS384']],
    ['P-256', p256, ['ES256']],
    ['P-384', { ...p384, alg: 'ES384' }, ['ES384']],
    ['P-384 for the wrong one', { ...p384, alg: 'ES256' }, []],
    ['Ed25519', ed25519, ['EdDSA', 'Ed25519']],
  ] as const) {
    test(`${name}: ${expected.join(' ')}`, () => {
      assert.deepEqual(algorithms(key), expected)
    })
  }

  test('are never those of shared secrets, nor none', () => {
    for (const algorithm of ['none', 'HS256', 'HS384', 'HS512', '']) assert.ok(!ALGORITHMS.includes(algorithm))
  })
})

describe('the key for a JWT', () => {
  const keys = parse({ ...rsa, kid: 'a' }, { ...p256, kid: 'a' }, { ...p256, kid: 'b' })

  test('is the one that it names, and that fits', () => {
    assert.equal(pickKey(keys, { kid: 'a', alg: 'RS256' })?.kty, 'RSA')
    assert.equal(pickKey(keys, { kid: 'a', alg: 'ES256' })?.kty, 'EC')
    assert.equal(pickKey(keys, { kid: 'b', alg: 'RS256' })?.kty, 'EC')
    assert.equal(pickKey(keys, { kid: 'c', alg: 'RS256' }), undefined)
    assert.equal(pickKey(keys, { kid: '', alg: 'RS256' }), undefined)
  })

  test('without a name is the only one there is', () => {
    assert.equal(pickKey(keys.slice(0, 1), { kid: undefined, alg: 'RS256' }), keys[0])
    assert.equal(pickKey([], { kid: undefined, alg: 'RS256' }), undefined)
    assert.throws(
      () => pickKey(keys.slice(1), { kid: undefined, alg: 'ES256' }),
      (error) => error instanceof LoginRefusal && error.reason === 'too_many_signing_keys',
    )
  })
})

test('whatever a provider sends is read without a throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (document) => {
      parseKeySet(document)
      parseKeySet({ keys: [document, { kty: 'RSA', n: document, e: document }] })
    }),
  )
})
