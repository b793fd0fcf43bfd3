import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { endpoints } from './endpoint.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const response = { 200: z.object({}) }

test('a cookie is set so that scripts and other sites cannot use it', async () => {
  const app = await httpApp((server) => {
    server.get('/', endpoint('setCookies', { response }), (_request, reply) => {
      setCookie(reply, 'session', 'a.b-c', { isSecure: true, path: '/api', maxAgeSeconds: 60 })
      setCookie(reply, 'other', 'x', { isSecure: false, sameSite: 'Lax' })
      clearCookie(reply, 'gone', { isSecure: false })
      return {}
    })
  })
  assert.deepEqual((await app.inject('/')).headers['set-cookie'], [
    'session=a.b-c; Path=/api; HttpOnly; SameSite=Strict; Secure; Max-Age=60',
    'other=x; Path=/; HttpOnly; SameSite=Lax',
    'gone=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
  ])
  await app.close()
})

test('a cookie is read by its whole name', () => {
  const request = { headers: { cookie: 'xsession=1; session=a=b; session=2' } }
  assert.equal(readCookie(request, 'session'), 'a=b')
  assert.equal(readCookie(request, 'sess'), undefined)
  assert.equal(readCookie({ headers: {} }, 'session'), undefined)
})

test('a value that would break out of its cookie is refused', async () => {
  for (const value of ['a;b', 'a b', 'a\r\nx: y', 'ä', 'a,b', '"a"']) {
    const app = await httpApp((server) => {
      server.get('/', endpoint('setCookie', { response }), (_request, reply) => {
        setCookie(reply, 'session', value, { isSecure: true })
        return {}
      })
    })
    assert.equal((await app.inject('/')).statusCode, 500)
    await app.close()
  }
})
