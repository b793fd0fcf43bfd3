import { generateRootKeyFile, missingRootKey, readKeptRootKeys, readRootKeyFile } from './root-key-files.ts'
import { HOW_TO_MAKE_ONE, parseRootKey, RootKeyError, RootKeys, type RootKey, type RootKeyPair } from './root-key.ts'

/** Where the root key comes from, as configured. */
export type RootKeySettings = {
  /** HOLDFAST_ROOT_KEY */
  rootKey?: string | undefined
  /** HOLDFAST_ROOT_KEY_FILE */
  rootKeyFile?: string | undefined
  /** HOLDFAST_ROOT_KEY_PREVIOUS, while rotating */
  previousRootKey?: string | undefined
  /** The data directory that keeps a key of its own when none is configured: only for the embedded database. */
  generateIn?: string | undefined
}

/** The id of the root key that the database was written with; undefined while nothing was written to it. */
export type FindWrittenWith = () => Promise<string | undefined>

const NEW_DATABASE: FindWrittenWith = () => Promise.resolve(undefined)

/** Makes the key that the data directory is to keep, if there is none and the database is new. */
export const loadRootKeys = async (
  settings: RootKeySettings,
  findWrittenWith: FindWrittenWith = NEW_DATABASE,
): Promise<RootKeys> => {
  const keeper = keeperOf(settings)
  if (keeper !== undefined) {
    if (settings.previousRootKey !== undefined) {
      throw new RootKeyError(
        'HOLDFAST_ROOT_KEY_PREVIOUS is set, but the new root key is not: set HOLDFAST_ROOT_KEY too',
      )
    }
    await ensureKept(keeper, findWrittenWith)
  }
  const read = () => readRootKeys(settings)
  return new RootKeys(await read(), read)
}

const ensureKept = async (directory: string, findWrittenWith: FindWrittenWith): Promise<void> => {
  if (await readKeptRootKeys(directory)) return
  const writtenWith = await findWrittenWith()
  if (writtenWith !== undefined) throw missingRootKey(directory, writtenWith)
  await generateRootKeyFile(directory)
}

/** The data directory, when it is the one that keeps the key. */
export const keeperOf = ({ rootKey, rootKeyFile, generateIn }: RootKeySettings): string | undefined =>
  rootKey === undefined && rootKeyFile === undefined ? generateIn : undefined

const readRootKeys = async (settings: RootKeySettings): Promise<RootKeyPair> => {
  const { previousRootKey } = settings
  const keeper = keeperOf(settings)
  if (keeper !== undefined) {
    const kept = await readKeptRootKeys(keeper)
    if (!kept) throw missingRootKey(keeper)
    return kept
  }

  const current = await readConfigured(settings)
  const previous =
    previousRootKey === undefined ? undefined : parseRootKey(previousRootKey, 'HOLDFAST_ROOT_KEY_PREVIOUS')
  if (previous?.id === current.id) {
    throw new RootKeyError(`The root key and HOLDFAST_ROOT_KEY_PREVIOUS are the same: ${HOW_TO_MAKE_ONE}`)
  }
  return { current, previous }
}

const readConfigured = async ({ rootKey, rootKeyFile }: RootKeySettings): Promise<RootKey> => {
  if (rootKey !== undefined && rootKeyFile !== undefined) {
    throw new RootKeyError('HOLDFAST_ROOT_KEY and HOLDFAST_ROOT_KEY_FILE are both set: keep one')
  }
  if (rootKey !== undefined) return parseRootKey(rootKey, 'HOLDFAST_ROOT_KEY')
  if (rootKeyFile === undefined) {
    throw new RootKeyError(`HOLDFAST_ROOT_KEY or HOLDFAST_ROOT_KEY_FILE must be set: ${HOW_TO_MAKE_ONE}`)
  }
  const key = await readRootKeyFile(rootKeyFile)
  if (!key) throw new RootKeyError(`HOLDFAST_ROOT_KEY_FILE: there is no file ${rootKeyFile}`)
  return key
}
