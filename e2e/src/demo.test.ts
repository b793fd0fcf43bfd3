import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from 'holdfast/test/free-port.js'
import { createDataDirectory } from './server-process.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const HOLDFAST = path.join(ROOT, 'server/bin/holdfast.mjs')
const WAIT_MS_MAX = 60_000
const VALUE = 'postgresql://shop@db.example.com/shop\n'

const directory = await createDataDirectory()
const PORT = String(await freePort())
const PATH = `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) kill(child, 'SIGKILL')
  await directory.remove()
})

/** A process with its children, and all that it has said. */
const start = (command: string, args: string[], input = '') => {
  const env = { PATH, PORT, HOLDFAST_DATA_DIR: directory.path, LOG_LEVEL: 'warn', HOME: directory.path }
  const child = spawn(command, args, { cwd: ROOT, env, detached: true })
  running.add(child)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdin.end(input)
  const ended = once(child, 'close').then(() => running.delete(child))
  const until = async (pattern: RegExp) => {
    const deadline = performance.now() + WAIT_MS_MAX
    while (!pattern.test(said.out + said.err)) {
      const isLate = child.exitCode !== null || performance.now() > deadline
      assert.ok(!isLate, `no ${pattern} in ${said.out}${said.err}`)
      await sleep(20)
    }
  }
  const stop = async () => {
    kill(child, 'SIGINT')
    await ended
  }
  return { said, ended, until, stop }
}

const kill = ({ pid }: ChildProcess, signal: NodeJS.Signals) => {
  if (pid !== undefined) process.kill(-pid, signal)
}

/** Pastes lines into a shell, as they are. */
const paste = async (...blocks: string[]): Promise<string> => {
  const shell = start('bash', ['-s'], blocks.join('\n'))
  await shell.ended
  return shell.said.out
}

describe('serve --demo', () => {
  test('prints commands that work as they are printed', async () => {
    const server = start(process.execPath, [HOLDFAST, 'serve', '--demo'])
    await server.until(/People log in/)
    const between = (from: string, to: string) => server.said.out.split(from)[1]?.split(to)[0] ?? ''
    const login = between('in this folder:', '  1. ')
    const readWithCurl = between('with curl:', '  2. ')
    const readWithSdk = between('with @infisical/sdk:', '  3. ')
    const watch = between('Ctrl-C ends it:', '  To see one')
    const change = between('of the first command:', '  People')

    assert.match(server.said.out, /evaluation of 30 days/)
    assert.equal(await paste(login, readWithCurl), VALUE)
    assert.equal(await paste(login, readWithSdk), VALUE)

    const tail = start('bash', ['-s'], login + watch)
    await tail.until(/Watching web-shop/)
    assert.equal(await paste(login, readWithCurl, change), VALUE)
    await tail.until(/^\S+ \S+ {2}update {2}dev {2}\/ {2}GREETING$/m)
    await tail.stop()
    assert.doesNotMatch(tail.said.err, /Error|at .*\.js:/)
    await server.stop()
  })

  test('leaves the example as it is when it is there, and says how to get new credentials', async () => {
    const server = start(process.execPath, [HOLDFAST, 'serve', '--demo'])
    await server.until(/The example is here already/)
    assert.doesNotMatch(server.said.out, /CLIENT_SECRET/)
    const credentials = await paste('npx holdfast demo credentials')
    const [login = ''] = /^export .*$/m.exec(credentials) ?? []
    const read = credentials.split('with curl:')[1]?.split('  2. ')[0] ?? ''
    assert.equal(await paste(login, read), VALUE)
    await server.stop()
  })
})
