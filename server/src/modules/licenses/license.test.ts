import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { licenseFromNow, TestIssuer } from '../../../test/test-licenses.ts'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import { isPublicKey, issueLicense, readLicense, trustedKeys, verifyLicense } from './license.ts'

const issuer = new TestIssuer()
const keys = trustedKeys([new TestIssuer().publicKey, issuer.publicKey])
const wholeSeconds = (ms: number) => Math.floor(ms / 1000) * 1000
const isRefusal = (pattern: RegExp) => (error: unknown) => error instanceof AppError && pattern.test(error.message)

/** A licence whose parts were put together by hand, signed rightly. */
const handmade = (header: object, claims: unknown): string => {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${sign(null, Buffer.from(signed), issuer.privateKey).toString('base64url')}`
}
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)

describe('a licence', () => {
  test('says what was signed', () => {
    const license = { ...licenseFromNow(), organizationId: newId(), seats: 25, licensee: 'Ünïcode & Söhne' }
    const read = verifyLicense(issueLicense(license, issuer.privateKey), keys)
    assert.deepEqual(read, {
      ...license,
      startsAt: wholeSeconds(license.startsAt),
      endsAt: wholeSeconds(license.endsAt),
    })
  })

  test('can be read by anyone, whoever signed it', () => {
    const token = new TestIssuer().issue({ licensee: 'Somebody' })
    assert.equal(readLicense(token).licensee, 'Somebody')
    assert.throws(() => verifyLicense(token, keys), isRefusal(/not signed by a key/))
  })

  test('counts only where its key is trusted', () => {
    assert.throws(() => verifyLicense(issuer.issue(), trustedKeys([])), isRefusal(/HOLDFAST_LICENSE_PUBLIC_KEYS/))
  })

  test('is refused when any character of it was changed', () => {
    const token = issuer.issue()
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token.charAt(at) === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      assert.throws(() => verifyLicense(changed, keys), AppError, `at ${at}`)
    }
  })

  test('is refused when its claims are those of another', () => {
    const [header, , signature] = issuer.issue().split('.')
    const [, claims] = issuer.issue({ licensee: 'Someone else' }).split('.')
    assert.throws(() => verifyLicense([header, claims, signature].join('.'), keys), isRefusal(/signature is wrong/))
  })

  const [header = {}, claims = {}] = partsOf(issuer.issue())
  test('that is put together by hand is one, if it is signed', () => {
    assert.equal(verifyLicense(handmade(header, claims), keys).licensee, 'Acme Inc')
  })

  for (const [name, token] of [
    ['nothing', ''],
    ['words', 'not a licence'],
    ['two parts', issuer.issue().split('.').slice(0, 2).join('.')],
    ['four parts', `${issuer.issue()}.x`],
    ['padding', `${issuer.issue()}==`],
    ['a megabyte', 'x'.repeat(1_048_576)],
    ['too long a list', handmade(header, { ...claims, features: Array(21).fill('f') })],
    ['no algorithm', handmade({ ...header, alg: 'none' }, claims)],
    ['another algorithm', handmade({ ...header, alg: 'HS256' }, claims)],
    ['another type', handmade({ ...header, typ: 'JWT' }, claims)],
    ['no claims', handmade(header, null)],
    ['no end', handmade(header, { ...claims, exp: undefined })],
    ['an end before its start', handmade(header, { ...claims, exp: 5, nbf: 6 })],
    ['a fraction of a second', handmade(header, { ...claims, nbf: 1.5 })],
    ['an end beyond all calendars', handmade(header, { ...claims, exp: 1e15 })],
    ['no organization', handmade(header, { ...claims, organization: undefined })],
    ['a pattern of organizations', handmade(header, { ...claims, organization: 'a*' })],
    ['no seat', handmade(header, { ...claims, seats: 0 })],
  ] as const) {
    test(`cannot have ${name}`, () => assert.throws(() => verifyLicense(token, keys), isRefusal(/malformed/)))
  }

  test('cannot be issued when it would not be one', () => {
    for (const wrong of [
      { licensee: ' ' },
      { seats: 1.5 },
      { endsAt: 0 },
      { organizationId: 'acme' },
      { features: [] },
    ])
      assert.throws(() => issuer.issue(wrong), isRefusal(/^A licence cannot have this/))
  })

  test('has a public key that fits on a line of the configuration', () => {
    assert.ok(isPublicKey(issuer.publicKey))
    for (const text of ['', issuer.publicKey.slice(1), `${issuer.publicKey}=`, `${issuer.publicKey.slice(1)}/`])
      assert.equal(isPublicKey(text), false)
  })
})
