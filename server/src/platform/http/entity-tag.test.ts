import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { endpoints } from './endpoint.ts'
import { holdsCurrent, notModified } from './entity-tag.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const Thing = { 200: z.object({ name: z.string() }) }

const app = await httpApp((server) => {
  server.get('/thing', endpoint('getThing', { response: Thing }), () => ({ name: 'x' }))
  server.post('/thing', endpoint('postThing', { response: Thing }), () => ({ name: 'x' }))
  server.get('/own', endpoint('getOwn', { response: Thing }), (_request, reply) => {
    reply.header('etag', '"mine"')
    return { name: 'x' }
  })
  server.get('/known', endpoint('getKnown', { response: Thing }), async (request, reply) =>
    holdsCurrent(request, '"known"') ? notModified(reply, '"known"') : Promise.resolve({ name: 'x' }),
  )
  server.get('/stream', endpoint('getStream', { response: { 200: z.any() } }), (_request, reply) =>
    reply.header('content-type', 'application/json').send(Readable.from(['{}'])),
  )
})
after(() => app.close())

const get = (url: string, known?: string) =>
  app.inject({ url, ...(known !== undefined && { headers: { 'if-none-match': known } }) })

describe('a JSON response', () => {
  test('has a strong tag of 20 bytes that is the same for the same content', async () => {
    const [first, second] = [await get('/thing'), await get('/thing')]
    assert.match(String(first.headers.etag), /^"[A-Za-z0-9+/]{27}="$/)
    assert.equal(first.headers.etag, second.headers.etag)
  })

  test('has a tag also when it is an error', async () => {
    assert.match(String((await get('/nothing')).headers.etag), /^"[A-Za-z0-9+/]{27}="$/)
  })

  test('is 304, empty and tagged when the client holds it', async () => {
    const { etag } = (await get('/thing')).headers
    for (const known of [String(etag), `"x", ${String(etag)}`, `W/${String(etag)}`, '*']) {
      const response = await get('/thing', known)
      assert.equal(response.statusCode, 304)
      assert.equal(response.body, '')
      assert.equal(response.headers['content-length'], '0')
      assert.equal(response.headers.etag, etag)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    }
  })

  test('is 200 when the client holds another', async () => {
    for (const known of ['"x"', '', 'x']) assert.equal((await get('/thing', known)).statusCode, 200)
  })

  test('is never 304 for a method that changes things', async () => {
    const { etag } = (await get('/thing')).headers
    const response = await app.inject({ method: 'POST', url: '/thing', headers: { 'if-none-match': String(etag) } })
    assert.equal(response.statusCode, 200)
  })

  test('keeps the tag that its route gives it', async () => {
    assert.equal((await get('/own')).headers.etag, '"mine"')
    assert.equal((await get('/own', '"mine"')).statusCode, 304)
  })

  test('need not be made when its route knows the tag', async () => {
    assert.equal((await get('/known')).statusCode, 200)
    const response = await get('/known', '"known"')
    assert.deepEqual([response.statusCode, response.headers['content-length'], response.body], [304, '0', ''])
  })
})

test('HEAD has the headers of GET', async () => {
  const [head, whole] = [await app.inject({ method: 'HEAD', url: '/thing' }), await get('/thing')]
  assert.equal(head.statusCode, 200)
  assert.equal(head.body, '')
  for (const name of ['etag', 'content-length', 'content-type']) assert.equal(head.headers[name], whole.headers[name])
  const unchanged = await app.inject({
    method: 'HEAD',
    url: '/thing',
    headers: { 'if-none-match': String(whole.headers.etag) },
  })
  assert.equal(unchanged.statusCode, 304)
})

test('a stream has no tag', async () => {
  assert.equal((await get('/stream')).headers.etag, undefined)
})
