import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from 'holdfast/test/test-database.js'
import { TestIssuer } from 'holdfast/test/test-licenses.js'
import { startTestPostgres } from 'holdfast/test/start-test-postgres.js'
import { TestStream } from 'holdfast/test/test-streams.js'
import { Administrator, call } from './administrator.ts'
import { type ServerProcess, spawnServer } from './server-process.ts'

const WRITERS = 8
const STREAMS = 3
const OPERATIONS = ['POST', 'PATCH', 'DELETE'] as const
const KINDS = { POST: 'create', PATCH: 'update', DELETE: 'delete' } as const

const postgres = await startTestPostgres()
const running: ServerProcess[] = []
after(async () => {
  await Promise.all(running.map((server) => server.kill()))
  await postgres.stop()
})

/** The PostgreSQL of tests acknowledges what a crash may undo, which is not what is asked here. */
const promiseDurability = async (): Promise<void> => {
  const client = await connectTo(postgres.url)
  await client.query('alter role current_user set synchronous_commit = on')
  await client.end()
}
await promiseDurability()

const issuer = new TestIssuer()
const start = async (): Promise<ServerProcess> => {
  const server = await spawnServer({
    DATABASE_URL: postgres.url,
    HOLDFAST_ROOT_KEY: Buffer.alloc(32, 4).toString('base64'),
    HOLDFAST_LICENSE: issuer.issue(),
    HOLDFAST_LICENSE_PUBLIC_KEYS: issuer.publicKey,
  })
  running.push(server)
  await untilServing(server)
  return server
}

const untilServing = async ({ url }: ServerProcess): Promise<void> => {
  for (let tries = 0; tries < 1_200; tries++) {
    const response = await fetch(`${url}/api/status`).catch(() => undefined)
    if (response?.ok) return
    await sleep(50)
  }
  assert.fail(`${url} does not serve`)
}

/** Writes secrets that nobody else touches, and remembers of each what was acknowledged and what may have happened. */
class Writer {
  readonly #name: string
  readonly #write: (method: string, key: string) => Promise<unknown>
  readonly written = new Map<string, { acknowledged: string[]; possible: string[] }>()

  constructor(name: string, write: (method: string, key: string) => Promise<unknown>) {
    this.#name = name
    this.#write = write
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#writeOne(`${this.#name}_${this.written.size}`)
  }

  async #writeOne(key: string): Promise<void> {
    const history = { acknowledged: [] as string[], possible: [] as string[] }
    this.written.set(key, history)
    for (const method of OPERATIONS) {
      history.possible.push(KINDS[method])
      try {
        await this.#write(method, key)
        history.acknowledged.push(KINDS[method])
      } catch {
        // The server or its database went away in the middle: nobody can say whether it was done.
        await sleep(20)
        return
      }
    }
  }

  get acknowledged(): number {
    return [...this.written.values()].reduce((sum, { acknowledged }) => sum + acknowledged.length, 0)
  }

  /** No gap, no duplicate, no disorder. */
  check(told: ReadonlyMap<string, string[]>): void {
    for (const [key, { acknowledged, possible }] of this.written) {
      const kinds = told.get(key) ?? []
      const allowed = [acknowledged, possible].map((history) => history.join())
      assert.ok(allowed.includes(kinds.join()), `${key} was ${allowed[0] ?? ''}, and told as ${kinds.join()}`)
    }
  }
}

/** PostgreSQL ends all sessions and recovers when one of its processes dies. */
const crashPostgres = async (): Promise<void> => {
  const client = await connectTo(postgres.url)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await client.end().catch(() => undefined)
}

const toldBy = (stream: TestStream): Map<string, string[]> => {
  const told = new Map<string, string[]>()
  for (const line of stream.told) {
    const [kind = '', , , key = ''] = line.split(' ')
    told.set(key, [...(told.get(key) ?? []), kind])
  }
  return told
}

test('streams of one process tell truly what another commits, though that one is killed and PostgreSQL crashes', async () => {
  let writing = await start()
  const reading = await start()
  const administrator = await Administrator.bootstrap(writing.url)
  const { project } = await administrator.post('/api/v1/projects', { projectName: 'Streams' })
  const request = { token: administrator.token, projectId: project.id as string }
  const port = Number(new URL(reading.url).port)
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => TestStream.open(port, request)))
  // The feed of a process that has just started has no place yet that is safe from a crash of PostgreSQL.
  await sleep(3_000)

  const write = (method: string, key: string) => {
    const body = {
      projectId: project.id as string,
      environment: 'dev',
      ...(method !== 'DELETE' && { secretValue: '1' }),
    }
    return call(writing.url, method, `/api/v4/secrets/${key}`, { body, token: administrator.token })
  }
  const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(`W${index}`, write))
  const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0)
  const untilMore = async (count: number) => {
    const goal = acknowledged() + count
    while (acknowledged() < goal) await sleep(5)
  }
  let isOver = false
  const work = Promise.all(writers.map((writer) => writer.run(() => isOver)))

  await untilMore(100)
  await writing.kill()
  writing = await start()
  await untilMore(100)
  await crashPostgres()
  await untilMore(100)
  isOver = true
  await work
  await write('POST', 'LAST')

  for (const stream of streams) {
    await stream.until(() => stream.told.includes('create dev / LAST'))
    assert.equal(stream.endedBy, undefined)
    const ids = stream.events.map(({ id }) => id ?? 0)
    assert.ok(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0)))
    const told = toldBy(stream)
    for (const writer of writers) writer.check(told)
    stream.close()
  }
})
