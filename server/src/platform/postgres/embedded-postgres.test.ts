import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  eventually,
  isAlive,
  postmasterPid,
  query,
  refusal,
  spawnServer,
  startHere,
  temporaryDataDirectory,
} from './postgres-test-server.ts'

describe('a data directory', () => {
  test('is created on the first start, also on a fresh volume, and kept by the next ones', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await mkdir(join(dataDir, 'lost+found'), { recursive: true })
    const first = await startHere(dataDir, { ephemeral: false })
    const pid = await postmasterPid(dataDir)
    assert.match(first.version, /^18\.\d+$/)
    assert.deepEqual(first.reports, [
      `Creating the database (PostgreSQL ${first.version}) in ${join(dataDir, 'postgres')}`,
      `Starting PostgreSQL ${first.version}`,
    ])
    const [facts] = await query(
      first.url,
      `select current_user as user, current_database() as database, usesuper as super, current_setting('data_checksums') as checksums,
         current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, datlocale as locale
       from pg_user, pg_database where usename = current_user and datname = current_database()`,
    )
    assert.deepEqual(facts, {
      user: 'holdfast',
      database: 'holdfast',
      super: false,
      checksums: 'on',
      encoding: 'UTF8',
      fsync: 'on',
      locale: 'C.UTF-8',
    })
    await query(first.url, 'create table kept as select 42 as answer')
    await Promise.all([first.stop(), first.stop()])
    assert(!(await isAlive(pid)), 'the postmaster is gone')

    const second = await startHere(dataDir, { ephemeral: false })
    assert.deepEqual(second.reports, [`Starting PostgreSQL ${first.version}`])
    assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
  })

  test('is reached through a socket that is closed to others, and through nothing else', async (t) => {
    const dataDir = await temporaryDataDirectory(t, 'with, a "comma" and é')
    const { url } = await startHere(dataDir)
    const [settings] = await query(
      url,
      "select current_setting('listen_addresses') as addresses, current_setting('unix_socket_permissions') as mode",
    )
    assert.deepEqual(settings, { addresses: '', mode: '0700' })
    assert.equal(new URL(url).searchParams.get('host'), join(dataDir, 'socket'))
    assert.equal((await stat(join(dataDir, 'socket'))).mode & 0o777, 0o700)
    assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
  })

  test('may have a path too long for a socket', async (t) => {
    const dataDir = await temporaryDataDirectory(t, `${'long/'.repeat(30)}data`)
    const first = await startHere(dataDir)
    const directory = new URL(first.url).searchParams.get('host') ?? ''
    assert(Buffer.byteLength(directory) < 90 && !directory.startsWith(dataDir))
    assert.equal((await stat(directory)).mode & 0o777, 0o700)
    await assert.rejects(startHere(dataDir), refusal(new RegExp(`pid ${process.pid}\\b`)))
    await first.stop()
    await assert.rejects(stat(directory), { code: 'ENOENT' })

    const again = await startHere(dataDir)
    assert.equal(again.url, first.url)
    await again.stop()
  })

  test('of another PostgreSQL major is refused, with the way out', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await mkdir(join(dataDir, 'postgres'), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    await writeFile(join(dataDir, 'holdfast.json'), '{"about": "", "database": "."}')
    await assert.rejects(startHere(dataDir), refusal(/made by PostgreSQL 15/, /dump/, /HOLDFAST_DATA_DIR/))
  })

  test('with files of someone else is refused and left alone', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'thesis.txt'), '')
    await assert.rejects(startHere(dataDir), refusal(/'thesis\.txt'/, /HOLDFAST_DATA_DIR/))
    assert.deepEqual(await readdir(dataDir), ['thesis.txt'])
  })

  test('whose database folder holds something else is refused', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await mkdir(join(dataDir, 'postgres'), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'notes.txt'), '')
    await writeFile(join(dataDir, 'holdfast.json'), '{"about": "", "database": "."}')
    await assert.rejects(startHere(dataDir), refusal(/no PostgreSQL database/))
  })

  test('that is a file is refused in one line', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await writeFile(dataDir, '')
    await assert.rejects(startHere(dataDir), refusal(/cannot be used/, /HOLDFAST_DATA_DIR/))
  })
})

describe('a running database', () => {
  const cleanups: (() => Promise<void>)[] = []
  let dataDir = ''

  before(async () => {
    dataDir = await temporaryDataDirectory({ after: (work) => void cleanups.push(work) })
    await (await startHere(dataDir)).stop()
  })
  after(() => Promise.all(cleanups.map((work) => work())))

  test('does without durability where a test asks for it, and has a session of its own that Ctrl-C does not reach', async () => {
    const { url, stop } = await startHere(dataDir)
    const names = ['fsync', 'synchronous_commit', 'full_page_writes']
    const values = await query(url, `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`)
    assert.deepEqual(values, [Object.fromEntries(names.map((name) => [name, 'off']))])

    const pid = await postmasterPid(dataDir)
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pgid=', '-p', String(pid)])
    assert.equal(Number(stdout), pid)
    await stop()
  })

  test('is started again when it dies', async () => {
    const { url, reports, stop } = await startHere(dataDir, { ephemeral: false })
    await query(url, 'create table kept as select 42 as answer')
    process.kill(await postmasterPid(dataDir), 'SIGKILL')
    await eventually(() => query(url, 'select from kept').catch(() => undefined), 'the database to be back')
    assert(reports.includes('PostgreSQL ended unexpectedly'))
    await stop()
  })

  test('warns of what its log says when it loses a process or its disk is full, and of nothing else', async () => {
    const { url, reports, stop } = await startHere(dataDir)
    const before = reports.length
    const [backend] = await query(url, 'select pg_backend_pid() as pid')
    assert(backend)
    const dying = assert.rejects(query(url, 'select pg_sleep(60) -- to be killed'))
    const pid = await eventually(async () => {
      const [found] = await query(
        url,
        "select pid from pg_stat_activity where query like '%to be killed' and pid <> pg_backend_pid()",
      )
      return found?.['pid']
    }, 'the query to run')
    process.kill(Number(pid), 'SIGKILL')
    await dying
    // The postmaster writes of it after the client has noticed.
    await eventually(() => reports.length >= before + 1, 'the first warning')
    await appendFile(
      join(dataDir, 'postgres.log'),
      'at PANIC:  could not write to file: No space left on device\nat LOG:  fine\n',
    )
    await eventually(() => reports.length >= before + 2, 'the warnings')
    const [killed, panic] = reports.slice(before)
    assert.match(killed ?? '', /^PostgreSQL says: LOG: .*\(PID \d+\) was terminated by signal 9/)
    assert.equal(panic, 'PostgreSQL says: PANIC:  could not write to file: No space left on device')
    await eventually(() => query(url, 'select 1').catch(() => undefined), 'the database to be back')
    assert.equal(reports.length, before + 2)
    await stop()
  })

  test('ends by stop() although clients are busy', async () => {
    const { url, stop } = await startHere(dataDir)
    const busy = assert.rejects(query(url, 'select pg_sleep(60)'))
    await eventually(
      async () => (await query(url, "select from pg_stat_activity where query = 'select pg_sleep(60)'")).length === 1,
      'the query to run',
    )
    await stop()
    await busy
    await assert.rejects(query(url, 'select 1'), { code: 'ENOENT' })
  })

  test('is refused to a second server, which names the first, until that is killed', async (t) => {
    const first = spawnServer(t, dataDir)
    assert((await first.outcome()).url)
    await assert.rejects(startHere(dataDir), refusal(new RegExp(`pid ${first.pid}\\b`), /HOLDFAST_DATA_DIR/))
    await first.kill()
    await (await startHere(dataDir)).stop()
  })
})

test('of several servers that start at once on a new data directory exactly one gets it', async (t) => {
  const dataDir = await temporaryDataDirectory(t)
  const servers = Array.from({ length: 4 }, () => spawnServer(t, dataDir))
  const outcomes = await Promise.all(servers.map(({ outcome }) => outcome()))
  const winners = servers.filter((_, index) => outcomes[index]?.url !== undefined)
  assert.equal(winners.length, 1, JSON.stringify(outcomes))
  for (const { refusal: reason } of outcomes.filter(({ url }) => url === undefined)) {
    assert.match(reason ?? '', new RegExp(`^Another Holdfast .*pid ${winners[0]?.pid}\\b`))
  }
  await winners[0]?.kill()
  await (await startHere(dataDir)).stop()
})
