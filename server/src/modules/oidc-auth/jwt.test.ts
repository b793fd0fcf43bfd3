import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { SignJWT } from 'jose'
import { readJwt, verifyJwt } from './jwt.ts'
import { LoginRefusal } from './login-refusal.ts'
import { parseKeySet, type SigningKey } from './signing-keys.ts'

const NOW_SECONDS = 1_900_000_000
const ISSUER = 'https://issuer.example'

type Pair = { publicKey: KeyObject; privateKey: KeyObject }
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const short = generateKeyPairSync('rsa', { modulusLength: 1_024 })
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const [p256, p384, p521] = [ec('P-256'), ec('P-384'), ec('P-521')]
const ed25519 = generateKeyPairSync('ed25519')

const keyOf = ({ publicKey }: Pair, more: object = {}): SigningKey =>
  parseKeySet({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...more }] })?.[0] ?? assert.fail('no key')

const sign = (alg: string, { privateKey }: Pair, claims: object = {}) =>
  new SignJWT({ iss: ISSUER, exp: NOW_SECONDS + 60, ...claims }).setProtectedHeader({ alg }).sign(privateKey)

const verified = (text: string, key: SigningKey) =>
  verifyJwt(readJwt(text), key, { issuer: ISSUER, nowMs: NOW_SECONDS * 1_000 })
const refused = (work: () => unknown) => assert.throws(work, LoginRefusal)

const BY_ALGORITHM: [alg: string, pair: Pair][] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg): [string, Pair] => [alg, rsa]),
  ['ES256', p256],
  ['ES384', p384],
  ['ES512', p521],
  ['EdDSA', ed25519],
  ['Ed25519', ed25519],
]

describe('a JWT', () => {
  for (const [alg, pair] of BY_ALGORITHM) {
    test(`signed by another library with ${alg} is verified, and one whose claims or signature was changed is not`, async () => {
      const text = await sign(alg, pair, { sub: 'a' })
      assert.equal(verified(text, keyOf(pair))['sub'], 'a')
      assert.equal(verified(text, keyOf(pair, { alg }))['sub'], 'a')

      const [header = '', payload = '', signature = ''] = text.split('.')
      const others = (await sign(alg, pair, { sub: 'b' })).split('.')
      refused(() => verified(`${header}.${others[1]}.${signature}`, keyOf(pair)))
      refused(() => verified(`${header}.${payload}.${others[2]}`, keyOf(pair)))
      const flipped = Buffer.from(signature, 'base64url')
      flipped.writeUInt8(flipped.readUInt8(3) ^ 1, 3)
      refused(() => verified(`${header}.${payload}.${flipped.toString('base64url')}`, keyOf(pair)))
      refused(() => verified(`${header}.${payload}.${signature.slice(0, -8)}`, keyOf(pair)))
    })
  }

  test('is not verified with an algorithm that its key is not for, whatever its header says', async () => {
    for (const [alg, pair] of BY_ALGORITHM) {
      const [, payload, signature] = (await sign(alg, pair)).split('.')
      for (const [other] of BY_ALGORITHM.filter(([name, owner]) => name !== alg && owner !== ed25519)) {
        const header = Buffer.from(JSON.stringify({ alg: other })).toString('base64url')
        refused(() => verified(`${header}.${payload}.${signature}`, keyOf(pair)))
      }
    }
    const text = await sign('PS256', rsa)
    refused(() => verified(text, keyOf(rsa, { alg: 'RS256' })))
  })

  test('is not verified by a key that is too short, or that is none', async () => {
    const [header, payload] = (await sign('RS256', rsa)).split('.')
    const signature = createSign('sha256').update(`${header}.${payload}`).sign(short.privateKey, 'base64url')
    refused(() => verified(`${header}.${payload}.${signature}`, keyOf(short)))
    const text = await sign('ES256', p256)
    refused(() => verified(text, { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }))
  })

  const times: [name: string, claims: object, isGood: boolean][] = [
    ['that ends in this second', { exp: NOW_SECONDS }, false],
    ['that ends in the next', { exp: NOW_SECONDS + 1 }, true],
    ['without end', { exp: undefined }, false],
    ['whose end is a text', { exp: String(NOW_SECONDS + 60) }, false],
    ['that begins now', { nbf: NOW_SECONDS }, true],
    ['that begins in the next second', { nbf: NOW_SECONDS + 1 }, false],
    ['whose beginning is null', { nbf: null }, false],
    ['that says no number for when it was made', { iat: 'now' }, false],
    ['of another issuer', { iss: 'https://other.example' }, false],
  ]
  for (const [name, claims, isGood] of times) {
    test(`${name} is ${isGood ? 'good' : 'refused'}`, () => {
      const encoded = [{ alg: 'EdDSA' }, { iss: ISSUER, exp: NOW_SECONDS + 60, ...claims }].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      const signature = signBytes(null, Buffer.from(encoded.join('.')), ed25519.privateKey).toString('base64url')
      const check = () => verified(`${encoded.join('.')}.${signature}`, keyOf(ed25519))
      if (isGood) check()
      else refused(check)
    })
  }

  test('is malformed in any other spelling than an encoder writes', async () => {
    const text = await sign('ES256', p256)
    for (const spelling of [
      `${text}=`,
      ` ${text}`,
      `${text}.`,
      text.replace('.', '..'),
      `${text.slice(0, -1)}+`,
      '..',
      '',
    ]) {
      refused(() => verified(spelling, keyOf(p256)))
    }
  })
})
