import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { claimsIn, expect200, TestMachines, TOKEN_AUTH, WHO_AM_I, without } from '../../../test/test-machines.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const admin = await server.bootstrap()
const machines = new TestMachines(server, admin)
const { token } = admin

const pathOf = (identityId: string, rest = '') => `${TOKEN_AUTH}/identities/${identityId}${rest}`
const refusal = ({ status, body }: { status: number; body: { error?: unknown } }) => [status, body.error]
const EVERYWHERE = [
  { ipAddress: '0.0.0.0', type: 'ipv4', prefix: 0 },
  { ipAddress: '::', type: 'ipv6', prefix: 0 },
]

/** An identity that has token auth. */
const attached = async (settings: object = {}): Promise<string> => {
  const id = await machines.identity()
  expect200(await server.post(pathOf(id), settings, { token }))
  return id
}
const make = async (id: string, body: object = {}) =>
  expect200(await server.post(pathOf(id, '/tokens'), body, { token })).body
const withoutMethod = await machines.identity()

describe('the token auth of an identity', () => {
  test('is attached with its defaults, read, changed and detached', async () => {
    const identityId = await machines.identity()
    const { body } = expect200(await server.post(pathOf(identityId), { identityId: 'ignored', unknown: 1 }, { token }))
    assert.equal(body.identityTokenAuth.createdAt, body.identityTokenAuth.updatedAt)
    assert.deepEqual(without(body.identityTokenAuth, 'id', 'createdAt', 'updatedAt'), {
      identityId,
      accessTokenTTL: 2_592_000,
      accessTokenMaxTTL: 2_592_000,
      accessTokenNumUsesLimit: 0,
      accessTokenPeriod: 0,
      accessTokenTrustedIps: EVERYWHERE,
    })
    assert.deepEqual((await server.get(pathOf(identityId), { token })).body, body)
    assert.deepEqual((await server.patch(pathOf(identityId), {}, { token })).body, body)

    const changes = { accessTokenTTL: 60, accessTokenTrustedIps: [{ ipAddress: '10.0.0.0/8', x: 1 }] }
    const changed = expect200(await server.patch(pathOf(identityId), changes, { token })).body
    assert.equal(changed.identityTokenAuth.accessTokenTTL, 60)
    assert.deepEqual(changed.identityTokenAuth.accessTokenTrustedIps, [
      { ipAddress: '10.0.0.0', type: 'ipv4', prefix: 8 },
    ])
    assert.deepEqual(expect200(await server.delete(pathOf(identityId), { token })).body, changed)
  })

  test('400 when it is attached already, or to be detached and not there', async () => {
    assert.deepEqual(refusal(await server.post(pathOf(await attached()), {}, { token })), [400, 'BadRequest'])
    assert.deepEqual(refusal(await server.delete(pathOf(withoutMethod), { token })), [400, 'BadRequest'])
  })

  test('404 when it is read or changed and not there, or there is no such identity', async () => {
    for (const id of [withoutMethod, randomUUID(), 'abc']) {
      assert.deepEqual(refusal(await server.get(pathOf(id), { token })), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.patch(pathOf(id), {}, { token })), [404, 'NotFound'])
    }
    assert.deepEqual(refusal(await server.post(pathOf(randomUUID()), {}, { token })), [404, 'NotFound'])
  })

  test('400 and 422 for settings that cannot be', async () => {
    const id = await machines.identity()
    const attach = (body: object) => server.post(pathOf(id), body, { token })
    assert.deepEqual(refusal(await attach({ accessTokenMaxTTL: 0 })), [422, 'ValidationFailure'])
    assert.deepEqual(refusal(await attach({ accessTokenTrustedIps: [] })), [422, 'ValidationFailure'])
    assert.deepEqual(refusal(await attach({ accessTokenTrustedIps: [{ ipAddress: 'x' }] })), [400, 'BadRequest'])
    const changes = { accessTokenTTL: 60, accessTokenMaxTTL: 30 }
    const change = (body: object) => attached().then((other) => server.patch(pathOf(other), body, { token }))
    assert.deepEqual(refusal(await change(changes)), [422, 'ValidationFailure'])
    assert.deepEqual(refusal(await change({ accessTokenMaxTTL: 30 })), [400, 'BadRequest'])
  })
})

describe('making a token', () => {
  test('200 with one that works, and what is listed of it', async () => {
    const id = await attached({ accessTokenTTL: 600, accessTokenMaxTTL: 3600, accessTokenNumUsesLimit: 2 })
    const { accessToken, tokenData, ...answer } = await make(id, { name: 'for the pipeline' })
    assert.deepEqual(answer, { expiresIn: 600, accessTokenMaxTTL: 3600, tokenType: 'Bearer' })
    assert.deepEqual(without(tokenData, 'createdAt', 'updatedAt'), {
      id: claimsIn(accessToken).jti,
      identityId: id,
      name: 'for the pipeline',
      authMethod: 'token-auth',
      accessTokenTTL: 600,
      accessTokenMaxTTL: 3600,
      accessTokenPeriod: 0,
      accessTokenNumUses: 0,
      accessTokenNumUsesLimit: 2,
      accessTokenLastUsedAt: null,
      accessTokenLastRenewedAt: null,
      isAccessTokenRevoked: false,
      identityUAClientSecretId: null,
      subOrganizationId: null,
    })
    assert.deepEqual([claimsIn(accessToken).authMethod, claimsIn(accessToken).clientSecretId], ['token-auth', ''])
    assert.equal((await server.get(WHO_AM_I, { token: accessToken })).status, 200)
    const { body } = await server.get(`${TOKEN_AUTH}/tokens/${tokenData.id}`, { token })
    assert.equal(body.token.accessTokenNumUses, 1)
  })

  test('200 with its real lifetime where there is no limit', async () => {
    const made = await make(await attached({ accessTokenTTL: 0, accessTokenMaxTTL: 0 }))
    assert.deepEqual([made.expiresIn, made.accessTokenMaxTTL, made.tokenData.name], [7_776_000, 0, null])
  })

  for (const [status, error, name, body] of [
    [422, 'ValidationFailure', 'a name of 256 characters', { name: 'x'.repeat(256) }],
    [422, 'ValidationFailure', 'what is no slug', { organizationSlug: 'No Slug' }],
    [404, 'NotFound', 'another organization', { organizationSlug: 'elsewhere' }],
  ] as const) {
    test(`${status} for ${name}`, async () => {
      const answer = await server.post(pathOf(await attached(), '/tokens'), body, { token })
      assert.deepEqual(refusal(answer), [status, error])
    })
  }

  test('400 without token auth', async () => {
    assert.deepEqual(refusal(await server.post(pathOf(withoutMethod, '/tokens'), {}, { token })), [400, 'BadRequest'])
  })
})

describe('the tokens that were made', () => {
  test('are listed, the one changed last first, page by page', async () => {
    const id = await attached()
    const ids = []
    for (let times = 1; times <= 3; times++) ids.unshift((await make(id)).tokenData.id)
    const list = async (query: Record<string, string>) =>
      (await server.get(pathOf(id, '/tokens'), { token, query })).body.tokens.map((one: { id: string }) => one.id)
    assert.deepEqual(await list({}), ids)
    assert.deepEqual(await list({ offset: '1', limit: '1' }), [ids[1]])
    expect200(await server.patch(`${TOKEN_AUTH}/tokens/${ids[2]}`, { name: 'new' }, { token }))
    assert.deepEqual(await list({ limit: '1' }), [ids[2]])
  })

  test('422 for a page that cannot be', async () => {
    for (const query of [{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { offset: '101' }, { limit: 'x' }]) {
      const answer = await server.get(pathOf(withoutMethod, '/tokens'), { token, query })
      assert.deepEqual(refusal(answer), [422, 'ValidationFailure'])
    }
  })

  test('are found by either path, but not under another identity', async () => {
    const id = await attached()
    const { tokenData } = await make(id)
    const found = await server.get(`${TOKEN_AUTH}/tokens/${tokenData.id}`, { token })
    assert.deepEqual([found.status, found.body], [200, { token: tokenData }])
    assert.deepEqual((await server.get(pathOf(id, `/tokens/${tokenData.id}`), { token })).body, { token: tokenData })
    const elsewhere = await server.get(pathOf(withoutMethod, `/tokens/${tokenData.id}`), { token })
    assert.deepEqual(refusal(elsewhere), [404, 'NotFound'])
  })

  test('are named anew; without a name nothing changes', async () => {
    const { tokenData } = await make(await attached(), { name: 'old' })
    const path = `${TOKEN_AUTH}/tokens/${tokenData.id}`
    assert.deepEqual(expect200(await server.patch(path, {}, { token })).body, { token: tokenData })
    assert.equal(expect200(await server.patch(path, { name: 'new' }, { token })).body.token.name, 'new')
  })

  test('are revoked once: they end, and stay in the list', async () => {
    const id = await attached()
    const { accessToken, tokenData } = await make(id)
    assert.equal((await server.get(WHO_AM_I, { token: accessToken })).status, 200)
    const revoke = () => server.post(`${TOKEN_AUTH}/tokens/${tokenData.id}/revoke`, undefined, { token })
    assert.equal(typeof expect200(await revoke()).body.message, 'string')
    assert.deepEqual(refusal(await server.get(WHO_AM_I, { token: accessToken })), [401, 'UnauthorizedError'])
    assert.deepEqual(refusal(await revoke()), [404, 'NotFound'])
    const { body } = await server.get(pathOf(id, '/tokens'), { token })
    assert.equal(body.tokens[0].isAccessTokenRevoked, true)
  })

  test('show when they were renewed, and end with the method', async () => {
    const id = await attached()
    const { accessToken, tokenData } = await make(id)
    const renewed = expect200(await server.post('/api/v1/auth/token/renew', { accessToken })).body.accessToken as string
    const { body } = await server.get(`${TOKEN_AUTH}/tokens/${tokenData.id}`, { token })
    assert.notEqual(body.token.accessTokenLastRenewedAt, null)
    expect200(await server.delete(pathOf(id), { token }))
    for (const one of [accessToken, renewed]) assert.equal((await server.get(WHO_AM_I, { token: one })).status, 401)
    assert.deepEqual(refusal(await server.get(`${TOKEN_AUTH}/tokens/${tokenData.id}`, { token })), [404, 'NotFound'])
  })

  test('show when they were last used, from the first use on', async () => {
    const id = await attached()
    const [{ accessToken, tokenData }, idle] = [await make(id), await make(id)]
    const read = async (tokenId: string) =>
      expect200(await server.get(`${TOKEN_AUTH}/tokens/${tokenId}`, { token })).body.token
    assert.equal((await read(tokenData.id)).accessTokenLastUsedAt, null)

    const before = Date.now()
    expect200(await server.get(WHO_AM_I, { token: accessToken }))
    const deadline = performance.now() + 5_000
    let used = await read(tokenData.id)
    while (used.accessTokenLastUsedAt === null) {
      assert.ok(performance.now() < deadline, 'the use was not recorded')
      used = await read(tokenData.id)
    }
    assert.ok(Math.abs(Date.parse(used.accessTokenLastUsedAt) - before) < 10_000)
    assert.equal(used.updatedAt, tokenData.updatedAt)
    assert.equal((await read(idle.tokenData.id)).accessTokenLastUsedAt, null)
  })

  test('404 for those that do not exist', async () => {
    for (const id of [randomUUID(), 'abc']) {
      const path = `${TOKEN_AUTH}/tokens/${id}`
      assert.deepEqual(refusal(await server.get(path, { token })), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.patch(path, { name: 'x' }, { token })), [404, 'NotFound'])
      assert.deepEqual(refusal(await server.post(`${path}/revoke`, {}, { token })), [404, 'NotFound'])
    }
  })
})
