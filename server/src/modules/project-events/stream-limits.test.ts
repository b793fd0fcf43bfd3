import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../lib/uuid.ts'
import { openBeside } from '../../../test/test-database.ts'
import { expect200 } from '../../../test/test-machines.ts'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { startStreamServer, startStreamServerOn, TestStream } from '../../../test/test-streams.ts'

const LIMIT = 5
const { server, port } = await startStreamServer({
  HOLDFAST_MAX_STREAMS_PER_PROJECT: String(LIMIT),
  METRICS_TOKEN: 'metrics-of-the-tests',
})
const admin = await server.bootstrap()
const { token } = admin
const db = openBeside(server.url)

const WAIT_MS_MAX = 5_000

/** How many streams the database counts. */
const counted = async (projectId: string): Promise<number> => {
  const { rows } = await sql<{ streams: number }>`
    select coalesce(sum(streams), 0)::int as streams from event_stream_counts where project_id = ${projectId}`.execute(
    db.pool,
  )
  return rows[0]?.streams ?? 0
}

const untilCounted = async (projectId: string, streams: number) => {
  const deadline = performance.now() + WAIT_MS_MAX
  while ((await counted(projectId)) !== streams) assert.ok(performance.now() < deadline, 'the count does not change')
}

/** Connects many at once; gives those that were let in, and the answers to those that were not. */
const crowd = async (ports: readonly number[], projectId: string) => {
  const streams = await Promise.all(ports.map((each) => TestStream.send(each, { token, projectId })))
  await Promise.all(streams.map((stream) => stream.until(() => stream.head !== '')))
  const isOpen = (stream: TestStream) => stream.head.startsWith('HTTP/1.1 200 ')
  const refused = streams.filter((stream) => !isOpen(stream))
  await Promise.all(refused.map((stream) => stream.until(() => stream.text.endsWith('}'))))
  for (const stream of refused) stream.close()
  return { open: streams.filter(isOpen), refused: refused.map(({ text }) => text) }
}

describe('a project has at most so many streams', () => {
  test('429 beyond, and room again when one has gone', async () => {
    const { projectId } = await TestSecrets.open(server, admin)
    const { open, refused } = await crowd(Array<number>(LIMIT + 3).fill(port), projectId)
    assert.equal(open.length, LIMIT)
    for (const answer of refused) {
      assert.match(answer, /^HTTP\/1.1 429 /)
      assert.match(answer, /retry-after: 10\r\n/i)
      assert.match(answer, /"RateLimitExceeded"/)
      assert.match(answer, /10 seconds/)
    }
    open[0]?.close()
    await untilCounted(projectId, LIMIT - 1)
    const next = await crowd([port, port], projectId)
    assert.equal(next.open.length, 1)
    for (const stream of [...open, ...next.open]) stream.close()
    await untilCounted(projectId, 0)
  })

  test('in all processes together, exactly', async () => {
    const { projectId } = await TestSecrets.open(server, admin)
    const other = await startStreamServerOn(server.url, { HOLDFAST_MAX_STREAMS_PER_PROJECT: String(LIMIT) })
    try {
      const ports = Array.from({ length: 4 * LIMIT }, (_, index) => (index % 2 ? port : other.port))
      const { open, refused } = await crowd(ports, projectId)
      assert.equal(open.length, LIMIT)
      assert.equal(refused.length, 3 * LIMIT)
      assert.equal(await counted(projectId), LIMIT)
      for (const stream of open) stream.close()
      await untilCounted(projectId, 0)
    } finally {
      await other.server.stop()
    }
  })

  test('and those of a process that stops are free at once', async () => {
    const { projectId } = await TestSecrets.open(server, admin)
    const other = await startStreamServerOn(server.url, { HOLDFAST_MAX_STREAMS_PER_PROJECT: String(LIMIT) })
    const { open } = await crowd(Array<number>(LIMIT).fill(other.port), projectId)
    await other.server.stop()
    for (const stream of open) {
      await stream.ended()
      assert.match(stream.error ?? '', /stopping/)
      assert.equal(stream.endedBy, 'ECONNRESET')
    }
    const next = await crowd([port], projectId)
    assert.equal(next.open.length, 1)
    for (const stream of next.open) stream.close()
  })

  test('and those of a process that was killed count no longer after a while', async () => {
    const { projectId } = await TestSecrets.open(server, admin)
    const killed = newId()
    const seen = (secondsAgo: number) =>
      sql`insert into event_stream_processes (id, seen_at)
        values (${killed}, clock_timestamp() - make_interval(secs => ${secondsAgo}))
        on conflict (id) do update set seen_at = excluded.seen_at`.execute(db.pool)
    await seen(1)
    await sql`insert into event_stream_counts values (${projectId}, ${killed}, ${LIMIT})`.execute(db.pool)
    const early = await crowd([port], projectId)
    assert.equal(early.open.length, 0)
    await seen(11)
    const late = await crowd([port], projectId)
    assert.equal(late.open.length, 1)
    for (const stream of late.open) stream.close()

    await seen(301)
    await server.app.services.streamSlots.purgeJob.run()
    await untilCounted(projectId, 0)
  })

  test('and another project has its own', async () => {
    const [one, two] = [await TestSecrets.open(server, admin), await TestSecrets.open(server, admin)]
    const full = await crowd(Array<number>(LIMIT).fill(port), one.projectId)
    const other = await crowd([port], two.projectId)
    assert.equal(other.open.length, 1)
    for (const stream of [...full.open, ...other.open]) stream.close()
  })
})

const metric = async (name: string): Promise<number> => {
  const { text } = await server.get('/metrics', { token: 'metrics-of-the-tests' })
  const line = text.split('\n').find((each) => each.startsWith(`holdfast_${name} `))
  return Number(line?.split(' ')[1])
}

test('a reader that does not read is let go, while another misses nothing', async () => {
  const secrets = await TestSecrets.open(server, admin)
  const { projectId } = secrets
  const droppedBefore = await metric('event_stream_readers_dropped_total')
  const idle = await TestStream.open(port, { token, projectId })
  const reader = await TestStream.open(port, { token, projectId })
  idle.socket.pause()
  assert.equal(await metric('event_streams'), 2)

  // What the kernel takes for a reader that stands still is some megabytes.
  const { changes, db: own } = server.app.services
  const body = { organizationId: admin.organizationId, projectId, environment: 'dev', path: `/${'x'.repeat(2_000)}` }
  const keys = Array.from({ length: 100 }, (_, index) => `KEY_${index}`)
  let sent = 0
  while (server.app.services.eventStreams.openStreams === 2) {
    assert.ok(++sent < 500, 'the reader was not let go')
    await own.transaction((tx) =>
      changes.append(tx, { scope: 'folder:x', kind: 'secret-updated', body: { ...body, keys } }),
    )
    await changes.readNow()
  }
  expect200(await secrets.create('LAST', '1'))
  await reader.until(() => reader.told.at(-1) === 'create dev / LAST')
  const told = reader.events.flatMap(({ data }) => (data as { data: { payload: unknown[] } }).data.payload)
  assert.equal(told.length, sent * keys.length + 1)
  assert.equal(await metric('event_stream_readers_dropped_total'), droppedBefore + 1)
  assert.ok((await metric('event_stream_messages_sent_total')) > sent)
  assert.ok((await metric('event_stream_delivery_seconds_count')) > sent)
  reader.close()
  idle.close()
})

test('the changes of ten writers at once reach every stream once, in order for each secret', async () => {
  const secrets = await TestSecrets.open(server, admin)
  const { projectId } = secrets
  const other = await startStreamServerOn(server.url)
  try {
    const streams = await Promise.all([port, other.port].map((each) => TestStream.open(each, { token, projectId })))
    const writers = Array.from({ length: 10 }, (_, index) => `WRITER_${index}`)
    const rounds = 10
    await Promise.all(
      writers.map(async (key) => {
        expect200(await secrets.create(key, '0'))
        for (let round = 1; round < rounds; round++) expect200(await secrets.update(key, { secretValue: `${round}` }))
        expect200(await secrets.remove(key))
      }),
    )
    const each = ['create', ...Array<string>(rounds - 1).fill('update'), 'delete']
    for (const stream of streams) {
      await stream.waitFor(writers.length * each.length)
      for (const key of writers) {
        const kinds = stream.told.filter((line) => line.endsWith(` ${key}`)).map((line) => line.split(' ')[0])
        assert.deepEqual(kinds, each)
      }
      assert.equal(stream.events.length, writers.length * each.length)
      stream.close()
    }
  } finally {
    await other.server.stop()
  }
})
