import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { after, describe, test } from 'node:test'
import { readConfig } from '../config.ts'
import { Keyring } from '../platform/crypto/keyring.ts'
import { RootKeyError } from '../platform/crypto/root-key.ts'
import { connectDirectly } from '../platform/db/connection.ts'
import { migrate, readMigrations } from '../platform/db/migrations.ts'
import { MIGRATIONS_FOLDER } from '../foundation.ts'
import { isAlive, postmasterPid } from '../platform/postgres/postgres-test-server.ts'
import { joinInstallation, openInstallation, withInstallation, type Installation } from './installation.ts'
import { Progress } from './progress.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-installation-'))
await chmod(folder, 0o755)
after(() => rm(folder, { recursive: true, force: true }))
const dataDir = path.join(folder, 'data')
const rootKeyFile = path.join(dataDir, 'root.key')

const config = readConfig({ HOLDFAST_DATA_DIR: dataDir })
const quiet = new Progress(Object.assign(new PassThrough(), { isTTY: false }) as PassThrough & NodeJS.WriteStream)
const open = () => openInstallation(config, quiet, () => undefined)

const settle = async ({ db, directUrl, roots }: Installation): Promise<void> => {
  const client = await connectDirectly({ url: directUrl, applicationName: 'holdfast-test', statementTimeoutMs: 10_000 })
  await migrate(client, await readMigrations(MIGRATIONS_FOLDER), () => undefined).finally(() => client.end())
  await new Keyring({ db, roots }).establish()
}

describe('an installation with a PostgreSQL of its own', () => {
  test('leaves nothing running when what it was opened for fails', async () => {
    let pid = 0
    const work = async () => {
      pid = await postmasterPid(dataDir)
      throw new Error('while it was being wired')
    }
    await assert.rejects(withInstallation(open(), work), /while it was being wired/)
    assert.ok(pid > 0 && !(await isAlive(pid)))
  })

  test('gets a root key while its database is new, and not another one when that is lost', async () => {
    await rm(rootKeyFile)
    await withInstallation(open(), settle)

    await rename(rootKeyFile, path.join(folder, 'kept.key'))
    const before = (await readdir(dataDir)).filter((name) => name.startsWith('root'))
    for (const opening of [open, () => joinInstallation(config, quiet)]) {
      await assert.rejects(opening(), (error) => {
        assert.ok(error instanceof RootKeyError && !error.message.includes('\n'))
        assert.ok(error.message.startsWith(rootKeyFile) && error.message.includes('restore that file from a backup'))
        return true
      })
    }
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.startsWith('root')),
      before,
    )
    await rename(path.join(folder, 'kept.key'), rootKeyFile)
    await withInstallation(open(), settle)
  })
})
