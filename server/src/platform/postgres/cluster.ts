import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../lib/error-code.ts'
import type { Binaries } from './binaries.ts'
import { run } from './command.ts'
import type { RunAs } from './command.ts'
import { syncDirectory } from './data-directory.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import type { Home } from './home.ts'
import { openSocketDirectory } from './socket-directory.ts'

/** A PostgreSQL cluster on disk and everything needed to run it. */
export type Cluster = {
  directory: string
  /** Differs between any two directories; PostgreSQL shows it in the title of each of its processes. */
  name: string
  socketDirectory: string
  logFile: string
  user: RunAs
  binaries: Binaries
  ephemeral: boolean
  report: (progress: string) => void
}

/** For administration; the server itself has a role without privileges. */
export const SUPERUSER = 'postgres'

const DRAFT = 'postgres.new-'

type Options = { ephemeral: boolean; report: (progress: string) => void }

/** The locale is PostgreSQL's own, so that the order of texts depends on no library of the machine. */
const initdbArguments = (directory: string, ephemeral: boolean) => [
  `--pgdata=${directory}`,
  `--username=${SUPERUSER}`,
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  // Who may enter the folder of the socket may connect; there is no other way in.
  '--auth-local=trust',
  '--auth-host=reject',
  '--no-instructions',
  ...(ephemeral ? ['--no-sync'] : []),
]

/** Made under another name and renamed when complete, so an interrupted one is never taken for a cluster. */
const createCluster = async (home: Home, binaries: Binaries, ephemeral: boolean) => {
  const draft = join(home.path, `${DRAFT}${randomBytes(6).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  if (home.user) await chown(draft, home.user.uid, home.user.gid)
  const { ok, output } = await run(binaries.initdb, initdbArguments(draft, ephemeral), home.user)
  if (!ok) {
    await rm(draft, { recursive: true, force: true })
    const reason = output.split('\n').findLast((line) => /error|fatal/i.test(line)) ?? output.split('\n').at(-1) ?? ''
    throw new DataDirectoryError(`PostgreSQL could not create a database in ${home.path} (${reason}).`)
  }
  await rename(draft, home.cluster)
  await syncDirectory(home.path)
}

const removeDrafts = async (home: string) => {
  const drafts = (await readdir(home)).filter((name) => name.startsWith(DRAFT))
  // An initdb that outlived its server may still write; it fails soon after its files are gone.
  const patience = { maxRetries: 10, retryDelay: 100 }
  await Promise.all(drafts.map((name) => rm(join(home, name), { recursive: true, force: true, ...patience })))
}

/** The PostgreSQL major the cluster is of; undefined while there is none. */
const readMajor = async (directory: string) => {
  const names = await unless(['ENOENT'], readdir(directory))
  if (names === undefined || names.length === 0) return undefined
  const major = (await unless(['ENOENT'], readFile(join(directory, 'PG_VERSION'), 'utf8')))?.trim() ?? ''
  if (/^\d+$/.test(major)) return major
  throw new DataDirectoryError(
    `${directory} holds files but no PostgreSQL database: move them away, or point HOLDFAST_DATA_DIR to an empty folder.`,
  )
}

const refuseOtherMajor = (directory: string, major: string, binaries: Binaries) => {
  if (major === binaries.major) return
  throw new DataDirectoryError(
    `${directory} was made by PostgreSQL ${major} and this Holdfast brings ${binaries.version}: dump it with PostgreSQL ${major} ` +
      'and restore it into an empty data directory, or point HOLDFAST_DATA_DIR elsewhere.',
  )
}

/** The cluster of this home, created if there is none. The caller holds the home's lock. */
export const openCluster = async (home: Home, binaries: Binaries, { ephemeral, report }: Options): Promise<Cluster> => {
  await removeDrafts(home.path)
  const major = await readMajor(home.cluster)
  if (major === undefined) {
    report(`Creating the database (PostgreSQL ${binaries.version}) in ${home.cluster}`)
    await createCluster(home, binaries, ephemeral)
  } else refuseOtherMajor(home.cluster, major, binaries)

  // A restored copy may have come with wider modes, which PostgreSQL refuses.
  await chmod(home.cluster, 0o700)
  const { dev, ino } = await stat(home.cluster)
  return {
    directory: home.cluster,
    name: `holdfast-${dev.toString(36)}-${ino.toString(36)}`,
    socketDirectory: await openSocketDirectory(home),
    logFile: join(home.path, 'postgres.log'),
    user: home.user,
    binaries,
    ephemeral,
    report,
  }
}
