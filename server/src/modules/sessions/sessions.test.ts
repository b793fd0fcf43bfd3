import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimsOf } from '../../../test/test-people.ts'
import { type Answer, startServerOn, startTestServer } from '../../../test/test-server.ts'

const LOGIN = '/api/v3/auth/login'
const CHECK = '/api/v1/auth/checkAuth'
const REFRESH = '/api/v1/auth/token'
const LOG_OUT = '/api/v1/auth/logout'
const SESSIONS = '/api/v2/users/me/sessions'
const HOUR_MS = 3_600_000
const CLEARED = /^jid=; Path=\/api; HttpOnly; SameSite=Strict; Max-Age=0$/

const server = await startTestServer()
const admin = await server.bootstrap()

const cookieOf = ({ headers }: Answer) => /^jid=([^;]+)/.exec(String(headers['set-cookie']))?.[1] ?? ''
const open = async (ip = '10.0.0.1') => {
  const answer = await server.post(LOGIN, { email: admin.email, password: admin.password }, { ip })
  return { token: answer.body.accessToken as string, jid: cookieOf(answer) }
}
const refresh = (jid: string) => server.post(REFRESH, undefined, { headers: { cookie: `other=1; jid=${jid}` } })
const check = (token: string | undefined) => server.post(CHECK, undefined, { token })
const select = (token: string) =>
  server.post('/api/v3/auth/select-organization', { organizationId: admin.organizationId }, { token })

describe(`POST ${CHECK}`, () => {
  test('200 for a session with and without an organization', async () => {
    const { token } = await open()
    assert.deepEqual((await check(token)).body, { message: 'Authenticated' })
    assert.equal((await check((await select(token)).body.token)).status, 200)
  })

  test('401 when the session has ended, told apart as stale', async () => {
    const { token } = await open()
    await server.post(LOG_OUT, undefined, { token })
    const { status, body } = await check(token)
    assert.deepEqual([status, body.error], [401, 'StaleSession'])
  })

  test('403 when the token has expired', async () => {
    const { token } = await open()
    server.clock.advance(10 * 24 * HOUR_MS)
    const { status, body } = await check(token)
    assert.deepEqual([status, body.error], [403, 'TokenError'])
  })

  for (const [status, error, reason, token] of [
    [401, 'UnauthorizedError', 'no token is sent', undefined],
    [403, 'TokenError', 'it is nonsense', 'nonsense'],
    [403, 'ForbiddenError', 'it is that of an identity', admin.token],
  ] as const) {
    test(`${status} when ${reason}`, async () => {
      const answer = await check(token)
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }

  test('401 for a refresh token, which is no access token', async () => {
    const { jid } = await open()
    const { status, body } = await check(jid)
    assert.deepEqual([status, body.error], [401, 'UnauthorizedError'])
  })

  test('401 on a route of an organization until one is selected', async () => {
    const { token } = await open()
    const { status, body } = await server.get('/api/v1/organization/permissions', { token })
    assert.deepEqual([status, body.error], [401, 'UnauthorizedError'])
  })
})

describe(`POST ${REFRESH}`, () => {
  test('200 gives a new access token and replaces the cookie', async () => {
    const { token, jid } = await open()
    const { status, body, ...answer } = await refresh(jid)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['token'])
    assert.equal(claimsOf(body.token)['tokenVersionId'], claimsOf(token)['tokenVersionId'])
    const next = cookieOf({ status, body, ...answer })
    assert.deepEqual([claimsOf(jid)['refreshVersion'], claimsOf(next)['refreshVersion']], [1, 2])
    const { iat, exp } = claimsOf(next)
    assert.equal(Number(exp) - Number(iat), 90 * 24 * 3600)
    assert.equal((await check(token)).status, 200, 'the old access token lives to its own end')
  })

  test('200 keeps the organization that was selected', async () => {
    const selected = await select((await open()).token)
    const { body } = await refresh(cookieOf(selected))
    assert.equal(body.organizationId, admin.organizationId)
    assert.equal(claimsOf(body.token)['organizationId'], admin.organizationId)
  })

  test('200 without a new cookie for two at the same time', async () => {
    const { jid } = await open()
    const answers = await Promise.all([refresh(jid), refresh(jid), refresh(jid)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal(answers.filter(({ headers }) => headers['set-cookie'] !== undefined).length, 1)
  })

  test('401 for a token that was replaced more than ten seconds ago, and the session is over for everyone', async () => {
    const { token, jid } = await open()
    const next = cookieOf(await refresh(jid))
    server.clock.advance(9_000)
    assert.equal((await refresh(jid)).status, 200)
    server.clock.advance(1_500)
    const reused = await refresh(jid)
    assert.deepEqual([reused.status, reused.body.error], [401, 'TokenReuse'])
    assert.match(String(reused.headers['set-cookie']), CLEARED)
    assert.equal((await check(token)).body.error, 'StaleSession')
    assert.equal((await refresh(next)).body.error, 'InvalidToken')
  })

  test('401 for a token two versions old, at once', async () => {
    const { jid } = await open()
    await refresh(cookieOf(await refresh(jid)))
    assert.equal((await refresh(jid)).body.error, 'TokenReuse')
  })

  test('403 when it has expired', async () => {
    const { jid } = await open()
    server.clock.advance(90 * 24 * HOUR_MS)
    assert.deepEqual((await refresh(jid)).body.error, 'TokenError')
  })

  test('401 for an access token in the cookie', async () => {
    const { token } = await open()
    const { status, body } = await refresh(token)
    assert.deepEqual([status, body.error], [401, 'InvalidToken'])
  })

  test('403 for nonsense, and 404 without a cookie, which is cleared', async () => {
    const nonsense = await refresh('nonsense')
    assert.deepEqual([nonsense.status, nonsense.body.error], [403, 'TokenError'])
    assert.match(String(nonsense.headers['set-cookie']), CLEARED)
    const none = await server.post(REFRESH)
    assert.deepEqual([none.status, none.body.error], [404, 'AuthTokenNotFound'])
  })
})

describe(`POST ${LOG_OUT}`, () => {
  test('200 ends the session of the access token, and of the cookie', async () => {
    const [byToken, byCookie] = [await open(), await open()]
    const { status, headers } = await server.post(LOG_OUT, undefined, {
      token: byToken.token,
      headers: { cookie: `jid=${byCookie.jid}` },
    })
    assert.equal(status, 200)
    assert.match(String(headers['set-cookie']), CLEARED)
    assert.equal((await check(byToken.token)).status, 401)
    assert.equal((await check(byCookie.token)).status, 401)
    assert.equal((await refresh(byToken.jid)).body.error, 'InvalidToken')
  })

  test('200 leaves other sessions of the same user alone', async () => {
    const [one, other] = [await open(), await open()]
    await server.post(LOG_OUT, undefined, { token: one.token })
    assert.equal((await check(other.token)).status, 200)
  })

  for (const [reason, headers] of [
    ['nothing is sent', {}],
    ['the token is nonsense', { authorization: 'Bearer nonsense' }],
    ['the scheme is another', { authorization: 'Basic eDp5' }],
    ['the cookie is nonsense', { cookie: 'jid=nonsense' }],
  ] as const) {
    test(`200 when ${reason}`, async () => {
      assert.equal((await server.post(LOG_OUT, undefined, { headers })).status, 200)
    })
  }

  test('is in force on another server within a second', async () => {
    const other = await startServerOn(server.url)
    other.clock.advance(server.clock.now() - other.clock.now())
    const { token } = await open()
    assert.equal((await other.post(CHECK, undefined, { token })).status, 200)
    await server.post(LOG_OUT, undefined, { token })
    const endedAt = performance.now()
    while ((await other.post(CHECK, undefined, { token })).status === 200 && performance.now() - endedAt < 5_000) {
      await sleep(5)
    }
    const tookMs = performance.now() - endedAt
    await other.stop()
    assert.ok(tookMs < 1_000, `${tookMs} ms`)
  })
})

describe(SESSIONS, () => {
  test('200 lists the sessions that are open, and ends one, or all', async () => {
    await server.delete(SESSIONS, { token: (await open()).token })
    const [one, two] = [await open('10.0.0.7'), await open('10.0.0.8')]
    const listed = await server.get(SESSIONS, { token: one.token })
    assert.equal(listed.status, 200)
    assert.deepEqual(new Set((listed.body as { ip: string }[]).map(({ ip }) => ip)), new Set(['10.0.0.7', '10.0.0.8']))
    assert.deepEqual(Object.keys(listed.body[0]).sort(), [
      'accessVersion',
      'createdAt',
      'id',
      'ip',
      'lastUsed',
      'refreshVersion',
      'updatedAt',
      'userAgent',
      'userId',
    ])

    const ended = await server.delete(`${SESSIONS}/${String(claimsOf(two.token)['tokenVersionId'])}`, {
      token: one.token,
    })
    assert.equal(ended.status, 200)
    assert.equal((await check(two.token)).status, 401)
    assert.equal((await server.get(SESSIONS, { token: one.token })).body.length, 1)

    assert.equal((await server.delete(SESSIONS, { token: one.token })).status, 200)
    assert.equal((await check(one.token)).status, 401)
  })

  test('404 when the session is none of the user, or the id is malformed', async () => {
    const { token } = await open()
    for (const id of [admin.userId, 'x', encodeURIComponent("' or 1=1")]) {
      const { status, body } = await server.delete(`${SESSIONS}/${id}`, { token })
      assert.deepEqual([status, body.error], [404, 'NotFound'])
    }
  })

  test('401 without a token, 403 for an identity', async () => {
    assert.equal((await server.get(SESSIONS)).status, 401)
    assert.equal((await server.get(SESSIONS, { token: admin.token })).status, 403)
  })

  test('the last use is told to within some minutes', async () => {
    const { token } = await open()
    server.clock.advance(HOUR_MS)
    await check(token)
    const { body } = await server.get(SESSIONS, { token })
    const [session] = body
    assert.ok(Math.abs(Date.parse(session.lastUsed) - server.clock.now()) < 60_000)
  })
})
