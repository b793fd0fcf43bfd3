import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { unless } from '../../lib/error-code.ts'
import { DataDirectoryError } from './data-directory-error.ts'

/** Tells whose folder this is, and where its database is: here, or for root maybe in a system folder. */
const MARKER = 'holdfast.json'
const Marker = z.object({ about: z.string(), database: z.string() })
const ABOUT =
  "This folder belongs to Holdfast. Its PostgreSQL is in the folder 'database': copy, move or delete both together."

export const IN_PLACE = '.'

/** What a fresh volume or checkout may bring along. */
const HARMLESS = new Set(['lost+found', '.gitkeep', '.gitignore', '.DS_Store'])

const isForeign = (name: string) => !HARMLESS.has(name) && !name.startsWith(MARKER)

/** A rename or link survives a power cut only once its folder is on disk, where we may open it and the system can do that. */
export const syncDirectory = async (path: string) => {
  const handle = await unless(['EACCES', 'EPERM'], open(path))
  if (handle) await unless(['EINVAL'], handle.sync()).finally(() => handle.close())
}

export const readMarker = async (dataDir: string): Promise<string | undefined> => {
  const path = join(dataDir, MARKER)
  const text = await unless(['ENOENT'], readFile(path, 'utf8'))
  if (text === undefined) return undefined
  try {
    return Marker.parse(JSON.parse(text)).database
  } catch (cause) {
    throw new DataDirectoryError(
      `${path} is damaged: it should say {"about": "", "database": "${IN_PLACE}"}, or the folder of the database.`,
      { cause },
    )
  }
}

/** False when another process, starting at the same time, has written it first. */
export const writeMarker = async (dataDir: string, database: string): Promise<boolean> => {
  const path = join(dataDir, MARKER)
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o644)
  await handle.writeFile(`${JSON.stringify({ about: ABOUT, database }, undefined, 2)}\n`)
  await handle.sync().finally(() => handle.close())
  const isFirst = await unless(
    ['EEXIST'],
    link(draft, path).then(() => true),
  )
  await rm(draft)
  await syncDirectory(dataDir)
  return isFirst ?? false
}

/** Not by `recursive`, which goes round for ever in a folder that exists and in which nothing can be made (/proc). */
const makeFolders = async (path: string, mode: number): Promise<void> => {
  if (await unless(['ENOENT'], stat(path))) return
  if (dirname(path) !== path) await makeFolders(dirname(path), mode)
  await unless(['EEXIST'], mkdir(path, { mode }))
}

/** Makes the folder if need be and returns its true path; refuses one with files that are not Holdfast's. */
export const claimDirectory = async (given: string): Promise<string> => {
  const isRoot = process.getuid?.() === 0
  // As root the database has a user of its own, who must be able to pass through.
  await makeFolders(given, isRoot ? 0o711 : 0o700)
  const dataDir = await realpath(given)
  const foreign = (await readdir(dataDir)).find(isForeign)
  if (foreign !== undefined && (await readMarker(dataDir)) === undefined) {
    throw new DataDirectoryError(
      `${dataDir} holds files that are not Holdfast's (such as '${foreign}'): point HOLDFAST_DATA_DIR to an empty folder.`,
    )
  }
  const { uid, mode } = await stat(dataDir)
  if (isRoot && uid === 0) await chmod(dataDir, mode | 0o011)
  await syncDirectory(dirname(dataDir))
  return dataDir
}
