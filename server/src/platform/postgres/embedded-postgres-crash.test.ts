import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  eventually,
  isAlive,
  postmasterPid,
  query,
  spawnServer,
  startHere,
  temporaryDataDirectory,
} from './postgres-test-server.ts'

const cleanups: (() => Promise<void>)[] = []
const suite = { after: (work: () => Promise<void>) => void cleanups.unshift(work) }
let dataDir = ''

before(async () => {
  dataDir = await temporaryDataDirectory(suite)
  const { url, stop } = await startHere(dataDir)
  await query(url, 'create table kept as select 42 as answer')
  await stop()
})
after(async () => {
  for (const work of cleanups) await work()
})

const serve = async (options = { ephemeral: true }) => {
  const server = spawnServer(suite, dataDir, options)
  const { url } = await server.outcome()
  assert(url, JSON.stringify(server.lines))
  return { ...server, url, postmaster: await postmasterPid(dataDir) }
}

/** Whatever was left behind: the next start works, has the data, and its stop leaves nothing running. */
const assertNextStartWorks = async () => {
  const { url, reports, stop } = await startHere(dataDir)
  const pid = await postmasterPid(dataDir)
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }])
  await stop()
  assert(!(await isAlive(pid)))
  return { pid, reports: reports.join('\n') }
}

const postmasterFile = () => join(dataDir, 'postgres', 'postmaster.pid')

describe('a postmaster whose server was killed', () => {
  test('is adopted when it is healthy', async () => {
    const server = await serve()
    await server.kill()
    const { pid, reports } = await assertNextStartWorks()
    assert.equal(pid, server.postmaster)
    assert.match(reports, /still running/)
  })

  test('is replaced when it runs with other settings', async () => {
    const server = await serve({ ephemeral: false })
    await server.kill()
    const { pid } = await assertNextStartWorks()
    assert.notEqual(pid, server.postmaster)
    assert(!(await isAlive(server.postmaster)))
  })

  test('is replaced when its socket is gone', async () => {
    const server = await serve()
    await server.kill()
    await rm(join(dataDir, 'socket'), { recursive: true })
    assert.notEqual((await assertNextStartWorks()).pid, server.postmaster)
  })

  test('is replaced when it is shutting down and waits for a client', async () => {
    const server = await serve()
    const client = assert.rejects(query(server.url, 'select pg_sleep(60)'))
    await eventually(
      async () => (await query(server.url, "select from pg_stat_activity where query ~ '^select pg_sleep'")).length > 0,
      'the client to be busy',
    )
    process.kill(server.postmaster, 'SIGTERM')
    await eventually(
      async () => /\nstopping\s*$/.test(await readFile(postmasterFile(), 'utf8')),
      'the shutdown to begin',
    )
    await server.kill()
    assert.notEqual((await assertNextStartWorks()).pid, server.postmaster)
    await client
  })

  test('is watched after adoption and started again when it dies', async () => {
    const server = await serve()
    await server.kill()
    const { url, stop } = await startHere(dataDir)
    process.kill(server.postmaster, 'SIGKILL')
    await eventually(
      async () =>
        (await postmasterPid(dataDir).catch(() => 0)) !== server.postmaster &&
        query(url, 'select from kept').catch(() => false),
      'the database to be back',
    )
    await stop()
  })
})

describe('a postmaster that was killed too', () => {
  test('leaves a start that recovers', async () => {
    const server = await serve()
    process.kill(server.pid, 'SIGSTOP')
    process.kill(server.postmaster, 'SIGKILL')
    await server.kill()
    assert.notEqual((await assertNextStartWorks()).pid, server.postmaster)
  })

  test('is waited for when it recovers and its next server is killed as well', async () => {
    const server = await serve()
    await query(server.url, "create table filler as select repeat('x', 200) as text from generate_series(1, 200000)")
    process.kill(server.pid, 'SIGSTOP')
    process.kill(server.postmaster, 'SIGKILL')
    await server.kill()
    const next = spawnServer(suite, dataDir)
    const starting = await eventually(async () => {
      const [pid, , , , , , , status] = (await readFile(postmasterFile(), 'utf8').catch(() => '')).split('\n')
      return Number(pid) !== server.postmaster && /starting|ready/.test(status ?? '') && Number(pid)
    }, 'recovery to begin')
    await next.kill()
    assert.equal((await assertNextStartWorks()).pid, starting)
  })

  test('leaves a busy child, which is ended before the next start', async () => {
    const server = await serve()
    const client = assert.rejects(query(server.url, 'select count(*) from generate_series(1, 1e10)'))
    const backend = await eventually(async () => {
      const text = "select pid from pg_stat_activity where query ~ '^select count' and state = 'active'"
      return (await query(server.url, text))[0]?.['pid']
    }, 'the query to run')
    process.kill(server.pid, 'SIGSTOP')
    process.kill(server.postmaster, 'SIGKILL')
    await server.kill()
    assert(await isAlive(Number(backend)), 'the child is still busy')
    await assertNextStartWorks()
    assert(!(await isAlive(Number(backend))))
    await client
  })
})

describe('a left-over lock file of PostgreSQL', () => {
  test('with the pid of another process stops nobody', async () => {
    const server = await serve()
    const [file, lock] = await Promise.all([
      readFile(postmasterFile(), 'utf8'),
      readFile(join(dataDir, 'socket', '.s.PGSQL.5432.lock'), 'utf8'),
    ])
    await server.kill()
    await assertNextStartWorks()

    const { uid, gid } = await stat(join(dataDir, 'postgres'))
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid, gid }) })
    const impostor = (text: string) => text.replace(/^\d+/, String(bystander.pid))
    await writeFile(postmasterFile(), impostor(file))
    await assertNextStartWorks()
    await writeFile(join(dataDir, 'socket', '.s.PGSQL.5432.lock'), impostor(lock))
    await assertNextStartWorks()
    assert.equal(bystander.exitCode ?? bystander.signalCode, null, 'the other process lives on')
    bystander.kill()
    await once(bystander, 'exit')
  })

  for (const [what, text] of [
    ['nothing', ''],
    ['half a line', '1'],
    ['something else', 'not a pid\n'],
  ] as const) {
    test(`with ${what} in it stops nobody`, async () => {
      await writeFile(postmasterFile(), text)
      await assertNextStartWorks()
    })
  }
})

describe('a first start that is killed', () => {
  test('while it creates the database begins anew', async (t) => {
    const fresh = await temporaryDataDirectory(t)
    const server = spawnServer(t, fresh)
    await eventually(async () => {
      const draft = (await readdir(fresh).catch(() => [])).find((name) => name.startsWith('postgres.new-'))
      return draft !== undefined && (await readdir(join(fresh, draft))).includes('PG_VERSION')
    }, 'initdb to be under way')
    await server.kill()
    const { reports, stop } = await startHere(fresh)
    assert.match(reports[0] ?? '', /^Creating/)
    await stop()
    assert.deepEqual(
      (await readdir(fresh)).filter((name) => name.includes('new-')),
      [],
    )
  })

  test('again and again, at any moment, works in the end', async (t) => {
    const fresh = await temporaryDataDirectory(t)
    for (const lifeMs of [100, 130, 180, 400, 800, 1000, 150]) {
      const server = spawnServer(t, fresh)
      await delay(lifeMs)
      await server.kill()
      assert(!server.lines.some(({ refusal }) => refusal !== undefined), JSON.stringify(server.lines))
    }
    const { url, stop } = await startHere(fresh)
    assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
    await stop()
  })
})
