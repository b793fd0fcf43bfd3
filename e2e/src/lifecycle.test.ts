import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Administrator, call } from './administrator.ts'
import { createDataDirectory, refusedServer } from './server-process.ts'

const directory = await createDataDirectory()
after(directory.remove)

const postmasterPid = async (): Promise<number> => {
  const file = await readFile(path.join(directory.path, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(file.split('\n')[0])
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a server with its own PostgreSQL', () => {
  test('leaves nothing running when it is stopped, and has everything when it starts again', async () => {
    const first = await directory.start()
    const administrator = await Administrator.bootstrap(first.url)
    const pid = await postmasterPid()
    await first.stop()
    assert.equal(isRunning(pid), false)

    const second = await directory.start()
    await call(second.url, 'GET', '/api/v1/identities/details', { token: administrator.token })
    await second.stop()
  })

  test('refuses a second server on its data directory, and is not disturbed by it', async () => {
    const first = await directory.start()
    const { code, said } = await refusedServer({ HOLDFAST_DATA_DIR: directory.path })
    assert.equal(code, 1)
    assert.match(said, /^holdfast: .*pid \d+.*\n$/)
    assert.equal((await fetch(`${first.url}/api/status`)).status, 200)
    await first.stop()
  })

  test('goes on by itself when PostgreSQL ends under load, and loses nothing that it acknowledged', async () => {
    const server = await directory.start()
    const { token, organizationId } = await logIn(server.url)
    const acknowledged: string[] = []
    let refused = 0
    let isDone = false
    const writer = async (name: string) => {
      while (!isDone) {
        const response = await post(`${server.url}/api/v1/identities`, { name, organizationId }, token)
        const body = (await response.json()) as { identity?: { id: string }; error?: string; reqId?: string }
        if (body.identity) acknowledged.push(body.identity.id)
        else {
          refused++
          assert.deepEqual([response.status, body.error], [503, 'ServiceUnavailable'])
          assert.ok(body.reqId && response.headers.get('retry-after'))
          await sleep(20)
        }
      }
    }
    const writers = Array.from({ length: 8 }, (_, n) => writer(`writer ${n}`))
    while (acknowledged.length < 50) await sleep(5)
    process.kill(await postmasterPid(), 'SIGINT')
    while (refused === 0) await sleep(5)
    const before = acknowledged.length
    for (let tries = 0; acknowledged.length < before + 50 && tries < 3_000; tries++) await sleep(10)
    isDone = true
    await Promise.all(writers)

    assert.ok(acknowledged.length >= before + 50, 'it serves again')
    const { identities } = await call(server.url, 'GET', `/api/v1/identities?orgId=${organizationId}`, { token })
    const present = new Set(identities.map(({ identityId }: { identityId: string }) => identityId))
    assert.deepEqual(
      acknowledged.filter((id) => !present.has(id)),
      [],
    )
    await server.stop()
  })

  test('refuses another root key, and writes nothing', async () => {
    const file = path.join(directory.path, 'root.key')
    const key = await readFile(file, 'utf8')
    await writeFile(file, Buffer.alloc(32, 9).toString('base64'), { mode: 0o600 })
    const { code, said } = await refusedServer({ HOLDFAST_DATA_DIR: directory.path })
    assert.equal(code, 1)
    assert.match(said, /^holdfast: .*root key.*\n$/)
    await writeFile(file, key)
    const server = await directory.start()
    await server.stop()
  })
})

describe('a server that is set up wrongly', () => {
  test('says so in one line', async () => {
    const { code, said } = await refusedServer({ PORT: 'eighty' })
    assert.deepEqual([code, said], [1, 'holdfast: PORT must be a whole number from 0 to 65535\n'])
  })
})

/** As the person who was there first. */
const logIn = async (url: string): Promise<{ token: string; organizationId: string }> => {
  const { accessToken } = await call(url, 'POST', '/api/v3/auth/login', {
    body: { email: 'admin@example.com', password: 'a long passphrase 1' },
  })
  const { organizations } = await call(url, 'GET', '/api/v1/organization', { token: accessToken })
  const organizationId = organizations[0].id as string
  const { token } = await call(url, 'POST', '/api/v3/auth/select-organization', {
    body: { organizationId },
    token: accessToken,
  })
  return { token, organizationId }
}

const post = (url: string, body: object, token: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })
