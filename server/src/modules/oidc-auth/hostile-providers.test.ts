import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { SignJWT } from 'jose'
import { expect200, TestMachines } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const OIDC_AUTH = '/api/v1/auth/oidc-auth'
const DISCOVERY = '/.well-known/openid-configuration'
const server = await startTestServer({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k' }

type Answers = Record<string, (response: ServerResponse) => unknown>

/** A provider that answers as it is told, and what was asked of it. */
const hostile = async (answers: (issuer: string) => Answers) => {
  const requests: string[] = []
  const listener = http.createServer((request, response) => {
    requests.push(request.url ?? '')
    const answer = answers(issuer)[request.url ?? ''] ?? ((other) => other.writeHead(404).end())
    answer(response)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  after(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return { issuer, requests }
}
const json = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value))
const good = (issuer: string): Answers => ({
  [DISCOVERY]: json({ issuer, jwks_uri: `${issuer}/jwks` }),
  '/jwks': json({ keys: [key] }),
})

const loginAt = async (issuer: string, jwt?: string) => {
  const id = await machines.identity()
  const body = { oidcDiscoveryUrl: issuer, boundIssuer: issuer, boundClaims: {} }
  expect200(await server.post(`${OIDC_AUTH}/identities/${id}`, body, { token: admin.token }))
  return server.post(`${OIDC_AUTH}/login`, { identityId: id, jwt: jwt ?? (await signed(issuer)) })
}
const signed = (issuer: string, signer = privateKey) =>
  new SignJWT({ iss: issuer }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).setExpirationTime('5m').sign(signer)

const outcome = async (answers: (issuer: string) => Answers) => {
  const provider = await hostile(answers)
  const answer = await loginAt(provider.issuer)
  assert.doesNotMatch(String(answer.body.message), /\d|ECONN|jwks/)
  return { ...answer, requests: provider.requests }
}

test('a provider that answers as it should is believed', async () => {
  assert.equal((await outcome(good)).status, 200)
})

describe('a provider is refused', () => {
  const tenMegabytes = `"${'x'.repeat(10_000_000)}"`
  for (const [name, answers] of [
    [
      'whose issuer is another',
      (issuer) => ({ [DISCOVERY]: json({ issuer: `${issuer}/`, jwks_uri: `${issuer}/jwks` }) }),
    ],
    ['without issuer', (issuer) => ({ [DISCOVERY]: json({ jwks_uri: `${issuer}/jwks` }) })],
    [
      'with an issuer that is a list',
      (issuer) => ({ [DISCOVERY]: json({ issuer: [issuer], jwks_uri: `${issuer}/jwks` }) }),
    ],
    ['without a place for keys', (issuer) => ({ [DISCOVERY]: json({ issuer }) })],
    ['that is no object', () => ({ [DISCOVERY]: json(null) })],
    ['that is no JSON', () => ({ [DISCOVERY]: (response) => response.end('<html>') })],
    ['that sends ten megabytes', () => ({ [DISCOVERY]: (response) => response.end(tenMegabytes) })],
    ['that sends ten megabytes of keys', () => ({ '/jwks': (response) => response.end(tenMegabytes) })],
    ['that fails', () => ({ [DISCOVERY]: (response) => response.writeHead(503).end() })],
    ['whose keys fail', () => ({ '/jwks': (response) => response.writeHead(500).end() })],
    ['without keys', () => ({ '/jwks': json({ keys: [] }) })],
    ['whose keys are none', () => ({ '/jwks': json({ keys: 'all' }) })],
    ['with shared secrets only', () => ({ '/jwks': json({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k' }] }) })],
    ['with keys for encryption only', () => ({ '/jwks': json({ keys: [{ ...key, use: 'enc' }] }) })],
    ['with a key that is no number', () => ({ '/jwks': json({ keys: [{ ...key, n: 'AAAA' }] }) })],
    ['that hangs up', () => ({ [DISCOVERY]: (response) => response.destroy() })],
  ] as [string, (issuer: string) => Answers][]) {
    test(`${name}: 401`, async () => {
      const { status, body } = await outcome((issuer) => ({ ...good(issuer), ...answers(issuer) }))
      assert.deepEqual([status, body.error], [401, 'UnauthorizedError'])
    })
  }

  test('that redirects: 401, and nobody goes there', async () => {
    const target = await hostile(good)
    for (const path of [DISCOVERY, '/jwks']) {
      const { status } = await outcome((issuer) => ({
        ...good(issuer),
        [path]: (response) => response.writeHead(302, { location: `${target.issuer}${path}` }).end(),
      }))
      assert.equal(status, 401)
    }
    assert.deepEqual(target.requests, [])
  })

  test('whose keys are where one may not go: 400', async () => {
    for (const place of [
      'http://10.0.0.1/jwks',
      'http://169.254.169.254/',
      'http://[::1]/',
      'file:///etc/passwd',
      'https://none.invalid',
      'x',
    ]) {
      const { status, body } = await outcome((issuer) => ({ [DISCOVERY]: json({ issuer, jwks_uri: place }) }))
      assert.deepEqual([status, body.error], [400, 'BadRequest'], place)
    }
  })

  test('with keys too weak to mean anything: 401', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const provider = await hostile((issuer) => ({
      ...good(issuer),
      '/jwks': json({ keys: [{ ...weak.publicKey.export({ format: 'jwk' }), kid: 'k' }] }),
    }))
    const input = [
      { alg: 'RS256', kid: 'k' },
      { iss: provider.issuer, exp: 10_000_000_000 },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const jwt = `${input}.${sign('sha256', Buffer.from(input), weak.privateKey).toString('base64url')}`
    assert.equal((await loginAt(provider.issuer, jwt)).status, 401)
  })

  test('whose shared secret is published: 401 for what it signs', async () => {
    const provider = await hostile((issuer) => ({
      ...good(issuer),
      '/jwks': json({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'h', alg: 'HS256' }, key] }),
    }))
    const input = [
      { alg: 'HS256', kid: 'h' },
      { iss: provider.issuer, exp: 10_000_000_000 },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const jwt = `${input}.${createHmac('sha256', 'secret').update(input).digest('base64url')}`
    assert.equal((await loginAt(provider.issuer, jwt)).status, 401)
    assert.deepEqual(provider.requests, [], 'and nobody asks for the key')
  })

  test('that takes its time: 401 after five seconds, while others log in', { timeout: 30_000 }, async () => {
    const drips: NodeJS.Timeout[] = []
    const slow = (response: ServerResponse) => drips.push(setInterval(() => response.write(' '), 100))
    const startedAt = performance.now()
    const waiting = outcome(() => ({ [DISCOVERY]: slow }))
    assert.equal((await outcome(good)).status, 200)
    assert.equal((await waiting).status, 401)
    const tookMs = performance.now() - startedAt
    for (const drip of drips) clearInterval(drip)
    assert.ok(tookMs >= 4_900 && tookMs < 9_000, `${tookMs} ms`)
  })
})
