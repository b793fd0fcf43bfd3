import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { DataDirectoryError } from './data-directory-error.ts'
import { lockDirectory } from './directory-lock.ts'

const temporaryDirectory = async (t: TestContext) => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Fights for the lock for a while; whoever holds it while another living process does says so. Half of the holders die of it. */
const CONTENDER = `
  import { readFileSync, writeFileSync } from 'node:fs'
  const [module, directory, ms] = process.argv.slice(1)
  const { lockDirectory } = await import(module)
  const isAlive = (pid) => { try { return process.kill(pid, 0) && !/^State:\\s+Z/m.test(readFileSync('/proc/' + pid + '/status', 'utf8')) } catch { return false } }
  const end = Date.now() + Number(ms)
  while (Date.now() < end) {
    const lock = await lockDirectory(directory).catch((error) => {
      if (!error.message.startsWith('Another Holdfast')) console.log('broken', error)
    })
    if (!lock) continue
    const owner = Number(readFileSync(directory + '/owner', 'utf8'))
    if (owner !== 0 && isAlive(owner)) console.log('overlap', owner, process.pid)
    writeFileSync(directory + '/owner', String(process.pid))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    console.log('held')
    // Before it dies, too: a process that is ending has no socket any more and is not yet gone.
    writeFileSync(directory + '/owner', '0')
    if (Math.random() < 0.5) process.kill(process.pid, 'SIGKILL')
    await lock.release()
  }
`

const contend = async (directory: string, ms: number) => {
  const module = new URL('directory-lock.js', import.meta.url).href
  const args = ['--input-type=module', '--eval', CONTENDER, module, directory, String(ms)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  child.stdout.on('data', (text: Buffer) => lines.push(...text.toString().trim().split('\n')))
  await once(child, 'close')
  return lines
}

test('a directory has one holder, whose pid the others are told, until it is released', async (t) => {
  const directory = await temporaryDirectory(t)
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)))
  const won = attempts.filter((attempt) => attempt.status === 'fulfilled')
  assert.equal(won.length, 1)
  for (const attempt of attempts) {
    if (attempt.status === 'fulfilled') continue
    assert(attempt.reason instanceof DataDirectoryError, String(attempt.reason))
    assert.match(attempt.reason.message, new RegExp(`pid ${process.pid}\\b`))
  }
  await won[0]?.value.release()
  const again = await lockDirectory(directory)
  await again.release()
  assert.equal((await readdir(directory)).length, 1, 'generations and candidates do not pile up')
})

test('a path may be too long for a socket', async (t) => {
  const directory = join(await temporaryDirectory(t), 'x'.repeat(200))
  await mkdir(directory)
  const lock = await lockDirectory(directory)
  await assert.rejects(lockDirectory(directory), DataDirectoryError)
  await lock.release()
})

test('what a backup brings back of a lock does not count as one', async (t) => {
  const directory = await temporaryDirectory(t)
  await mkdir(join(directory, 'lock.7'))
  await writeFile(join(directory, 'lock.7', 'pid'), `${process.pid}\n`)
  const lock = await lockDirectory(directory)
  assert.deepEqual(await readdir(directory), ['lock.8'])
  assert.equal(await readFile(join(directory, 'lock.8', 'pid'), 'utf8'), `${process.pid}\n`)
  await lock.release()
})

test(
  'processes that fight for it, and die holding it, never hold it together',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const directory = await temporaryDirectory(t)
    await writeFile(join(directory, 'owner'), '0')
    const until = performance.now() + 2_500
    const lines: string[] = []
    const keepContending = async () => {
      while (performance.now() < until) lines.push(...(await contend(directory, 500)))
    }
    await Promise.all([keepContending(), keepContending(), keepContending(), keepContending()])
    assert.deepEqual(
      lines.filter((line) => line !== 'held'),
      [],
    )
    assert(lines.length > 3, `it was held ${lines.length} times`)
  },
)
