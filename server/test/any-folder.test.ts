import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runHoldfast } from './run-holdfast.ts'
import { createEmptyDatabase } from './test-database.ts'

const SERVER = fileURLToPath(new URL('../../', import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), "hold fäst's #1 50%25 "))
const { url, drop } = await createEmptyDatabase()
after(async () => {
  await drop()
  await rm(folder, { recursive: true, force: true })
})

test('Holdfast runs in a folder of any name', async () => {
  await mkdir(path.join(folder, 'server', 'dist'), { recursive: true })
  for (const part of ['package.json', 'bin', 'migrations', 'dist/bundle'])
    await cp(path.join(SERVER, part), path.join(folder, 'server', part), { recursive: true })
  await symlink(path.join(SERVER, '..', 'node_modules'), path.join(folder, 'node_modules'))
  const environment = { DATABASE_URL: url, HOLDFAST_ROOT_KEY: Buffer.alloc(32, 1).toString('base64') }
  const { code, said } = await runHoldfast('migrate', environment, path.join(folder, 'server', 'bin', 'holdfast.mjs'))
  assert.deepEqual([code, said], [0, ''])
})
