import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../lib/error-code.ts'
import { run } from './command.ts'
import type { RunAs } from './command.ts'
import { claimDirectory, IN_PLACE, readMarker, writeMarker } from './data-directory.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import { canWriteIn, findUnprivilegedUser } from './unprivileged-user.ts'

/** The folder with all files of one database, and the system user who runs it. */
export type Home = { path: string; cluster: string; user: RunAs }

/** For root, where the database's user cannot enter the data directory. */
const SYSTEM_FOLDER = '/var/lib/holdfast'

const ownUid = () => process.getuid?.() ?? -1

/** Whether the user can work in folders below this one. */
const canReach = async (directory: string, user: RunAs) => {
  const probe = await mkdtemp(join(directory, 'holdfast.json.probe-'))
  try {
    if (user) await chown(probe, user.uid, user.gid)
    return await canWriteIn(probe, user)
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}

const makeSystemFolder = async (dataDir: string) => {
  await mkdir(SYSTEM_FOLDER, { recursive: true })
  await chmod(SYSTEM_FOLDER, 0o755)
  const path = await mkdtemp(join(SYSTEM_FOLDER, 'data-'))
  await chmod(path, 0o711)
  await writeFile(join(path, 'belongs-to.txt'), `${dataDir}\n`)
  return path
}

/** Decides once where the database lives; the marker remembers it. */
const settleLocation = async (dataDir: string): Promise<string> => {
  const isReachable = ownUid() !== 0 || (await canReach(dataDir, await findUnprivilegedUser()))
  const database = isReachable ? IN_PLACE : await makeSystemFolder(dataDir)
  if (await writeMarker(dataDir, database)) return database

  if (!isReachable) await rm(database, { recursive: true })
  return (await readMarker(dataDir)) ?? IN_PLACE
}

/** The owner of the files that are there; for new ones, as root, a user without privileges. */
const settleUser = async (cluster: string): Promise<RunAs> => {
  const owner = await unless(['ENOENT'], stat(cluster))
  if (ownUid() === 0) {
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
    const user = await findUnprivilegedUser()
    if (owner) await run('chown', ['-R', `${user.uid}:${user.gid}`, cluster])
    return user
  }
  if (owner && owner.uid !== ownUid()) {
    throw new DataDirectoryError(
      `${cluster} belongs to another user (uid ${owner.uid}): start Holdfast as that user or as root, or point HOLDFAST_DATA_DIR elsewhere.`,
    )
  }
  return undefined
}

export const openHome = async (given: string): Promise<Home> => {
  const dataDir = await claimDirectory(given)
  const location = (await readMarker(dataDir)) ?? (await settleLocation(dataDir))
  const path = location === IN_PLACE ? dataDir : location
  if (!(await unless(['ENOENT'], stat(path)))) {
    throw new DataDirectoryError(
      `The database of ${dataDir} was kept in ${path}, which is gone: bring it back, or point HOLDFAST_DATA_DIR to an empty folder.`,
    )
  }
  const cluster = join(path, 'postgres')
  const user = await settleUser(cluster)
  if (user && !(await canReach(path, user))) {
    throw new DataDirectoryError(
      `The user of the database (uid ${user.uid}) cannot enter ${path}: open its parent folders to others (chmod o+x), or start Holdfast as that user.`,
    )
  }
  return { path, cluster, user }
}
