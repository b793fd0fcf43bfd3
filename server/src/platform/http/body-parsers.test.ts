import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { endpoints } from './endpoint.ts'
import { optionalBody } from './wire-types.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const response = { 200: z.object({ body: z.any() }) }
const Login = z.object({ clientId: z.string(), clientSecret: z.string() })

const app = await httpApp((server) => {
  server.post('/object', endpoint('postObject', { body: z.looseObject({}), response }), ({ body }) => ({ body }))
  server.delete(
    '/object',
    endpoint('deleteObject', { body: optionalBody(z.object({ a: z.number().optional() })), response }),
    ({ body }) => ({ body }),
  )
  server.post('/none', endpoint('postNone', { response }), () => ({ body: null }))
  server.post('/login', endpoint('login', { body: Login, acceptsForm: true, response }), ({ body }) => ({ body }))
  server.post('/small', endpoint('postSmall', { body: z.any(), bodyLimitBytes: 10, response }), ({ body }) => ({
    body,
  }))
})
after(() => app.close())

type Method = 'POST' | 'DELETE'

const send = async (url: string, payload: string | Buffer | undefined, type?: string, method: Method = 'POST') => {
  const started = performance.now()
  const answer = await app.inject({
    method,
    url,
    headers: type === undefined ? {} : { 'content-type': type },
    ...(payload !== undefined && { payload }),
  })
  return { status: answer.statusCode, json: answer.json(), ms: performance.now() - started }
}

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'Application/JSON']

describe('JSON', () => {
  for (const type of JSON_TYPES) {
    test(`is read as ${type}`, async () => {
      assert.deepEqual((await send('/object', '{"a":[1,"ä"]}', type)).json, { body: { a: [1, 'ä'] } })
    })
  }

  for (const [what, body] of [
    ['cut off', '{"a":'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{/**/}'],
    ['a byte order mark', '\ufeff{}'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udfff":1}'],
    ['__proto__', '{"__proto__":{"x":1}}'],
    ['__proto__ deep inside', '{"a":[{"b":{"__proto__":1}}]}'],
    ['__proto__ in escapes', '{"\\u005f_proto_\\u005f":1}'],
    ['NaN', '{"a":NaN}'],
    ['two values', '{}{}'],
    ['a NUL byte', '{"a":"\0"}'],
    ['a depth of 101', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['a depth of 100,000', '['.repeat(100_000)],
    ['a depth of 100,000 objects', '{"a":'.repeat(100_000)],
    ['100,000 values', `[${'1,'.repeat(100_000)}1]`],
    ['100,000 keys', `{${Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join()}}`],
  ] as const) {
    test(`400 for ${what}`, async () => {
      const { status, json, ms } = await send('/object', body, 'application/json')
      assert.deepEqual([status, json.statusCode, json.error], [400, 400, 'BadRequest'])
      assert.ok(ms < 1000, `${ms} ms`)
    })
  }

  const ACCEPTED: [what: string, body: string, expected: object][] = [
    ['a surrogate pair', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['the word __proto__ in a string', '{"a":"__proto__"}', { a: '__proto__' }],
    ['the key constructor', '{"constructor":{"prototype":1}}', { constructor: { prototype: 1 } }],
    ['brackets and quotes in strings', `{"a":"${'[{\\"'.repeat(200)}"}`, { a: '[{"'.repeat(200) }],
    ['a repeated key, of which the last counts', '{"a":1,"a":2}', { a: 2 }],
    ['an escaped NUL, which a schema may refuse', '{"a":"\\u0000"}', { a: '\0' }],
  ]
  for (const [what, body, expected] of ACCEPTED) {
    test(`200 for ${what}`, async () => {
      assert.deepEqual((await send('/object', body, 'application/json')).json, { body: expected })
    })
  }

  test('poisons nothing', async () => {
    await send(
      '/object',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      'application/json',
    )
    assert.equal('polluted' in {}, false)
  })
})

describe('the size of a body', () => {
  const ofSize = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

  test('may be 1 MiB', async () => {
    assert.equal((await send('/object', ofSize(1_048_576), 'application/json')).status, 200)
  })

  test('413 for one byte more', async () => {
    const { status, json } = await send('/object', ofSize(1_048_577), 'application/json')
    assert.deepEqual([status, json.statusCode, json.error], [413, 413, 'PayloadTooLarge'])
  })

  test('413 for 10 MB, soon', async () => {
    const { status, ms } = await send('/object', ofSize(10_000_000), 'application/json')
    assert.equal(status, 413)
    assert.ok(ms < 1000, `${ms} ms`)
  })

  test('may be bounded by the route', async () => {
    assert.equal((await send('/small', '{"abcdefg":1}', 'application/json')).status, 413)
  })
})

describe('no body', () => {
  const NULL_ISSUE = {
    code: 'invalid_type',
    expected: 'object',
    received: 'null',
    path: [],
    message: 'Expected object, received null',
  }

  for (const type of [undefined, 'application/json']) {
    test(`422 where one is needed, with content type ${String(type)}`, async () => {
      const { status, json } = await send('/object', undefined, type)
      assert.deepEqual([status, json.message], [422, [NULL_ISSUE]])
    })

    test(`200 where none is needed, with content type ${String(type)}`, async () => {
      assert.equal((await send('/none', undefined, type)).status, 200)
      assert.deepEqual((await send('/object', undefined, type, 'DELETE')).json, { body: {} })
    })
  }

  test('null counts as none', async () => {
    assert.deepEqual((await send('/object', 'null', 'application/json')).json.message, [NULL_ISSUE])
  })
})

test('DELETE may have a body', async () => {
  assert.deepEqual((await send('/object', '{"a":1}', 'application/json', 'DELETE')).json, { body: { a: 1 } })
})

describe('other content types', () => {
  for (const type of [
    'text/plain',
    'text/xml',
    'application/xml',
    'multipart/form-data',
    'application/jsonx',
    'x',
    '',
  ]) {
    test(`415 for '${type}'`, async () => {
      const { status, json } = await send('/object', '{}', type)
      assert.deepEqual([status, json.statusCode, json.error], [415, 415, 'UnsupportedMediaType'])
    })
  }

  test('415 for a body without a type', async () => {
    const answer = await app.inject({ method: 'POST', url: '/object', payload: Buffer.from('{}') })
    assert.equal(answer.statusCode, 415)
  })
})

describe('a form', () => {
  const FORM = 'application/x-www-form-urlencoded'

  test('is read where the route accepts it', async () => {
    const { json } = await send('/login', 'clientId=a+b&clientSecret=%C3%A4%26', FORM)
    assert.deepEqual(json, { body: { clientId: 'a b', clientSecret: 'ä&' } })
  })

  test('does not replace JSON there', async () => {
    assert.equal((await send('/login', '{"clientId":"a","clientSecret":"b"}', 'application/json')).status, 200)
  })

  test('415 everywhere else', async () => {
    assert.equal((await send('/object', 'a=b', FORM)).status, 415)
  })

  for (const form of [
    'clientId=a',
    'clientId=a&clientId=b&clientSecret=c',
    '',
    '__proto__=x&clientId=a',
    '%',
    '&&&=',
  ]) {
    test(`422 for '${form}'`, async () => assert.equal((await send('/login', form, FORM)).status, 422))
  }

  test('400 for invalid UTF-8', async () => {
    assert.equal((await send('/login', Buffer.from([0x61, 0x3d, 0xff]), FORM)).status, 400)
  })

  test('may have only so many fields', async () => {
    const form = `${Array.from({ length: 100_000 }, (_, index) => `f${index}=`).join('&')}&clientId=a&clientSecret=b`
    assert.equal((await send('/login', form, FORM)).status, 422)
  })
})
