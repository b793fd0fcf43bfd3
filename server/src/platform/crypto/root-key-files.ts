import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, unless } from '../../lib/error-code.ts'
import { generateRootKeyText, parseRootKey, RootKeyError, type RootKey, type RootKeyPair } from './root-key.ts'

const FILE = 'root.key'
const PREVIOUS_FILE = 'root.key.previous'
/** A key with its line end; a file that holds more is not one. */
const FILE_BYTES_MAX = 256
const ACCESS_BY_OTHERS = 0o006

/** Undefined when there is no such file. Refuses one that every user of the machine may read or write. */
export const readRootKeyFile = async (file: string): Promise<RootKey | undefined> => {
  const handle = await openIfThere(file)
  if (!handle) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new RootKeyError(`The root key file ${file} is not a regular file`)
    if (process.platform !== 'win32' && (stats.mode & ACCESS_BY_OTHERS) !== 0) {
      throw new RootKeyError(`The root key file ${file} is open to every user of this machine: chmod 0600 it`)
    }
    const content = stats.size > FILE_BYTES_MAX ? Buffer.alloc(0) : await handle.readFile()
    const text = content.toString('latin1').trim()
    content.fill(0)
    return parseRootKey(text, `The root key file ${file}`)
  } finally {
    await handle.close()
  }
}

/** The keys of a data directory that keeps its own; undefined while it has none. */
export const readKeptRootKeys = async (directory: string): Promise<RootKeyPair | undefined> => {
  const previous = await readRootKeyFile(path.join(directory, PREVIOUS_FILE))
  const current = await readRootKeyFile(path.join(directory, FILE))
  if (previous && !current) {
    throw new RootKeyError(`${path.join(directory, FILE)} is missing beside ${PREVIOUS_FILE}: restore it from a backup`)
  }
  // Alike when a rotation stopped between keeping the old key and putting the new one in its place.
  return current && { current, previous: previous?.id === current.id ? undefined : previous }
}

/** For a database that nothing has been written to: whatever was written under a lost key stays lost under a new one. */
export const generateRootKeyFile = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true })
  const draft = await writeDraft(directory)
  try {
    // Of two processes at once, one link succeeds; the other finds a complete file and uses it.
    await unless(['EEXIST'], link(draft, path.join(directory, FILE)))
    await syncDirectory(directory)
  } finally {
    await rm(draft, { force: true })
  }
}

/** `writtenWith`: the id of the key that the database needs, where that is known. */
export const missingRootKey = (directory: string, writtenWith?: string): RootKeyError => {
  const file = path.join(directory, FILE)
  const key =
    writtenWith === undefined ? 'its content' : `the root key ${writtenWith}, which the database was written with`
  return new RootKeyError(
    `${file} is missing, and no other key opens the database: restore that file from a backup, or set HOLDFAST_ROOT_KEY to ${key}`,
  )
}

/**
 * Puts a new key into the data directory and keeps the old one beside it, unless a rotation is under way already: then
 * that one's keys. At every point a crash leaves both keys readable. Not for two callers at once.
 */
export const replaceRootKeyFile = async (directory: string): Promise<RootKeyPair> => {
  const pair = await requireKept(directory)
  if (pair.previous) return pair

  const draft = await writeDraft(directory)
  await rm(path.join(directory, PREVIOUS_FILE), { force: true })
  await link(path.join(directory, FILE), path.join(directory, PREVIOUS_FILE))
  await syncDirectory(directory)
  await rename(draft, path.join(directory, FILE))
  await syncDirectory(directory)
  return requireKept(directory)
}

const requireKept = async (directory: string): Promise<RootKeyPair> => {
  const pair = await readKeptRootKeys(directory)
  if (!pair) throw missingRootKey(directory)
  return pair
}

/** Forgets the key that a finished rotation has replaced, if it is still the one kept. */
export const removePreviousRootKeyFile = async (directory: string, id: string): Promise<void> => {
  const file = path.join(directory, PREVIOUS_FILE)
  if ((await readRootKeyFile(file))?.id !== id) return
  await rm(file, { force: true })
  await syncDirectory(directory)
}

const writeDraft = async (directory: string): Promise<string> => {
  const draft = path.join(directory, `${FILE}.${randomBytes(6).toString('hex')}.draft`)
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${generateRootKeyText()}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}

const openIfThere = async (file: string) => {
  try {
    // Non-blocking, or a named pipe would hold the start for ever.
    return await unless(['ENOENT'], open(file, constants.O_RDONLY | constants.O_NONBLOCK))
  } catch (error) {
    throw new RootKeyError(`The root key file ${file} cannot be read (${codeOf(error) ?? 'unknown reason'})`)
  }
}
