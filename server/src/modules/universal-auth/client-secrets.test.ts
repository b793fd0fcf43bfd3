import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { openBeside } from '../../../test/test-database.ts'
import { TestMachines, UNIVERSAL_AUTH, WHO_AM_I } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin
const db = openBeside(server.url)

const pathOf = (identityId: string, rest = '') => `${UNIVERSAL_AUTH}/identities/${identityId}/client-secrets${rest}`
const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]

const withoutMethod = await machines.identity()
const machine = await machines.withSecret()

describe('creating a client secret', () => {
  test('200 with the secret, once, and what is known of it', async () => {
    const body = { description: ' for the pipeline ', numUsesLimit: 5, ttl: 60, identityId: 'ignored' }
    const created = await server.post(pathOf(machine.id), body, { token })
    const { clientSecret, clientSecretData } = created.body
    const { id, createdAt, updatedAt, identityUAId, ...data } = clientSecretData
    assert.equal(created.status, 200)
    assert.match(clientSecret, /^[0-9a-f]{64}$/)
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(identityUAId, /^[0-9a-f-]{36}$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(data, {
      description: 'for the pipeline',
      clientSecretPrefix: clientSecret.slice(0, 4),
      clientSecretNumUses: 0,
      clientSecretNumUsesLimit: 5,
      clientSecretTTL: 60,
      isClientSecretRevoked: false,
    })
    assert.ok(!(await server.get(pathOf(machine.id, `/${id}`), { token })).text.includes(clientSecret))
  })

  test('200 with the defaults for an empty object', async () => {
    const { body } = await server.post(pathOf(machine.id), {}, { token })
    const { description, clientSecretNumUsesLimit, clientSecretTTL } = body.clientSecretData
    assert.deepEqual([description, clientSecretNumUsesLimit, clientSecretTTL], ['', 0, 0])
  })

  for (const [name, body] of [
    ['a description of 256 characters', { description: 'x'.repeat(256) }],
    ['half a use', { numUsesLimit: 0.5 }],
    ['a limit of -1', { numUsesLimit: -1 }],
    ['a TTL of half a second', { ttl: 0.5 }],
    ['a TTL beyond ten years', { ttl: 315_360_001 }],
  ] as const) {
    test(`422 for ${name}`, async () => {
      assert.deepEqual(refusal(await server.post(pathOf(machine.id), body, { token })), [422, 'ValidationFailure'])
    })
  }

  test('400 without universal auth, 404 for an unknown identity, 401 without a token', async () => {
    assert.deepEqual(refusal(await server.post(pathOf(withoutMethod), {}, { token })), [400, 'BadRequest'])
    assert.deepEqual(refusal(await server.post(pathOf('abc'), {}, { token })), [404, 'NotFound'])
    assert.deepEqual(refusal(await server.post(pathOf(machine.id), {})), [401, 'UnauthorizedError'])
  })
})

describe('reading client secrets', () => {
  test('200 lists those that are not revoked, the newest first', async () => {
    const { id } = await machines.withSecret({}, { description: 'first' })
    for (const description of ['second', 'third']) await server.post(pathOf(id), { description }, { token })
    const listed = await server.get(pathOf(id), { token })
    const described = listed.body.clientSecretData.map(({ description }: { description: string }) => description)
    assert.deepEqual(described, ['third', 'second', 'first'])

    await server.post(pathOf(id, `/${listed.body.clientSecretData[1].id}/revoke`), undefined, { token })
    const left = await server.get(pathOf(id), { token })
    assert.deepEqual(
      left.body.clientSecretData.map((secret: { description: string }) => secret.description),
      ['third', 'first'],
    )
  })

  test('200 lists all that can be used, however many newer ones have expired', async () => {
    const { id, clientSecretId } = await machines.withSecret()
    const expired = sql`insert into universal_auth_client_secrets
      (id, config_id, code, prefix, description, num_uses_limit, ttl_seconds, created_at, updated_at)
      select gen_random_uuid(), config_id, sha256(n::text::bytea), prefix, 'expired', 0, 1, created_at, created_at
      from universal_auth_client_secrets, generate_series(1, 1500) n where id = ${clientSecretId}`
    await expired.execute(db.pool)
    server.clock.advance(2_000)
    const listed = (await server.get(pathOf(id), { token })).body.clientSecretData as { id: string }[]
    assert.equal(listed.length, 1_001)
    assert.ok(listed.some((secret) => secret.id === clientSecretId))
  })

  test('200 gets one, also when it is revoked or has expired', async () => {
    const { id, clientSecretId } = await machines.withSecret({}, { ttl: 1 })
    server.clock.advance(2_000)
    const path = pathOf(id, `/${clientSecretId}`)
    assert.equal((await server.get(path, { token })).body.clientSecretData.isClientSecretRevoked, false)
    assert.equal((await server.get(pathOf(id), { token })).body.clientSecretData.length, 1)
    await server.post(`${path}/revoke`, {}, { token })
    assert.equal((await server.get(path, { token })).body.clientSecretData.isClientSecretRevoked, true)
  })

  test('404 for what is not there', async () => {
    const other = await machines.withSecret()
    for (const path of [
      pathOf(withoutMethod),
      pathOf(randomUUID()),
      pathOf(withoutMethod, `/${randomUUID()}`),
      pathOf(machine.id, `/${randomUUID()}`),
      pathOf(machine.id, '/abc'),
      pathOf(machine.id, `/${other.clientSecretId}`),
    ]) {
      assert.deepEqual(refusal(await server.get(path, { token })), [404, 'NotFound'], path)
    }
  })
})

describe('revoking a client secret', () => {
  test('200, again and again; it and the tokens it was used for are of no use any more', async () => {
    const revoked = await machines.withSecret()
    const other = (await server.post(pathOf(revoked.id), {}, { token })).body.clientSecret as string
    const tokens = [await machines.tokenOf(revoked), await machines.tokenOf({ ...revoked, clientSecret: other })]
    const statuses = async () =>
      Promise.all(tokens.map(async (one) => (await server.get(WHO_AM_I, { token: one })).status))
    assert.deepEqual(await statuses(), [200, 200])

    for (let times = 1; times <= 2; times++) {
      const answer = await server.post(pathOf(revoked.id, `/${revoked.clientSecretId}/revoke`), undefined, { token })
      assert.deepEqual([answer.status, answer.body.clientSecretData.isClientSecretRevoked], [200, true])
    }
    assert.deepEqual(await statuses(), [401, 200])
    assert.deepEqual(refusal(await machines.login(revoked)), [401, 'UnauthorizedError'])
    assert.equal((await machines.login({ ...revoked, clientSecret: other })).status, 200)
  })

  test('404 for one of another identity, 400 without universal auth', async () => {
    const other = await machines.withSecret()
    const revoke = (id: string) => server.post(pathOf(id, `/${other.clientSecretId}/revoke`), {}, { token })
    assert.deepEqual(refusal(await revoke(machine.id)), [404, 'NotFound'])
    assert.deepEqual(refusal(await revoke(withoutMethod)), [400, 'BadRequest'])
    assert.equal((await machines.login(other)).status, 200)
  })
})
