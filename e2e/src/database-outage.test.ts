import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'holdfast/test/free-port.js'
import { createEmptyDatabase } from 'holdfast/test/test-database.js'
import { Administrator, call } from './administrator.ts'
import { spawnServer } from './server-process.ts'

const database = await createEmptyDatabase()
after(database.drop)
const target = new URL(database.url)
const socketPath = `${target.searchParams.get('host') ?? ''}/.s.PGSQL.${target.port || '5432'}`

/** The way to the database, which can be cut and mended. */
class Wire {
  readonly port: number
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()

  constructor(port: number) {
    this.port = port
  }

  async mend(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(socketPath)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening')
  }

  async cut(): Promise<void> {
    const closed = this.#server && once(this.#server, 'close')
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

const answersBy = async (url: string, isWanted: (response: Response) => boolean): Promise<Response> => {
  for (let tries = 0; tries < 1_500; tries++) {
    const response = await fetch(url).catch(() => undefined)
    if (response && isWanted(response)) return response
    await sleep(20)
  }
  assert.fail(`${url} did not answer as wanted within 30 s`)
}

describe('a server whose database', () => {
  test('is down when it starts answers 503 until it is up, and again while it is away', async () => {
    const wire = new Wire(await freePort())
    const url = `postgresql://${target.username}@127.0.0.1:${wire.port}${target.pathname}`
    const server = await spawnServer({ DATABASE_URL: url, HOLDFAST_ROOT_KEY: Buffer.alloc(32, 3).toString('base64') })
    const status = `${server.url}/api/status`

    const down = await answersBy(status, () => true)
    assert.equal(down.status, 503)
    assert.deepEqual(Object.keys((await down.json()) as object), ['reqId', 'statusCode', 'message', 'error'])
    assert.ok(down.headers.get('retry-after'))
    assert.equal((await fetch(`${server.url}/livez`)).status, 200)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503)

    await wire.mend()
    await answersBy(status, ({ ok }) => ok)
    const administrator = await Administrator.bootstrap(server.url)
    const details = { token: administrator.token }
    await call(server.url, 'GET', '/api/v1/identities/details', details)

    await wire.cut()
    // What is cached may be used for a second, not longer.
    await sleep(1_100)
    const away = await fetch(`${server.url}/api/v1/identities/details`, {
      headers: { authorization: `Bearer ${administrator.token}` },
    })
    assert.equal(away.status, 503)
    await wire.mend()
    await answersBy(`${server.url}/readyz`, ({ ok }) => ok)
    await call(server.url, 'GET', '/api/v1/identities/details', details)
    await server.stop()
    await wire.cut()
  })
})
