import fc from 'fast-check'
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign as signWith, type KeyObject } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { jwtVerify } from 'jose'
import { openDatabase, openTestDatabase } from '../../../test/test-database.ts'
import { AppError } from '../../lib/app-error.ts'
import { Keyring } from './keyring.ts'
import { generateRootKeyText, parseRootKey, RootKeys } from './root-key.ts'
import { TokenSigner } from './token.ts'

const NOW = 1_700_000_000
const NOW_MS = NOW * 1000
const CLAIMS = {
  identityId: 'd3b07384-d9a0-4c9b-8f3e-2b1f6a4c5e6f',
  authTokenType: 'identityAccessToken',
  identityAuth: {},
}
const LIFETIME = { issuedAtSeconds: NOW, expiresAtSeconds: NOW + 60 }

const MALFORMED = 'The access token is malformed'
const WRONG_SIGNATURE = 'The access token has an invalid signature'
const WRONG_ALGORITHM = 'The access token is signed with an algorithm that is not accepted'
const EXPIRED = 'The access token has expired, please log in again'
const TOO_EARLY = 'The access token is not valid yet'

const { db, url } = await openTestDatabase()
const other = openDatabase(url)
const roots = new RootKeys({ current: parseRootKey(generateRootKeyText(), 'test') })
const keyring = new Keyring({ db, roots })
const signer = new TokenSigner({ db, keyring })
let kid: string
let secret: KeyObject
let token: string

before(async () => {
  await keyring.establish()
  ;({ id: kid, secret } = await keyring.ensure(db.pool, 'token-signing', null))
  token = await signer.sign(CLAIMS, LIFETIME)
})
after(() => other.close())

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const forge = (header: unknown, payload: unknown, key: KeyObject | Buffer = secret): string => {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}
const ourHeader = () => ({ alg: 'HS256', typ: 'JWT', kid })
const claims = { ...CLAIMS, iat: NOW, exp: NOW + 60 }
const rejects = (text: string, message: string, nowMs = NOW_MS) =>
  assert.rejects(signer.verify(text, nowMs), (error) => {
    assert.ok(error instanceof AppError)
    assert.deepEqual([error.kind, error.message], ['token-rejected', message])
    return true
  })

describe('a token', () => {
  test('is verified to what was signed, by another library too', async () => {
    assert.deepEqual(await signer.verify(token, NOW_MS), claims)
    const { payload, protectedHeader } = await jwtVerify(token, secret, { currentDate: new Date(NOW_MS) })
    assert.deepEqual(payload, claims)
    assert.deepEqual(protectedHeader, ourHeader())
  })

  test('carries any claims, but its own times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (any) => {
        fc.pre(!('nbf' in any))
        const expected: unknown = JSON.parse(JSON.stringify({ ...any, iat: NOW, exp: NOW + 60 }))
        assert.deepEqual(await signer.verify(await signer.sign(any, LIFETIME), NOW_MS), expected)
      }),
      { numRuns: 50 },
    )
  })

  test('is valid until just before its end', async () => {
    await signer.verify(token, (NOW + 60) * 1000 - 1)
    await rejects(token, EXPIRED, (NOW + 60) * 1000)
    await rejects(token, EXPIRED, (NOW + 61) * 1000)
  })

  test('is not signed when its times are no whole seconds or it would be too long to send', async () => {
    await assert.rejects(signer.sign({}, { issuedAtSeconds: NOW, expiresAtSeconds: NOW + 0.5 }), /whole seconds/)
    await assert.rejects(signer.sign({}, { issuedAtSeconds: NaN, expiresAtSeconds: NOW }), /whole seconds/)
    await assert.rejects(signer.sign({ large: 'x'.repeat(16_384) }, LIFETIME), /too large for an access token/)
  })

  test('is rejected when any character is another', async () => {
    for (let at = 0; at < token.length; at++) {
      for (const character of ['A', 'b', '-', '.', '=', ' ', 'Ł', '']) {
        if (character === token[at]) continue
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        await assert.rejects(signer.verify(changed, NOW_MS), { kind: 'token-rejected' })
      }
    }
  })

  test('is rejected when its signature is spelled with characters whose low byte is right', async () => {
    const at = token.lastIndexOf('.') + 1
    const lookalike = String.fromCharCode(token.charCodeAt(at) + 0x100)
    await rejects(token.slice(0, at) + lookalike + token.slice(at + 1), WRONG_SIGNATURE)
  })

  test('of any text is rejected, never a failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(fc.base64String(), { maxLength: 5 }).map((parts) => parts.join('.')),
        ),
        (any) => assert.rejects(signer.verify(any, NOW_MS), { kind: 'token-rejected' }),
      ),
    )
  })

  for (const [name, text] of [
    ['empty', ''],
    ['one part', 'abc'],
    ['two parts', 'abc.def'],
    ['four parts', 'a.b.c.d'],
    ['three empty parts', '..'],
    ['three parts that are no JSON', 'abc.def.ghi'],
    ['a header that is a list', `${encode(['HS256'])}.${encode({})}.x`],
    ['a header that is null', `${encode(null)}.${encode({})}.x`],
    ['a header in padded base64', `${Buffer.from('{"alg":"HS256"}').toString('base64')}=.${encode({})}.x`],
    ['longer than any of ours', `${'a'.repeat(20_000)}.b.c`],
  ] as const) {
    test(`is rejected as malformed when ${name}`, () => rejects(text, MALFORMED))
  }
})

describe('the header of a token', () => {
  for (const alg of ['none', 'None', 'NONE', undefined, null, 'HS384', 'HS512', 'RS256', 'hs256', '', 256, ['HS256']]) {
    test(`is rejected with alg ${JSON.stringify(alg)}`, async () => {
      await rejects(forge({ ...ourHeader(), alg }, claims), WRONG_ALGORITHM)
      await rejects(`${encode({ ...ourHeader(), alg })}.${encode(claims)}.`, WRONG_ALGORITHM)
    })
  }

  for (const extra of [
    { jku: 'http://127.0.0.1:1/keys' },
    { x5u: 'http://127.0.0.1:1/keys' },
    { jwk: { kty: 'oct', k: 'AAAA' } },
    { x5c: ['AAAA'] },
    { crit: ['exp'] },
    { typ: 'jwt' },
    { zip: 'DEF' },
  ]) {
    test(`is rejected with ${Object.keys(extra)[0] ?? ''}, although the signature is right`, () =>
      rejects(forge({ ...ourHeader(), ...extra }, claims), WRONG_SIGNATURE))
  }

  for (const foreign of [
    '../../etc/passwd',
    `' or '1'='1`,
    'http://127.0.0.1:1/',
    '',
    7,
    null,
    undefined,
    ['x'],
    '\0',
  ]) {
    test(`is rejected with kid ${JSON.stringify(foreign)}`, () =>
      rejects(forge({ ...ourHeader(), kid: foreign }, claims), WRONG_SIGNATURE))
  }

  test('is rejected in another order, although the signature is right', () =>
    rejects(forge({ typ: 'JWT', alg: 'HS256', kid }, claims), WRONG_SIGNATURE))
})

describe('the signature of a token', () => {
  test('is rejected when missing, empty or made with an empty key', async () => {
    await rejects(token.slice(0, token.lastIndexOf('.') + 1), WRONG_SIGNATURE)
    await rejects(token.slice(0, token.lastIndexOf('.')), MALFORMED)
    await rejects(forge(ourHeader(), claims, Buffer.alloc(0)), WRONG_SIGNATURE)
  })

  test('is rejected when made with a public key as the secret, or with a private key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))
    await rejects(forge(ourHeader(), claims, pem), WRONG_SIGNATURE)
    const input = `${encode(ourHeader())}.${encode(claims)}`
    await rejects(
      `${input}.${signWith('sha256', Buffer.from(input), privateKey).toString('base64url')}`,
      WRONG_SIGNATURE,
    )
  })

  test('is rejected when made by a key of this installation for another purpose', async () => {
    const key = await keyring.ensure(db.pool, 'client-secret-hmac', null)
    await rejects(forge({ ...ourHeader(), kid: key.id }, claims, key.secret), WRONG_SIGNATURE)
  })

  test('is rejected when made by another installation', async () => {
    const { db: elsewhere } = await openTestDatabase()
    const theirs = new Keyring({ db: elsewhere, roots })
    await theirs.establish()
    const foreign = await new TokenSigner({ db: elsewhere, keyring: theirs }).sign(CLAIMS, LIFETIME)
    await rejects(foreign, WRONG_SIGNATURE)
  })

  test('is accepted when another process has begun to sign with a new key, and after that key is retired', async () => {
    const theirKeyring = new Keyring({ db: other, roots })
    const theirs = new TokenSigner({ db: other, keyring: theirKeyring })
    const fresh = await other.transaction((tx) => theirKeyring.replace(tx, 'token-signing', null))
    const [newer, invented] = [await theirs.sign(CLAIMS, LIFETIME), forge({ ...ourHeader(), kid: 'x' }, claims)]

    const outcomes = await Promise.allSettled(
      [invented, newer, invented, newer, token].map((text) => signer.verify(text, NOW_MS)),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    await db.transaction((tx) => keyring.replace(tx, 'token-signing', null))
    assert.notEqual((await keyring.active(db.pool, 'token-signing', null)).id, fresh.id)
    await signer.verify(newer, NOW_MS)
    await new TokenSigner({ db, keyring: new Keyring({ db, roots }) }).verify(token, NOW_MS)
  })
})

describe('the times of a token', () => {
  for (const [name, change, message] of [
    ['exp one second ago', { exp: NOW - 1 }, EXPIRED],
    ['exp now', { exp: NOW }, EXPIRED],
    ['a negative exp', { exp: -1 }, EXPIRED],
    ['exp as text', { exp: String(NOW + 60) }, MALFORMED],
    ['a huge exp', { exp: 1e308 }, MALFORMED],
    ['a fractional exp', { exp: NOW + 0.5 }, MALFORMED],
    ['no exp', { exp: undefined }, MALFORMED],
    ['exp null', { exp: null }, MALFORMED],
    ['no iat', { iat: undefined }, MALFORMED],
    ['iat as text', { iat: 'now' }, MALFORMED],
    ['nbf in the future', { nbf: NOW + 1 }, TOO_EARLY],
    ['nbf as text', { nbf: '0' }, MALFORMED],
  ] as const) {
    test(`are rejected with ${name}, although the signature is right`, () =>
      rejects(forge(ourHeader(), { ...claims, ...change }), message))
  }

  test('are rejected when the payload is no object, although the signature is right', async () => {
    for (const payload of [null, 7, 'text', [claims]]) await rejects(forge(ourHeader(), payload), MALFORMED)
  })

  test('may include an nbf that has come', async () => {
    await signer.verify(forge(ourHeader(), { ...claims, nbf: NOW }), NOW_MS)
  })
})
