import { createHash } from 'node:crypto'
import { chmod, lchown, lstat, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unless } from '../../lib/error-code.ts'
import { DataDirectoryError } from './data-directory-error.ts'
import type { Home } from './home.ts'
import { fitsSocket } from './short-path.ts'

/** Only names the socket's file: the database listens on no network. */
export const PORT = 5432

const socketIn = (directory: string) => join(directory, `.s.PGSQL.${PORT}`)

const temporaryDirectory = ({ path, user }: Home) => {
  const uid = user?.uid ?? process.getuid?.()
  const name = `holdfast-${createHash('sha256').update(`${uid} ${path}`).digest('hex').slice(0, 16)}`
  // Root's own temporary directory may be closed to the user of the database.
  const directory = join(user || !fitsSocket(socketIn(join(tmpdir(), name))) ? '/tmp' : tmpdir(), name)
  return { directory, uid }
}

/** Anyone may make folders in the temporary directory: one that is there already must be ours and closed to others. */
const refuseForeign = async (directory: string, uid: number | undefined) => {
  const found = await lstat(directory)
  const isOurs = found.uid === uid || found.uid === process.getuid?.()
  if (found.isDirectory() && isOurs && (found.mode & 0o077) === 0) return
  throw new DataDirectoryError(
    `${directory} is in the way of the database's socket: remove it, or choose a shorter HOLDFAST_DATA_DIR.`,
  )
}

/** A folder for the database's socket that only its user may enter: in the home, unless that path is too long for a socket. */
export const openSocketDirectory = async (home: Home): Promise<string> => {
  const inside = join(home.path, 'socket')
  const isInside = fitsSocket(socketIn(inside))
  const { directory, uid } = isInside ? { directory: inside, uid: undefined } : temporaryDirectory(home)

  await unless(['EEXIST'], mkdir(directory, { mode: 0o700 }))
  if (isInside) await chmod(directory, 0o700)
  else await refuseForeign(directory, uid)
  if (home.user) await lchown(directory, home.user.uid, home.user.gid)
  return directory
}

/** Leaves nothing behind in the temporary directory. */
export const closeSocketDirectory = async (home: Home, directory: string) => {
  if (directory !== join(home.path, 'socket')) await rm(directory, { recursive: true, force: true })
}
