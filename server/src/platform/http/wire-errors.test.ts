import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp, recordingLogger } from '../../../test/http-app.ts'
import { AppError, forbidden, notFound, unauthenticated, unavailable, type ErrorKind } from '../../lib/app-error.ts'
import { readableFailure } from '../db/failures.ts'
import { endpoints } from './endpoint.ts'
import type { OnRefused } from './error-handler.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })

/** The answer to a request whose handler throws, and what was logged. */
const answerTo = async (thrown: unknown, onRefused?: OnRefused) => {
  const { lines, logger } = recordingLogger()
  const app = await httpApp(
    (server) => {
      server.get('/', endpoint('fail', { response: { 200: z.object({}) } }), () => {
        throw thrown
      })
    },
    { logger, ...(onRefused && { onRefused }) },
  )
  const answer = await app.inject('/')
  await app.close()
  return {
    answer,
    status: answer.statusCode,
    json: answer.json(),
    keys: Object.keys(answer.json()),
    log: lines.join(''),
  }
}

const databaseError = (code: string) =>
  Object.assign(new Error('value "hunter2" is wrong'), { code, severity: 'ERROR', detail: 'Failing row (hunter2)' })

describe('each kind of error', () => {
  const TABLE: [ErrorKind, number, string][] = [
    ['bad-request', 400, 'BadRequest'],
    ['unauthenticated', 401, 'UnauthorizedError'],
    ['token-rejected', 403, 'TokenError'],
    ['permission-denied', 403, 'PermissionDenied'],
    ['forbidden', 403, 'ForbiddenError'],
    ['boundary', 403, 'PermissionBoundaryError'],
    ['policy', 403, 'PolicyViolationError'],
    ['not-found', 404, 'NotFound'],
    ['payload-too-large', 413, 'PayloadTooLarge'],
    ['unsupported-media-type', 415, 'UnsupportedMediaType'],
    ['rate-limited', 429, 'RateLimitExceeded'],
    ['unavailable', 503, 'ServiceUnavailable'],
  ]

  for (const [kind, status, error] of TABLE) {
    test(`${kind} is ${status} ${error}`, async () => {
      const { answer, json } = await answerTo(new AppError(kind, 'Because'))
      assert.equal(answer.statusCode, status)
      const reqId = answer.headers['x-request-id']
      assert.deepEqual(json, { reqId, statusCode: status, message: 'Because', error })
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    })
  }

  test('invalid-input is 422 with a list of issues', async () => {
    const issues = [{ code: 'custom', path: ['a'], message: 'No' }]
    const { status, json, keys } = await answerTo(new AppError('invalid-input', 'No', { details: issues }))
    assert.deepEqual([status, json.error, json.message], [422, 'ValidationFailure', issues])
    assert.deepEqual(keys, ['reqId', 'statusCode', 'message', 'error'])
  })

  test('invalid-input without issues makes one of its message', async () => {
    const { json } = await answerTo(new AppError('invalid-input', 'No'))
    assert.deepEqual(json.message, [{ code: 'custom', message: 'No', path: [] }])
  })
})

describe('the body', () => {
  test('has details last, but before the name in a 403', async () => {
    const details = { missingPermissions: [] }
    const { keys } = await answerTo(new AppError('bad-request', 'No', { details }))
    assert.deepEqual(keys, ['reqId', 'statusCode', 'message', 'error', 'details'])
    const refused = await answerTo(forbidden('No', { details }))
    assert.deepEqual(refused.keys, ['reqId', 'statusCode', 'message', 'details', 'error'])
    assert.deepEqual(refused.json.details, details)
  })

  test('has an empty list of details when there is one', async () => {
    assert.deepEqual((await answerTo(forbidden('No', { details: [] }))).json.details, [])
  })

  test('has the name that the error brings', async () => {
    const { json } = await answerTo(forbidden('No', { code: 'ProjectMembershipNotFound' }))
    assert.deepEqual([json.statusCode, json.error], [403, 'ProjectMembershipNotFound'])
  })
})

describe('Retry-After', () => {
  for (const [seconds, header] of [
    [undefined, '1'],
    [2.1, '3'],
    [0, '1'],
    [60, '60'],
  ] as const) {
    test(`is ${header} for ${String(seconds)}`, async () => {
      const error = unavailable('Later', seconds === undefined ? {} : { retryAfterSeconds: seconds })
      assert.equal((await answerTo(error)).answer.headers['retry-after'], header)
    })
  }

  test('is absent from other errors', async () => {
    const { answer } = await answerTo(notFound('No', { retryAfterSeconds: 5 }))
    assert.equal(answer.headers['retry-after'], undefined)
  })
})

describe('a bug', () => {
  for (const [what, thrown] of [
    ['an error', new Error('hunter2 leaked')],
    ['a type error', new TypeError('hunter2')],
    ['a string', 'hunter2'],
    ['an object', { statusCode: 200, message: 'hunter2' }],
    ['an error with a status', Object.assign(new Error('hunter2'), { statusCode: 404 })],
    ['an error of an outgoing connection', Object.assign(new Error('hunter2'), { code: 'ECONNRESET' })],
    ['a unique violation', databaseError('23505')],
  ] as const) {
    test(`is a 500 with a fixed text: ${what}`, async () => {
      const { status, json, keys, answer } = await answerTo(thrown)
      assert.deepEqual([status, json.message, json.error], [500, 'Something went wrong', 'InternalServerError'])
      assert.deepEqual(keys, ['reqId', 'statusCode', 'message', 'error'])
      assert.doesNotMatch(answer.body, /hunter2/)
    })
  }

  test('is logged with its id, route, stack and causes', async () => {
    const { answer, log } = await answerTo(new Error('outer', { cause: new Error('inner') }))
    const entry = JSON.parse(log)
    assert.equal(entry.reqId, answer.headers['x-request-id'])
    assert.deepEqual([entry.level, entry.route, entry.method], [50, '/', 'GET'])
    assert.deepEqual([entry.error.message, entry.error.cause.message], ['outer', 'inner'])
    assert.match(entry.error.stack, /wire-errors\.test/)
  })

  test('is a warning that says why, without a stack, when the database has run out of disk, memory or connections', async () => {
    const reason = 'could not extend file "base/1/2": No space left on device'
    const full = Object.assign(new Error(reason), { code: '53100', detail: 'canary' })
    const { answer, log } = await answerTo(readableFailure(full))
    assert.equal(answer.statusCode, 503)
    const { level, reason: logged, error } = JSON.parse(log)
    assert.deepEqual([level, logged, error, log.includes('canary')], [40, reason, undefined, false])
  })

  test('is logged without the values that a database error quotes', async () => {
    const { log } = await answerTo(
      Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (hunter2)' }),
    )
    assert.match(log, /23505/)
    assert.doesNotMatch(log, /hunter2/)
  })

  test('with causes in a circle is logged all the same', async () => {
    const error = new Error('round')
    error.cause = error
    assert.match((await answerTo(error)).log, /round/)
  })
})

describe('a value that the database cannot take', () => {
  for (const code of ['22P02', '22021', '22P05', '22003', '22001', '22007', '22008']) {
    test(`is the caller's fault: ${code}`, async () => {
      const { status, json, answer } = await answerTo(databaseError(code))
      assert.deepEqual([status, json.error, json.message[0].code], [422, 'ValidationFailure', 'custom'])
      assert.doesNotMatch(answer.body, /hunter2/)
    })
  }
})

test('what cannot be served now is logged with its cause, what the caller did wrong is not', async () => {
  const { log } = await answerTo(unavailable('Later', { cause: new Error('pool is full') }))
  assert.match(log, /pool is full/)
  assert.equal((await answerTo(notFound('No', { cause: new Error('x') }))).log, '')
})

describe('refusals are told to whoever keeps records', () => {
  test('before they are sent', async () => {
    const told: [string, string][] = []
    const onRefused: OnRefused = async (request, error) => {
      await Promise.resolve()
      told.push([request.id, error.kind])
    }
    const first = await answerTo(unauthenticated('Who?'), onRefused)
    const second = await answerTo(forbidden('No'), onRefused)
    await answerTo(notFound('No'), onRefused)
    assert.deepEqual(told, [
      [first.json.reqId, 'unauthenticated'],
      [second.json.reqId, 'forbidden'],
    ])
  })

  test('and stand when the record fails', async () => {
    const { status, log } = await answerTo(forbidden('No'), () => Promise.reject(new Error('disk full')))
    assert.equal(status, 403)
    assert.match(log, /disk full/)
  })
})
