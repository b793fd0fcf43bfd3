import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, rmdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { postmasterPid, query, refusal, startHere, temporaryDataDirectory } from './postgres-test-server.ts'

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0

describe('started by root', { skip: !isRootOnLinux }, () => {
  test('the database runs as a user without privileges, who owns its files', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    const { stop } = await startHere(dataDir)
    const { uid } = await stat(join(dataDir, 'postgres'))
    assert.notEqual(uid, 0)
    assert.equal((await stat(dataDir)).uid, 0)
    assert.equal((await stat(join(dataDir, 'postgres.log'))).uid, 0)
    const pid = await postmasterPid(dataDir)
    assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), new RegExp(`^Uid:\\s${uid}\\s${uid}\\s${uid}\\s`, 'm'))
    assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), /^Groups:\s*$/m)
    await stop()
  })

  test('the database lives in a system folder where that user cannot reach the data directory', async (t) => {
    const closed = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
    t.after(() => rm(closed, { recursive: true, force: true }))
    await chmod(closed, 0o700)
    const dataDir = join(closed, 'data')
    const first = await startHere(dataDir)
    const { database } = JSON.parse(await readFile(join(dataDir, 'holdfast.json'), 'utf8'))
    t.after(async () => {
      await first.stop()
      await rm(database, { recursive: true, force: true })
      await rmdir(dirname(database)).catch(() => 'in use by others')
    })
    assert.match(database, /^\/var\/lib\/holdfast\/data-/)
    assert.equal(await readFile(join(database, 'belongs-to.txt'), 'utf8'), `${dataDir}\n`)
    await query(first.url, 'create table kept as select 42 as answer')
    await assert.rejects(startHere(dataDir), refusal(new RegExp(`pid ${process.pid}\\b`)))
    await first.stop()

    await chmod(closed, 0o755)
    const second = await startHere(dataDir)
    assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }], 'it stays where it is')
    await second.stop()

    await rm(database, { recursive: true })
    await assert.rejects(startHere(dataDir), refusal(/which is gone: bring it back/))
  })

  test('a database that has come into a closed folder is refused with the way out', async (t) => {
    const dataDir = await temporaryDataDirectory(t)
    await (await startHere(dataDir)).stop()
    await chmod(join(dataDir, '..'), 0o700)
    await assert.rejects(startHere(dataDir), refusal(/cannot enter .*chmod o\+x/))
  })
})
