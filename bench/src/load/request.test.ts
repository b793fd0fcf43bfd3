import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { numbered, requestWriter } from './request.ts'

const base = new URL('http://127.0.0.1:8080/')

describe('a request', () => {
  test('is written once where each is the same', () => {
    const write = requestWriter(base, { method: 'GET', path: '/api/status', token: 't' })
    assert.equal(write(), write())
    assert.match(write().toString(), /^GET \/api\/status HTTP\/1\.1\r\nhost: 127\.0\.0\.1:8080\r\n(.+\r\n)+\r\n$/)
    assert.match(write().toString(), /\r\nauthorization: Bearer t\r\n/)
  })

  test('has a number of its own wherever one is asked for, and the length that goes with it', () => {
    const request = { method: 'POST', path: '/{n}', body: { slug: 'a-{n}', name: 'ü' } } as const
    const write = requestWriter(base, request)
    const texts = [write(), write()].map(String)
    assert.notEqual(texts[0], texts[1])
    for (const text of texts) {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      assert.match(head, /^POST \/\d+ /)
      assert.match(body, /^\{"slug":"a-\d+","name":"ü"\}$/)
      assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}`))
    }
    assert.match(numbered(request).path, /^\/\d+$/)
  })

  test('keeps the path of the base', () => {
    const write = requestWriter(new URL('http://example.com/below/'), { method: 'GET', path: '/api' })
    assert.match(write().toString(), /^GET \/below\/api /)
  })
})
