import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp, recordingLogger } from '../../../test/http-app.ts'
import { tokenRejected } from '../../lib/app-error.ts'
import { bearerToken } from './authentication.ts'
import { endpoints } from './endpoint.ts'
import type { Routes } from './route.ts'
import type { Actor, AuthKind } from './vocabulary.ts'
import { Timestamp } from './wire-types.ts'

const endpoint = endpoints({ tag: 'Things', auth: ['user', 'identity'] })
const Echo = { 200: z.object({ body: z.any(), params: z.any(), query: z.any(), actor: z.any() }) }
const Named = z.object({ name: z.string(), note: z.string().optional() })

const routes: Routes = (app) => {
  app.post(
    '/things/:id',
    endpoint('createThing', {
      params: z.object({ id: z.string().max(5) }),
      body: Named,
      querystring: z.object({ limit: z.coerce.number().max(10).default(1) }),
      response: Echo,
    }),
    ({ body, params, query, actor }) => {
      const typed: [string, string | undefined, string, number] = [body.name, body.note, params.id, query.limit]
      assert.equal(typed.length, 4)
      return { body, params, query, actor }
    },
  )
  app.get('/things', endpoint('listThings', { auth: ['user'], response: Echo }), ({ actor }) => echo(actor))
  app.get('/public', endpoint('getPublic', { auth: 'public', response: Echo }), ({ actor }) => echo(actor))
}

const echo = (actor: unknown) => ({ actor, body: 0, params: 0, query: 0 })

const asked: (readonly AuthKind[])[] = []
const app = await httpApp(routes, {
  authenticate: async ({ headers }, auth) => {
    asked.push(auth)
    const id = bearerToken(headers.authorization)
    await Promise.resolve()
    if (id === 'bad') throw tokenRejected('The token is not valid')
    return JSON.parse(JSON.stringify({ id })) as Actor
  },
})
after(() => app.close())
beforeEach(() => void asked.splice(0))

const authorization = 'Bearer good'

describe('authentication', () => {
  test('gives the handler its actor and asks for the kinds that the route declares', async () => {
    const answer = await app.inject({ url: '/things', headers: { authorization } })
    assert.deepEqual(answer.json().actor, { id: 'good' })
    assert.deepEqual(asked, [['user']])
  })

  test('happens once for HEAD too', async () => {
    assert.equal((await app.inject({ method: 'HEAD', url: '/things', headers: { authorization } })).statusCode, 200)
    assert.equal((await app.inject({ method: 'HEAD', url: '/things' })).statusCode, 401)
    assert.equal(asked.length, 2)
  })

  for (const [status, error, why, headers] of [
    [401, 'UnauthorizedError', 'no token is sent', {}],
    [403, 'TokenError', 'the token is refused', { authorization: 'Bearer bad' }],
    [403, 'TokenError', 'the scheme is another', { authorization: 'Basic Zm9v' }],
    [400, 'BadRequest', 'an API key is sent', { authorization, 'x-api-key': 'k' }],
  ] as const) {
    test(`${status} when ${why}`, async () => {
      const answer = await app.inject({ url: '/things', headers })
      assert.deepEqual([answer.statusCode, answer.json().error], [status, error])
    })
  }

  test('looks at no credential on a public route', async () => {
    for (const headers of [{}, { authorization: 'Bearer bad' }, { authorization: 'Basic x' }, { 'x-api-key': 'k' }]) {
      assert.equal((await app.inject({ url: '/public', headers })).statusCode, 200)
    }
    assert.deepEqual(asked, [])
  })

  test('goes by the matched route, never by what the URL contains', async () => {
    assert.equal((await app.inject('/things?next=/public')).statusCode, 401)
    assert.equal((await app.inject('/things/?/public')).statusCode, 401)
  })
})

describe('the order of processing', () => {
  const inject = (url: string, payload: string, headers: Record<string, string> = { authorization }) =>
    app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } })

  test('a missing token wins over a body that is no JSON', async () => {
    assert.equal((await inject('/things/x', '{"a":', {})).statusCode, 401)
  })

  test('a body that is no JSON wins over invalid parameters', async () => {
    assert.equal((await inject('/things/too-long', '{"a":')).statusCode, 400)
  })

  test('parameters are judged before the body, the body before the query', async () => {
    const paths = async (url: string, payload: string) =>
      (await inject(url, payload)).json<{ message: { path: string[] }[] }>().message.map(({ path }) => path.join())
    assert.deepEqual(await paths('/things/too-long?limit=99', '{}'), ['id'])
    assert.deepEqual(await paths('/things/x?limit=99', '{}'), ['name'])
    assert.deepEqual(await paths('/things/x?limit=99', '{"name":"n"}'), ['limit'])
  })
})

describe('input', () => {
  test('reaches the handler parsed, with defaults and without what is unknown', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/things/x?limit=5&other=1',
      headers: { authorization },
      payload: { name: 'n', id: 'forged' },
    })
    assert.deepEqual(answer.json(), {
      body: { name: 'n' },
      params: { id: 'x' },
      query: { limit: 5 },
      actor: { id: 'good' },
    })
  })

  test('422 has a list of issues and no details', async () => {
    const answer = await app.inject({ method: 'POST', url: '/things/x', headers: { authorization }, payload: {} })
    assert.equal(answer.statusCode, 422)
    assert.deepEqual(answer.json(), {
      reqId: answer.headers['x-request-id'],
      statusCode: 422,
      message: [
        { code: 'invalid_type', expected: 'string', received: 'undefined', path: ['name'], message: 'Required' },
      ],
      error: 'ValidationFailure',
    })
  })

  for (const url of ['/things/%00', '/things/x?limit=%00', '/things/x?limit=1&limit=%00']) {
    test(`422 for a NUL byte in ${url}`, async () => {
      const answer = await app.inject({ method: 'POST', url, headers: { authorization }, payload: { name: 'n' } })
      assert.equal(answer.statusCode, 422)
      assert.equal(answer.json().message[0].code, 'custom')
    })
  }
})

describe('a response', () => {
  // Not typed as what it is, so that a handler can break it.
  const Anything: z.ZodType = z.object({ id: z.string(), at: Timestamp, inner: z.object({ a: z.number() }) })

  /** The answer of a handler that returns `payload`. */
  const answerOf = async (
    payload: unknown,
    extra: { serialize?: (payload: unknown) => string; status?: number } = {},
  ) => {
    const { lines, logger } = recordingLogger()
    const server = await httpApp(
      (instance) => {
        const { serialize, status = 200 } = extra
        const options = endpoint('get', {
          auth: 'public',
          response: { 200: Anything },
          ...(serialize && { serialize }),
        })
        instance.get('/', options, async (_request, reply) => {
          await Promise.resolve()
          reply.raw.statusCode = status
          return payload
        })
      },
      { logger },
    )
    const answer = await server.inject('/')
    await server.close()
    return { answer, log: lines.join('') }
  }

  test('holds only what its schema names, with dates in ISO', async () => {
    const at = new Date('2026-01-02T03:04:05Z')
    const { answer } = await answerOf({ id: 'x', at, inner: { a: 1, password: 'hunter2' }, password: 'hunter2' })
    assert.equal(answer.body, '{"id":"x","at":"2026-01-02T03:04:05.000Z","inner":{"a":1}}')
  })

  test('that does not match is a 500 without a trace of it, logged with the place and not the value', async () => {
    const { answer, log } = await answerOf({ id: 'x', at: new Date(), inner: { a: 'hunter2' } })
    assert.equal(answer.statusCode, 500)
    assert.deepEqual(answer.json(), {
      reqId: answer.headers['x-request-id'],
      statusCode: 500,
      message: 'Something went wrong',
      error: 'InternalServerError',
    })
    assert.match(log, /inner\.a/)
    assert.doesNotMatch(log, /hunter2/)
  })

  test('of a status that the route does not declare never leaves', async () => {
    const { answer } = await answerOf({ password: 'hunter2' }, { status: 201 })
    assert.equal(answer.statusCode, 500)
    assert.doesNotMatch(answer.body, /hunter2/)
  })

  test('may have a serializer of its own', async () => {
    const { answer } = await answerOf({ id: 'x' }, { serialize: () => '{"made":"by hand"}' })
    assert.deepEqual(answer.json(), { made: 'by hand' })
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    assert.ok(answer.headers.etag)
  })
})

describe('a route is refused at registration', () => {
  test('when it does not declare who may call it', async () => {
    await assert.rejects(
      httpApp((server) => void server.get('/x', () => ({}))),
      /GET \/x does not declare who may call it/,
    )
  })

  test('when nobody may call it', async () => {
    const nobody = endpoint('get', { auth: [], response: Echo })
    await assert.rejects(
      httpApp((server) => void server.get('/x', nobody, () => echo(0))),
      /does not declare/,
    )
  })
})
