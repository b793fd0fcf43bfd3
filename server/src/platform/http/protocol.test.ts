import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { after, describe, test } from 'node:test'
import { z } from 'zod'
import { bodyOf, exchange, httpApp, listen } from '../../../test/http-app.ts'
import { drain } from './drain.ts'
import { endpoints } from './endpoint.ts'
import type { Routes } from './route.ts'

const endpoint = endpoints({ tag: 'Test', auth: 'public' })
const response = { 200: z.object({ ok: z.boolean() }) }

const routes: Routes = (app) => {
  app.get('/thing', endpoint('getThing', { response }), () => ({ ok: true }))
  app.get('/stream', endpoint('getStream', { response: { 200: z.any() } }), (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: ping\n\n')
  })
  app.post('/thing', endpoint('postThing', { body: z.looseObject({}), response }), () => ({ ok: true }))
}

const app = await httpApp(routes)
const port = await listen(app)
const impatient = await httpApp(routes, { timeouts: { headersMs: 300, requestMs: 600, checkEveryMs: 50 } })
const impatientPort = await listen(impatient)
after(() => Promise.all([app.close(), impatient.close()]))

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
const post = (length: string) =>
  `POST /thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n\r\n`

describe('what is not HTTP, or not as it should be', () => {
  for (const [what, status, bytes] of [
    ['garbage', 400, 'garbage\r\n\r\n'],
    ['a TLS greeting', 400, Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00])],
    ['a bad header', 400, 'GET /thing HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['a NUL byte in the URL', 400, 'GET /th\0ing HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 400, post('Content-Length: 2\r\nContent-Length: 3')],
    ['a length beside chunks', 400, post('Content-Length: 2\r\nTransfer-Encoding: chunked')],
    ['a negative length', 400, post('Content-Length: -1')],
    ['a bad chunk', 400, `${post('Transfer-Encoding: chunked')}zz\r\n`],
    ['a request without a host', 400, 'GET /thing HTTP/1.1\r\n\r\n'],
    ['an expectation nobody knows', 417, 'GET /thing HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n'],
    ['headers of 20 KB', 431, `GET /thing HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
    ['a URL of 20 KB', 431, `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ] as const) {
    test(`${status} with the standard body for ${what}`, async () => {
      const answer = await exchange(port, bytes)
      assert.equal(statusOf(answer), status)
      const { reqId, statusCode, message, error } = bodyOf(answer)
      assert.match(String(reqId), /^req-\w{14}$/)
      assert.equal(statusCode, status)
      assert.ok(typeof message === 'string' && typeof error === 'string')
      assert.match(answer, /x-content-type-options: nosniff/i)
      assert.match(answer, /connection: close/i)
    })
  }
})

describe('unusual methods', () => {
  for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'LOCK', 'PURGE']) {
    test(`404 for ${method}`, async () => {
      const answer = await exchange(port, `${method} /thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.equal(statusOf(answer), 404)
      assert.equal(bodyOf(answer)['error'], 'NotFound')
    })
  }

  test('405 for CONNECT, and the server lives on', async () => {
    const answer = await exchange(port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n')
    assert.equal(statusOf(answer), 405)
    assert.equal(bodyOf(answer)['error'], 'MethodNotAllowed')
    assert.equal((await fetch(`http://127.0.0.1:${port}/thing`)).status, 200)
  })

  test('an upgrade is served as the request it is', async () => {
    const upgrade = 'GET /thing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const socket = connect(port, '127.0.0.1')
    socket.write(upgrade)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    assert.equal(statusOf(chunk.toString()), 200)
    socket.destroy()
  })
})

describe('slow clients', () => {
  test('408 for headers that do not end', async () => {
    const answer = await exchange(impatientPort, 'GET /thing HTTP/1.1\r\nHost: x\r\n')
    assert.equal(statusOf(answer), 408)
    assert.equal(bodyOf(answer)['error'], 'RequestTimeout')
  })

  test('408 for a body that does not end', async () => {
    assert.equal(statusOf(await exchange(impatientPort, post('Content-Length: 10'), '{')), 408)
  })

  test('a connection that says nothing is closed', async () => {
    await exchange(impatientPort)
  })

  test('whoever stops reading an answer loses the connection, and what is left of it is let go', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536)
      })(),
    )
    const server = await httpApp(
      (instance) => {
        instance.get('/endless', endpoint('getEndless', { response: { 200: z.any() } }), (_request, reply) =>
          reply.send(endless),
        )
      },
      { timeouts: { stalledMs: 200 } },
    )
    const gone = once(endless, 'close', { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    const socket = connect(await listen(server), '127.0.0.1')
    socket.on('error', () => undefined).pause()
    socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    await gone
    const isLetGo = endless.destroyed
    socket.destroy()
    await server.close()
    assert.ok(isLetGo)
  })

  test('many of them do not keep others from being served', async () => {
    const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined).write('GET /thing HTTP/1.1\r\nHost')
    assert.equal((await fetch(`http://127.0.0.1:${port}/thing`)).status, 200)
    for (const socket of sockets) socket.destroy()
  })
})

describe('bodies on the wire', () => {
  test('413 for chunks beyond the limit, without waiting for the end', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const answer = await exchange(port, post('Transfer-Encoding: chunked'), ...Array.from({ length: 17 }, () => chunk))
    assert.equal(statusOf(answer), 413)
    assert.match(answer, /connection: close/i)
  })

  test('413 for a length beyond the limit, before the body is sent', async () => {
    const answer = await exchange(port, post('Content-Length: 99999999'), '{')
    assert.equal(statusOf(answer), 413)
  })

  test('a client that goes away in the middle of its body does no harm', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`${post('Content-Length: 10')}{`)
    socket.destroy()
    await once(socket, 'close')
    assert.equal((await fetch(`http://127.0.0.1:${port}/thing`)).status, 200)
  })

  test('pipelined requests are answered in order', async () => {
    const first = 'GET /thing HTTP/1.1\r\nHost: x\r\n\r\n'
    const second = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const answer = await exchange(port, first + second)
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 200', 'HTTP/1.1 404'])
  })

  test('garbage after a request does not put a second answer into an open stream', async () => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.write('garbage\r\n\r\n')
    await once(socket, 'close')
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
    assert.match(received, /event: ping/)
  })

  test('HTTP/1.0 is served and closed', async () => {
    assert.equal(statusOf(await exchange(port, 'GET /thing HTTP/1.0\r\n\r\n')), 200)
  })
})

test('connections are kept for 72 seconds by default', async () => {
  const other = await httpApp(routes)
  const answer = await fetch(`http://127.0.0.1:${await listen(other)}/thing`)
  assert.equal(answer.headers.get('keep-alive'), 'timeout=72')
  assert.equal(other.server.headersTimeout, 20_000)
  assert.equal(other.server.requestTimeout, 60_000)
  assert.equal(other.server.timeout, 120_000)
  assert.ok(other.server.maxConnections > 0)
  await other.close()
})

describe('drain', () => {
  /** A server with one request in its handler; `finish` lets it end. */
  const busyServer = async () => {
    const handler = new EventEmitter()
    const entered = once(handler, 'entered')
    const server = await httpApp((instance) => {
      instance.get('/slow', endpoint('getSlow', { response }), async () => {
        handler.emit('entered')
        await once(handler, 'finish')
        return { ok: true }
      })
    })
    const serverPort = await listen(server)
    return { server, serverPort, entered, finish: () => handler.emit('finish') }
  }

  test('lets requests in flight finish, tells them to close, and takes no new ones', async () => {
    const { server, serverPort, entered, finish } = await busyServer()
    const answer = exchange(serverPort, 'GET /slow HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n')
    await entered
    const drained = drain(server, { timeoutMs: 10_000 })
    while (server.server.listening) await turn()
    await assert.rejects(exchange(serverPort, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'))
    finish()
    const text = await answer
    assert.equal(statusOf(text), 200)
    assert.match(text, /connection: close/i)
    await drained
  })

  test('does not wait longer than it is told', async () => {
    const { server, serverPort, entered, finish } = await busyServer()
    const answer = exchange(serverPort, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n').catch(() => '')
    await entered
    const started = performance.now()
    await drain(server, { timeoutMs: 100 })
    assert.ok(performance.now() - started < 2000)
    assert.equal(await answer, '')
    finish()
  })

  test('closes connections that are idle at once', async () => {
    const server = await httpApp(routes)
    const serverPort = await listen(server)
    const socket = connect(serverPort, '127.0.0.1')
    socket.write('GET /thing HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')
    await drain(server, { timeoutMs: 10_000 })
    await closed
  })
})
