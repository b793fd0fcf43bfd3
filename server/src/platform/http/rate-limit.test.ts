import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { endpoints } from './endpoint.ts'
import { RateLimiter } from './rate-limit.ts'
import type { Routes } from './route.ts'

describe('RateLimiter', () => {
  const setUp = (keysMax = 100) => {
    const clock = { now: 0 }
    const limiter = new RateLimiter({ now: () => clock.now, keysMax })
    const allows = (ip: string, rateClass = 'read', limit = 2) => limiter.take(rateClass, ip, limit).isAllowed
    return { clock, limiter, allows }
  }

  test('allows so many in a minute, then none until it is over', () => {
    const { clock, allows } = setUp()
    assert.deepEqual([allows('a'), allows('a'), allows('a')], [true, true, false])
    clock.now = 59_999
    assert.equal(allows('a'), false)
    clock.now = 60_000
    assert.equal(allows('a'), true)
  })

  test('says what is left and when the window ends', () => {
    const { clock, limiter } = setUp()
    clock.now = 1000
    assert.deepEqual(limiter.take('read', 'a', 2), { limit: 2, remaining: 1, resetSeconds: 60, isAllowed: true })
    clock.now = 30_500
    assert.deepEqual(limiter.take('read', 'a', 2), { limit: 2, remaining: 0, resetSeconds: 31, isAllowed: true })
    clock.now = 60_999
    assert.deepEqual(limiter.take('read', 'a', 2), { limit: 2, remaining: 0, resetSeconds: 1, isAllowed: false })
  })

  test('counts clients and classes apart', () => {
    const { allows } = setUp()
    for (let count = 0; count < 3; count++) allows('a')
    assert.deepEqual([allows('a'), allows('b'), allows('a', 'write')], [false, true, true])
  })

  test('counts the addresses of one IPv6 network together', () => {
    const { allows } = setUp()
    assert.deepEqual([allows('2001:db8::1'), allows('2001:db8::2'), allows('2001:db8:0:0:5::')], [true, true, false])
    assert.equal(allows('2001:db8:0:1::1'), true)
  })

  test('remembers a bounded number of clients and forgets the oldest first', () => {
    const { clock, limiter, allows } = setUp(10)
    for (let client = 0; client < 1000; client++) {
      clock.now++
      allows(String(client), 'read', 1)
    }
    assert.equal(limiter.size, 10)
    assert.equal(allows('999', 'read', 1), false)
    assert.equal(allows('0', 'read', 1), true)
  })

  test('forgets windows that are over', () => {
    const { clock, limiter, allows } = setUp()
    for (let client = 0; client < 50; client++) allows(String(client))
    clock.now = 60_000
    allows('new')
    assert.equal(limiter.size, 1)
  })
})

describe('over HTTP', () => {
  const endpoint = endpoints({ tag: 'Test', auth: 'public' })
  const response = { 200: z.object({}) }
  const routes: Routes = (app) => {
    app.get('/read', endpoint('read', { response }), () => ({}))
    app.post('/write', endpoint('write', { body: z.object({}), response }), () => ({}))
    app.post('/login', endpoint('login', { rateClass: 'auth', response }), () => ({}))
    app.get('/free', endpoint('free', { rateClass: false, response }), () => ({}))
    app.get('/private', endpoint('private', { auth: ['user'], response }), () => ({}))
  }

  test('429 says in three ways when to come back', async () => {
    const app = await httpApp(routes, { rateLimits: { read: 1 } })
    const first = await app.inject('/read')
    assert.deepEqual([first.statusCode, first.headers['x-ratelimit-limit']], [200, '1'])
    assert.deepEqual([first.headers['x-ratelimit-remaining'], first.headers['x-ratelimit-reset']], ['0', '60'])

    const second = await app.inject('/read')
    assert.deepEqual([second.statusCode, second.json().error], [429, 'RateLimitExceeded'])
    assert.match(String(second.headers['retry-after']), /^\d+$/)
    assert.match(second.json().message, /\b\d+ seconds\b/)
    assert.equal(second.headers['x-ratelimit-remaining'], '0')
    await app.close()
  })

  test('reads, writes and named classes have limits of their own', async () => {
    const app = await httpApp(routes, { rateLimits: { read: 1, write: 1, auth: 1 } })
    const post = (url: string) => app.inject({ method: 'POST', url, payload: {} })
    const statuses = [
      await app.inject('/read'),
      await app.inject({ method: 'HEAD', url: '/read' }),
      await post('/write'),
      await post('/write'),
      await post('/login'),
      await post('/login'),
      await app.inject('/free'),
      await app.inject('/free'),
      await app.inject({ url: '/read', remoteAddress: '10.0.0.9' }),
    ].map(({ statusCode }) => statusCode)
    assert.deepEqual(statuses, [200, 429, 200, 429, 200, 429, 200, 200, 200])
    await app.close()
  })

  test('come after authentication and before validation', async () => {
    const app = await httpApp(routes, { rateLimits: { read: 1, write: 1 } })
    assert.equal((await app.inject('/private')).statusCode, 401)
    assert.equal((await app.inject('/read')).statusCode, 200)
    const invalid = () => app.inject({ method: 'POST', url: '/write', payload: [] })
    assert.deepEqual([(await invalid()).statusCode, (await invalid()).statusCode], [422, 429])
    await app.close()
  })

  test('are off unless configured', async () => {
    const app = await httpApp(routes)
    const answer = await app.inject('/read')
    assert.equal(answer.headers['x-ratelimit-limit'], undefined)
    await app.close()
  })
})
