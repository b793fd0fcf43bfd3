import assert from 'node:assert/strict'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../../../test/loopback-certificate.ts'
import { Outbound } from './outbound.ts'
import { OutboundError } from './outbound-error.ts'

const servers: Server[] = []
after(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))

const listen = async (server: Server, address = '127.0.0.1'): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return (server.address() as AddressInfo).port
}
const serve = (answer: RequestListener) => listen(http.createServer(answer))
const json = (value: unknown): RequestListener => {
  const text = JSON.stringify(value)
  return (_request, response) => response.end(text)
}

const onLoopback = { allowedCidrs: ['127.0.0.0/8'] }
const outbound = new Outbound(onLoopback)
const failing = (failure: 'refused' | 'failed') => (error: unknown) => {
  assert.ok(error instanceof OutboundError)
  assert.equal(error.failure, failure)
  // Nothing of the network is told: no address, port, system error or name.
  assert.doesNotMatch(error.message, /\d|E[A-Z]{4}|localhost|example/)
  return true
}

describe('getting a document', () => {
  test('gives its JSON, and how long it may be kept', async () => {
    const headers: Record<string, string> = {}
    const port = await serve((_request, response) => response.writeHead(200, headers).end('{"a":[1]}'))
    const get = () => outbound.getJson(`http://127.0.0.1:${port}/x`)
    assert.deepEqual(await get(), { body: { a: [1] }, maxAgeSeconds: undefined })
    for (const [value, seconds] of [
      ['max-age=60', 60],
      ['public, Max-Age="3600", must-revalidate', 3600],
      ['s-max-age=1', undefined],
      ['no-store', undefined],
      ['max-age=-1', undefined],
    ] as const) {
      headers['cache-control'] = value
      assert.equal((await get()).maxAgeSeconds, seconds, value)
    }
  })

  test('sends neither credentials nor a wish for compression', async () => {
    const port = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const { body } = await outbound.getJson(`http://127.0.0.1:${port}/`)
    assert.deepEqual(Object.keys(body as object).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test('follows no redirect', async () => {
    let followed = false
    const target = await serve((_request, response) => {
      followed = true
      response.end('{}')
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const headers = { location: `http://127.0.0.1:${target}/` }
      const port = await serve((_request, response) => response.writeHead(status, headers).end('{}'))
      await assert.rejects(outbound.getJson(`http://127.0.0.1:${port}/`), failing('failed'))
    }
    assert.ok(!followed)
  })

  for (const [name, answer] of [
    ['another status', (_request, response) => response.writeHead(201).end('{}')],
    ['an error', (_request, response) => response.writeHead(500).end('{}')],
    ['no JSON', (_request, response) => response.end('<html>')],
    ['nothing', (_request, response) => response.end()],
    [
      'compression',
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    ],
    ['a hang-up', (request) => request.socket.destroy()],
    [
      'another protocol',
      (request) => request.socket.end('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['what is not HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['headers without end', (_request, response) => response.writeHead(200, { x: 'x'.repeat(100_000) }).end('{}')],
    ['half of what it promises', (_request, response) => response.writeHead(200, { 'content-length': 9 }).write('{')],
  ] as [string, RequestListener][]) {
    test(`fails for ${name}`, async () => {
      const port = await serve(answer)
      const patient = new Outbound({ ...onLoopback, timeoutMs: 200 })
      await assert.rejects(patient.getJson(`http://127.0.0.1:${port}/`), failing('failed'))
    })
  }

  test('takes a megabyte and no more, announced or not', async () => {
    const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    const port = await serve((request, response) => {
      const body = text(Number(request.url?.slice(1)))
      response.writeHead(200, request.url?.startsWith('/0') ? { 'content-length': body.length } : {})
      response.end(body)
    })
    const get = (path: string) => outbound.getJson(`http://127.0.0.1:${port}/${path}`)
    assert.equal(String((await get('1048576')).body).length, 1_048_574)
    for (const path of ['1048577', '01048577', '10000000', '010000000'])
      await assert.rejects(get(path), failing('failed'))
  })

  test('ends after its time, however slowly the answer comes', { timeout: 5_000 }, async () => {
    let tellClosed: () => void = () => undefined
    const closed = new Promise<void>((resolve) => (tellClosed = resolve))
    const port = await serve((_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => {
        clearInterval(drip)
        tellClosed()
      })
    })
    const startedAt = performance.now()
    const hasty = new Outbound({ ...onLoopback, timeoutMs: 200 })
    await assert.rejects(hasty.getJson(`http://127.0.0.1:${port}/`), failing('failed'))
    assert.ok(performance.now() - startedAt < 2_000)
    await closed
  })
})

describe('where it goes', () => {
  test('is nowhere that is not allowed, and nothing is sent there', async () => {
    let requests = 0
    const port = await serve((_request, response) => {
      requests++
      response.end('{}')
    })
    const strict = new Outbound({ allowedCidrs: [] })
    for (const host of [
      '127.0.0.1',
      'localhost',
      '0x7f000001',
      '2130706433',
      '[::ffff:127.0.0.1]',
      '[::1]',
      '0.0.0.0',
    ]) {
      await assert.rejects(strict.getJson(`http://${host}:${port}/`), failing('refused'), host)
      await assert.rejects(strict.check(`http://${host}:${port}/`), failing('refused'), host)
    }
    assert.equal(requests, 0)
  })

  test('a name that is not known is told from one that is not allowed by nobody', async () => {
    const strict = new Outbound({
      allowedCidrs: [],
      lookUp: (host) => (host === 'inside.example' ? addresses('10.0.0.1') : Promise.reject(new Error('ENOTFOUND'))),
    })
    const message = (url: string) => strict.check(url).catch((error: unknown) => (error as Error).message)
    assert.equal(await message('https://inside.example'), await message('https://nowhere.example'))
  })

  test('is the address that was checked, whatever the name means later', async () => {
    const port = await serve(json('checked'))
    const answers = ['127.0.0.1', '10.0.0.1', '169.254.169.254']
    let asked = 0
    const rebound = new Outbound({ ...onLoopback, lookUp: () => addresses(answers[asked++] ?? '') })
    const url = `http://rebinding.example:${port}/`
    assert.equal((await rebound.getJson(url)).body, 'checked')
    assert.equal(asked, 1)
    await assert.rejects(rebound.getJson(url), failing('refused'))
    await assert.rejects(rebound.getJson(url), failing('refused'))
  })

  test('is, of several addresses, only one that is allowed', async () => {
    const port = await serve(json('allowed'))
    const mixed = new Outbound({ ...onLoopback, lookUp: () => addresses('10.0.0.1', '127.0.0.1', '::1') })
    assert.equal((await mixed.getJson(`http://mixed.example:${port}/`)).body, 'allowed')
  })

  test('is asked for a few names at a time, and nobody waits for ever', { timeout: 5_000 }, async () => {
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const slow = new Outbound({
      ...onLoopback,
      timeoutMs: 100,
      lookUp: async () => {
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => release.push(resolve))
        running--
        return addresses('127.0.0.1')
      },
    })
    const checks = Array.from({ length: 120 }, () => slow.check('http://slow.example/'))
    const settled = await Promise.allSettled(checks)
    assert.ok(settled.every(({ status }) => status === 'rejected'))
    assert.equal(most, 2)
    for (const answer of release) answer()
  })
})

describe('https', async () => {
  const server = https.createServer({ cert: LOOPBACK_CERTIFICATE, key: LOOPBACK_KEY }, json('sealed'))
  const port = await listen(server)
  const named = new Outbound({ ...onLoopback, lookUp: () => addresses('127.0.0.1') })

  test('takes a certificate that the given authority vouches for', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const { body } = await named.getJson(`https://${host}:${port}/`, { ca: LOOPBACK_CERTIFICATE })
      assert.equal(body, 'sealed')
    }
  })

  for (const [name, host, ca] of [
    ['without that authority', 'localhost', undefined],
    ['for another name', 'other.example', LOOPBACK_CERTIFICATE],
    ['with an authority that is none', 'localhost', 'not a certificate'],
    ['with an authority that is broken', 'localhost', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ] as const) {
    test(`fails ${name}`, async () => {
      await assert.rejects(named.getJson(`https://${host}:${port}/`, { ca }), failing('failed'))
    })
  }
})

const addresses = (...list: string[]) =>
  Promise.resolve(list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
