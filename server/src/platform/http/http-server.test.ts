import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { unavailable, type AppError } from '../../lib/app-error.ts'
import { endpoints } from './endpoint.ts'
import type { HttpServerOptions } from './http-server.ts'
import type { Routes } from './route.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const response = { 200: z.object({ id: z.string() }) }
const params = z.object({ id: z.string() })

const routes: Routes = (app) => {
  app.get('/things/:id', endpoint('getThing', { params, response }), (request) => request.params)
  app.get('/private', endpoint('getPrivate', { auth: ['user'], response }), () => ({ id: 'x' }))
  app.get('/probe', endpoint('getProbe', { isProbe: true, response }), () => ({ id: 'x' }))
}

const app = await httpApp(routes, { siteUrl: 'https://holdfast.example/' })
after(() => app.close())

/** One answer of a server with other options. */
const answerOf = async (options: Partial<HttpServerOptions>, request: InjectOptions) => {
  const other = await httpApp(routes, options)
  const answer = await other.inject(request)
  await other.close()
  return answer
}

describe('every response', () => {
  const SECURITY_HEADERS = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'SAMEORIGIN',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  }

  for (const [kind, url] of [
    ['a success', '/things/x'],
    ['an unknown route', '/nothing'],
    ['a refusal', '/private'],
    ['a malformed URL', '/things/%zz'],
    ['a part that is too long', `/things/${'x'.repeat(501)}`],
  ] as const) {
    test(`carries the security headers, an id and a tag: ${kind}`, async () => {
      const { headers } = await app.inject(url)
      assert.deepEqual({ ...headers, ...SECURITY_HEADERS }, headers)
      assert.match(String(headers['x-request-id']), /^req-\w{14}$/)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.ok(headers.etag)
      assert.equal(headers['access-control-allow-origin'], 'https://holdfast.example')
    })
  }

  test('has a fresh id, whatever the client sends, and errors repeat it', async () => {
    const first = await app.inject({ url: '/nothing', headers: { 'x-request-id': 'abc-123' } })
    const second = await app.inject('/nothing')
    assert.equal(first.json().reqId, first.headers['x-request-id'])
    assert.notEqual(first.headers['x-request-id'], 'abc-123')
    assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id'])
  })
})

describe('routing', () => {
  test('ignores a trailing slash', async () => {
    assert.deepEqual((await app.inject('/things/x/')).json(), { id: 'x' })
  })

  test('a name of 500 characters matches, one of 501 is not found', async () => {
    assert.equal((await app.inject(`/things/${'x'.repeat(500)}`)).statusCode, 200)
    const answer = await app.inject(`/things/${'x'.repeat(501)}`)
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'NotFound'])
  })

  for (const [method, url] of [
    ['GET', '/nothing?a=b'],
    ['PUT', '/things/x'],
    ['DELETE', '/things/x'],
    ['OPTIONS', '/things/x'],
    ['TRACE', '/things/x'],
    ['PROPFIND', '/things/x'],
    ['QUERY', '/things/x'],
  ] as const) {
    test(`404 with the standard body for ${method} ${url}`, async () => {
      const answer = await app.inject({ method: method as 'GET', url })
      assert.equal(answer.statusCode, 404)
      assert.deepEqual(answer.json(), {
        reqId: answer.headers['x-request-id'],
        statusCode: 404,
        message: `Route ${method}:${url.split('?')[0] ?? ''} not found`,
        error: 'NotFound',
      })
    })
  }

  test('an unknown route does not read the body', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/nothing',
      headers: { 'content-type': 'text/xml' },
      body: '<',
    })
    assert.equal(answer.statusCode, 404)
  })

  test('400 for a bad percent-encoding', async () => {
    const answer = await app.inject('/things/%zz')
    assert.deepEqual([answer.statusCode, answer.json().statusCode, answer.json().error], [400, 400, 'BadRequest'])
    assert.equal(answer.json().reqId, answer.headers['x-request-id'])
  })

  test('an accept-version header changes nothing', async () => {
    assert.equal((await app.inject({ url: '/things/x', headers: { 'accept-version': '9' } })).statusCode, 200)
  })
})

describe('other origins', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS' as const,
    url: '/things/x',
    headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
  })

  test('with a site, its origin alone may read, whoever asks', async () => {
    const { headers } = await app.inject({ url: '/things/x', headers: { origin: 'https://evil.example' } })
    assert.equal(headers['access-control-allow-origin'], 'https://holdfast.example')
    assert.equal(headers['access-control-allow-credentials'], 'true')
    assert.equal(headers.vary, undefined)
  })

  test('a preflight is 204 with all methods and none of the security headers', async () => {
    const answer = await app.inject(preflight('https://evil.example'))
    const { date, connection, 'x-request-id': id, ...headers } = answer.headers
    assert.ok(date && connection && id)
    assert.equal(answer.statusCode, 204)
    assert.deepEqual(headers, {
      'access-control-allow-origin': 'https://holdfast.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization',
      vary: 'Access-Control-Request-Headers',
      'content-length': '0',
    })
  })

  const listed = { siteUrl: 'https://holdfast.example', corsAllowedOrigins: ['https://other.example'] }

  for (const origin of ['https://holdfast.example', 'https://other.example']) {
    test(`with a list, ${origin} is named when it asks`, async () => {
      const { headers } = await answerOf(listed, { url: '/things/x', headers: { origin } })
      assert.equal(headers['access-control-allow-origin'], origin)
      assert.equal(headers['access-control-allow-credentials'], 'true')
      assert.equal(headers.vary, 'Origin')
    })
  }

  test('with a list, an origin outside it gets nothing', async () => {
    for (const request of [preflight('https://evil.example'), { url: '/things/x', headers: { origin: 'null' } }]) {
      const { headers } = await answerOf(listed, request)
      assert.equal(headers['access-control-allow-origin'], undefined)
      assert.equal(headers['access-control-allow-credentials'], undefined)
      assert.match(String(headers.vary), /^Origin/)
    }
  })

  test('with neither, no other origin may read', async () => {
    const { headers } = await answerOf({}, preflight('https://evil.example'))
    assert.equal(headers['access-control-allow-origin'], undefined)
  })
})

describe('while the server is not ready', () => {
  let state: true | AppError = unavailable('Starting', { retryAfterSeconds: 3 })
  const isReady = () => state

  test('every route but the probes is 503 and says when to come back', async () => {
    const starting = await httpApp(routes, { isReady })
    for (const url of ['/things/x', '/private']) {
      const answer = await starting.inject(url)
      assert.equal(answer.statusCode, 503)
      assert.equal(answer.headers['retry-after'], '3')
      assert.deepEqual([answer.json().error, answer.json().message], ['ServiceUnavailable', 'Starting'])
    }
    assert.equal((await starting.inject('/probe')).statusCode, 200)
    state = true
    assert.equal((await starting.inject('/things/x')).statusCode, 200)
    await starting.close()
  })
})

test('responses are reported by the pattern of their route', async () => {
  const seen: [string, string, number][] = []
  const observed = await httpApp(routes, {
    onResponse: (route, method, status, seconds) => {
      assert.ok(seconds >= 0 && seconds < 5)
      seen.push([route, method, status])
    },
  })
  for (const url of ['/things/a', '/private', '/nothing/a']) await observed.inject(url)
  await observed.close()
  assert.deepEqual(seen, [
    ['/things/:id', 'GET', 200],
    ['/private', 'GET', 401],
    ['unmatched', 'GET', 404],
  ])
})
