import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../../test/test-database.ts'
import { expect200 } from '../../../test/test-machines.ts'
import { createProjectMember } from '../../../test/test-members.ts'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { startStreamServer, startStreamServerOn, TestStream } from '../../../test/test-streams.ts'

/** The way of one process to the database, which can be cut and mended. */
class Wire {
  readonly #target: string
  #server: Server | undefined
  #port = 0
  readonly #sockets = new Set<Socket>()

  constructor(url: URL) {
    this.#target = `${url.searchParams.get('host') ?? ''}/.s.PGSQL.${url.port || '5432'}`
  }

  get port(): number {
    return this.#port
  }

  async mend(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(this.#target)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
    const address = this.#server.address()
    if (typeof address === 'object' && address) this.#port = address.port
  }

  async cut(): Promise<void> {
    const closed = this.#server && once(this.#server, 'close')
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

// Registered first, run first: the database goes last.
after(async () => {
  await remote.server.stop()
  await wire.cut()
})

/** Writes and revokes with nothing in its way. */
const { server } = await startStreamServer()
const admin = await server.bootstrap()
const { token } = admin
const secrets = await TestSecrets.open(server, admin)
const { projectId } = secrets

/** Holds the streams. */
const target = new URL(server.url)
const wire = new Wire(target)
await wire.mend()
const remote = await startStreamServerOn(`postgresql://${target.username}@127.0.0.1:${wire.port}${target.pathname}`)
// From then on the feed has a place to go on from that no crash of PostgreSQL can have undone.
await sleep(2_500)

const isTrusted = () => remote.server.app.services.changes.isTrusted()
const until = async (isSo: () => boolean) => {
  const deadline = performance.now() + 20_000
  while (!isSo()) {
    assert.ok(performance.now() < deadline)
    await sleep(20)
  }
}
/** A stream opened while the feed still lags would be told of what an earlier test did. */
const mendAndCatchUp = async () => {
  await wire.mend()
  await until(isTrusted)
}
const change = async (key: string) => {
  expect200(await secrets.create(key, '1'))
  return `create dev / ${key}`
}

test('streams outlive an outage of the database, and are told afterwards of all that happened meanwhile', async () => {
  const stream = await TestStream.open(remote.port, { token, projectId })
  const told = [await change('BEFORE')]
  await wire.cut()
  for (let index = 0; index < 20; index++) told.push(await change(`MEANWHILE_${index}`))
  await until(() => !isTrusted())
  assert.equal(stream.endedBy, undefined)
  await mendAndCatchUp()
  told.push(await change('AFTER'))
  await stream.waitFor(told.length)
  assert.deepEqual(stream.told, told)
  stream.close()
})

test('who lost the right during an outage is told nothing that happened after', async () => {
  const { identityId, token: accessToken } = await createProjectMember(server, admin, projectId, 'viewer')
  const stream = await TestStream.open(remote.port, { token: accessToken, projectId })
  await wire.cut()
  const path = `/api/v1/projects/${projectId}/memberships/identities/${identityId}`
  expect200(await server.delete(path, { token }))
  await change('TOO_LATE')
  await until(() => !isTrusted())
  await mendAndCatchUp()
  await stream.ended()
  assert.deepEqual(stream.told, [])
  assert.match(stream.error ?? '', /not a member/)
})

test('what puts a right in doubt just before an outage leaves the stream open until it can be asked', async () => {
  const { identityId, token: accessToken } = await createProjectMember(server, admin, projectId, 'viewer')
  const stream = await TestStream.open(remote.port, { token: accessToken, projectId })
  const { db, changes } = remote.server.app.services
  await db.transaction((tx) => changes.append(tx, { scope: `actor:${identityId}`, kind: 'identity-changed' }))
  await wire.cut()
  await until(() => !isTrusted())
  assert.equal(stream.endedBy, undefined)
  const told = await change('IN_DOUBT')
  await mendAndCatchUp()
  await stream.waitFor(1)
  assert.deepEqual(stream.told, [told])
  stream.close()
})

test('streams end when the thread of changes is lost', async () => {
  const stream = await TestStream.open(remote.port, { token, projectId })
  const db = openDatabase(server.url, 1)
  await sql`update changes_state set incarnation = gen_random_uuid()`.execute(db.pool)
  await db.close()
  await stream.ended()
  assert.match(stream.error ?? '', /missed/)
})
