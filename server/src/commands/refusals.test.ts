import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { runHoldfast as run } from '../../test/run-holdfast.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-refusals-'))
after(() => rm(folder, { recursive: true, force: true }))
await writeFile(path.join(folder, 'file'), '')

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64')
const REFUSED = {
  DATABASE_URL: 'postgresql://app:hunter2@127.0.0.1:1/app',
  HOLDFAST_ROOT_KEY: key(1),
  HOLDFAST_ROOT_KEY_PREVIOUS: key(2),
}
const ADVICE = /ECONNREFUSED 127\.0\.0\.1:1.*start it, or correct DATABASE_URL/

describe('without its database a command is one line and exit code 1:', { concurrency: 2 }, () => {
  for (const command of ['migrate', 'audit verify', 'admin reset-password a@example.com', 'rotate-root-key']) {
    test(command, async () => {
      const { code, said, shown } = await run(command, REFUSED)
      assert.equal(code, 1)
      assert.match(said, /^holdfast: [^\n]*\n$/)
      assert.match(said, ADVICE)
      assert.ok(!`${said}${shown}`.includes('hunter2'))
    })
  }

  test('doctor', async () => {
    const { code, said, shown } = await run('doctor', REFUSED)
    assert.deepEqual([code, said], [1, ''])
    assert.match(
      shown,
      /^ {2}✗ The database answers \(PostgreSQL at 127\.0\.0\.1:1\)\n {6}[^\n]*\n\n {2}1 thing is wrong\.\n$/m,
    )
    assert.match(shown, ADVICE)
  })
})

describe('a data directory that cannot be one is one line and exit code 1:', { concurrency: 2 }, () => {
  for (const [name, directory] of [
    ['a folder in which nothing can be made', '/proc/holdfast/data'],
    ['a file', path.join(folder, 'file')],
    ['below a file', path.join(folder, 'file', 'data')],
    ['a name that is too long', path.join(folder, 'x'.repeat(300))],
    ['a path that is too long', path.join(folder, 'yyyyyyyyy/'.repeat(500))],
  ] as const) {
    test(name, { skip: name.includes('nothing') && process.platform !== 'linux' }, async () => {
      for (const command of ['serve', 'migrate']) {
        const { code, said } = await run(command, { HOLDFAST_DATA_DIR: directory })
        assert.equal(code, 1)
        assert.match(said, /^holdfast: [^\n]{1,600} cannot be used [^\n]*HOLDFAST_DATA_DIR[^\n]*\n$/)
      }
    })
  }
})
