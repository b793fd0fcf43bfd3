import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { LOOPBACK_CERTIFICATE } from '../../../test/loopback-certificate.ts'
import { openBeside } from '../../../test/test-database.ts'
import { expect200, TestMachines, without } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const OIDC_AUTH = '/api/v1/auth/oidc-auth'
/** An address of no interest to anyone; nothing is sent to it. */
const ALLOWED = 'http://127.0.0.9:9'
const server = await startTestServer({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.9' })
const db = openBeside(server.url)
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin

const pathOf = (identityId: string) => `${OIDC_AUTH}/identities/${identityId}`
const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]
const MINIMAL = { oidcDiscoveryUrl: ALLOWED, boundIssuer: ALLOWED, boundClaims: {} }
const FULL = {
  oidcDiscoveryUrl: `${ALLOWED}/tenant`,
  caCert: LOOPBACK_CERTIFICATE.trim(),
  boundIssuer: 'https://issuer.example/',
  boundAudiences: 'one, two',
  boundClaims: { environment: 'prod, staging', 'nested.claim': '*' },
  claimMetadataMapping: { team: 'team.name' },
  boundSubject: 'repo:acme/*',
  accessTokenTTL: 600,
  accessTokenMaxTTL: 3600,
  accessTokenNumUsesLimit: 5,
}
const EVERYWHERE = [
  { ipAddress: '0.0.0.0', type: 'ipv4', prefix: 0 },
  { ipAddress: '::', type: 'ipv6', prefix: 0 },
]

const attach = async (id: string, body: object = MINIMAL) => server.post(pathOf(id), body, { token })
const attached = async (body: object = MINIMAL): Promise<string> => {
  const id = await machines.identity()
  expect200(await attach(id, body))
  return id
}
const withoutMethod = await machines.identity()

describe('the OIDC auth of an identity', () => {
  test('is attached with its defaults, read, and detached', async () => {
    const identityId = await machines.identity()
    const { body } = expect200(await attach(identityId, { ...MINIMAL, identityId: 'ignored', unknown: 1 }))
    const { id, createdAt, updatedAt, ...config } = body.identityOidcAuth
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(config, {
      identityId,
      oidcDiscoveryUrl: ALLOWED,
      caCert: '',
      boundIssuer: ALLOWED,
      boundAudiences: '',
      boundClaims: {},
      claimMetadataMapping: null,
      boundSubject: '',
      accessTokenTTL: 2_592_000,
      accessTokenMaxTTL: 2_592_000,
      accessTokenNumUsesLimit: 0,
      accessTokenTrustedIps: EVERYWHERE,
    })
    assert.deepEqual((await server.get(pathOf(identityId), { token })).body, body)
    const shown = (await server.get(`/api/v1/identities/${identityId}`, { token })).body.identity.identity
    assert.deepEqual(shown.authMethods, ['oidc-auth'])

    const detached = expect200(await server.delete(pathOf(identityId), { token, body: { identityId } })).body
    assert.deepEqual(detached, { identityOidcAuth: without(body.identityOidcAuth, 'caCert') })
    assert.deepEqual(refusal(await server.get(pathOf(identityId), { token })), [404, 'NotFound'])
  })

  test('is attached with everything, lists in one spelling', async () => {
    const identityId = await machines.identity()
    const sent = {
      ...FULL,
      caCert: `\n ${LOOPBACK_CERTIFICATE}\n`,
      boundAudiences: ' one,two ',
      boundClaims: { ...FULL.boundClaims, environment: 'prod,   staging' },
      accessTokenTrustedIps: [{ ipAddress: '10.0.0.0/8', x: 1 }],
    }
    const config = without(
      expect200(await attach(identityId, sent)).body.identityOidcAuth,
      'id',
      'createdAt',
      'updatedAt',
    )
    const accessTokenTrustedIps = [{ ipAddress: '10.0.0.0', type: 'ipv4', prefix: 8 }]
    assert.deepEqual(config, { ...FULL, identityId, accessTokenTrustedIps })
  })

  test('is changed in what is named, and in nothing else', async () => {
    const id = await attached(FULL)
    const change = async (changes: object) =>
      expect200(await server.patch(pathOf(id), changes, { token })).body.identityOidcAuth
    const before = await change({})
    for (const changes of [
      { oidcDiscoveryUrl: `${ALLOWED}/other` },
      { caCert: '' },
      { boundIssuer: 'other' },
      { boundAudiences: '' },
      { boundClaims: {} },
      { claimMetadataMapping: {} },
      { boundSubject: '' },
      { accessTokenTTL: 60, accessTokenMaxTTL: 0, accessTokenNumUsesLimit: 0 },
    ]) {
      const expected = without({ ...before, ...changes }, 'updatedAt')
      assert.deepEqual(without(await change(changes), 'updatedAt'), expected)
      Object.assign(before, changes)
    }
    assert.deepEqual((await change({})).caCert, '')
  })

  test('keeps the certificate sealed, and opens it only in its own place', async () => {
    const [id, other] = [await attached(FULL), await attached(FULL)]
    const { rows } = await sql<{ row: string }>`
      select oidc_auth_configs::text as row from oidc_auth_configs where identity_id = ${id}`.execute(db.pool)
    const kept = rows[0]?.row ?? ''
    const line = Buffer.from(LOOPBACK_CERTIFICATE.split('\n')[1] ?? '')
    assert.ok(
      kept.includes('issuer.example') && !kept.includes(line.toString()) && !kept.includes(line.toString('hex')),
    )

    await sql`
      update oidc_auth_configs set ca_certificate = (select ca_certificate from oidc_auth_configs where identity_id = ${id})
      where identity_id = ${other}`.execute(db.pool)
    assert.equal((await server.get(pathOf(id), { token })).status, 200)
    assert.equal((await server.get(pathOf(other), { token })).status, 500)
    const { rows: audited } = await sql<{ text: string }>`
      select event_metadata::text as text from audit_logs where event_type = 'add-identity-oidc-auth'`.execute(db.pool)
    assert.ok(audited.length > 0 && audited.every(({ text }) => !text.includes('CERTIFICATE')))
  })

  test('400 when it is there already, or is not there to be changed or detached', async () => {
    assert.deepEqual(refusal(await attach(await attached())), [400, 'BadRequest'])
    assert.deepEqual(refusal(await server.patch(pathOf(withoutMethod), {}, { token })), [400, 'BadRequest'])
    assert.deepEqual(refusal(await server.delete(pathOf(withoutMethod), { token })), [400, 'BadRequest'])
  })

  test('404 when it is not there to be read, or there is no such identity', async () => {
    assert.deepEqual(refusal(await server.get(pathOf(withoutMethod), { token })), [404, 'NotFound'])
    for (const id of [randomUUID(), 'abc']) {
      assert.deepEqual(refusal(await attach(id)), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.get(pathOf(id), { token })), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.patch(pathOf(id), {}, { token })), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.delete(pathOf(id), { token })), [404, 'NotFound'])
    }
  })

  test('is attached once, however many try at once', async () => {
    const id = await machines.identity()
    const answers = await Promise.all(Array.from({ length: 5 }, () => attach(id, FULL)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })
})

describe('422 for', () => {
  const long = 'x'.repeat(256)
  for (const [name, body] of [
    ['no body', undefined],
    ['no discovery URL', { ...MINIMAL, oidcDiscoveryUrl: undefined }],
    ['what is no URL', { ...MINIMAL, oidcDiscoveryUrl: 'issuer.example' }],
    ['a long discovery URL', { ...MINIMAL, oidcDiscoveryUrl: `https://x/${long}` }],
    ['no issuer', { ...MINIMAL, boundIssuer: undefined }],
    ['an empty issuer', { ...MINIMAL, boundIssuer: '' }],
    ['a long issuer', { ...MINIMAL, boundIssuer: long }],
    ['no claims', { ...MINIMAL, boundClaims: undefined }],
    ['claims that are no object', { ...MINIMAL, boundClaims: ['a'] }],
    ['claims that are no texts', { ...MINIMAL, boundClaims: { a: 1 } }],
    ['a claim that is a list', { ...MINIMAL, boundClaims: { a: ['b'] } }],
    [
      'too many claims',
      { ...MINIMAL, boundClaims: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, 'a'])) },
    ],
    ['a mapping that is null', { ...MINIMAL, claimMetadataMapping: null }],
    ['long audiences', { ...MINIMAL, boundAudiences: long }],
    ['a long subject', { ...MINIMAL, boundSubject: long }],
    ['a subject that is null', { ...MINIMAL, boundSubject: null }],
    ['a NUL', { ...MINIMAL, boundSubject: 'a\0' }],
    ['a NUL in a claim', { ...MINIMAL, boundClaims: { a: '\0' } }],
    ['a huge certificate', { ...MINIMAL, caCert: 'x'.repeat(65_537) }],
    ['a TTL above the maximum', { ...MINIMAL, accessTokenMaxTTL: 0 }],
    ['a TTL that is no number', { ...MINIMAL, accessTokenTTL: '1' }],
    ['no addresses', { ...MINIMAL, accessTokenTrustedIps: [] }],
  ] as const) {
    test(name, async () => {
      const answer = await server.post(pathOf(await machines.identity()), body, { token })
      assert.deepEqual(refusal(answer), [422, 'ValidationFailure'], answer.text)
    })
  }

  test('changes that do not fit', async () => {
    const id = await attached(FULL)
    for (const changes of [
      { boundIssuer: '' },
      { oidcDiscoveryUrl: 'x' },
      { accessTokenTTL: 9, accessTokenMaxTTL: 8 },
    ]) {
      assert.deepEqual(refusal(await server.patch(pathOf(id), changes, { token })), [422, 'ValidationFailure'])
    }
    assert.deepEqual(refusal(await server.patch(pathOf(id), { accessTokenMaxTTL: 9 }, { token })), [400, 'BadRequest'])
  })
})

describe('a discovery URL that one may not go to', async () => {
  let connections = 0
  const inside = http.createServer().on('connection', () => connections++)
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  after(() => inside.close())
  const { port } = inside.address() as AddressInfo
  const [first, second] = [await machines.identity(), await attached()]

  for (const url of [
    'http://169.254.169.254/',
    `http://[::1]:${port}/`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}`,
    `http://0x7f000001:${port}`,
    `http://2130706433:${port}`,
    `http://0:${port}`,
    'http://10.0.0.1',
    'http://[fd00:ec2::254]/',
    'https://does-not-exist.invalid',
    'file:///etc/passwd',
    'gopher://127.0.0.9/',
    'http://user:pass@127.0.0.9:9/',
  ]) {
    test(`400 and no request: ${url.replace(String(port), 'port')}`, async () => {
      const answers = [
        await attach(first, { ...MINIMAL, oidcDiscoveryUrl: url }),
        await server.patch(pathOf(second), { oidcDiscoveryUrl: url }, { token }),
      ]
      for (const { status, body } of answers) {
        assert.deepEqual([status, body.error], [400, 'BadRequest'])
        assert.doesNotMatch(body.message, /\d|ENOTFOUND|invalid|localhost/)
      }
      assert.equal(connections, 0)
    })
  }
})

describe('whoever may not', () => {
  test('is refused without the right, and without the power to hand on', async () => {
    const id = await attached()
    const [nobody, member] = [await machines.tokenWith('no-access'), await machines.tokenWith('member')]
    const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', as: string) =>
      server.request(method, pathOf(id), method === 'POST' || method === 'PATCH' ? MINIMAL : undefined, { token: as })
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const) {
      assert.deepEqual(refusal(await call(method, nobody)), [403, 'PermissionDenied'], method)
    }
    for (const method of ['POST', 'PATCH'] as const) {
      assert.deepEqual(refusal(await call(method, member)), [403, 'PermissionDenied'], method)
    }
    const refused = await call('DELETE', member)
    assert.deepEqual(refusal(refused), [403, 'PermissionBoundaryError'])
    assert.deepEqual(refused.body.details, { missingPermissions: [{ action: 'revoke-auth', subject: 'identity' }] })
    assert.equal((await call('GET', member)).status, 200)
  })

  test('changes an instance administrator only as one', async () => {
    const anAdmin = await machines.tokenWith('admin')
    const path = pathOf(admin.identityId)
    assert.deepEqual(refusal(await server.post(path, MINIMAL, { token: anAdmin })), [403, 'ForbiddenError'])
    assert.deepEqual(refusal(await server.delete(path, { token: anAdmin })), [403, 'ForbiddenError'])
  })

  test('sees an identity of another organization as none', async () => {
    const id = await attached()
    const person = await server.post('/api/v3/auth/login', { email: admin.email, password: admin.password })
    const created = await server.post('/api/v2/organizations', { name: 'Other' }, { token: person.body.accessToken })
    const organizationId = created.body.organization.id as string
    const selected = await server.post(
      '/api/v3/auth/select-organization',
      { organizationId },
      { token: person.body.accessToken },
    )
    const elsewhere = { token: selected.body.token as string }
    assert.deepEqual(refusal(await server.get(pathOf(id), elsewhere)), [404, 'NotFound'])
    assert.deepEqual(refusal(await server.post(pathOf(id), MINIMAL, elsewhere)), [404, 'NotFound'])
    assert.deepEqual(refusal(await server.delete(pathOf(id), elsewhere)), [404, 'NotFound'])
  })
})
