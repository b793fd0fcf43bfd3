import { sql } from 'kysely'
import type { Database, Tx } from '../db/db.ts'
import { CannotOpenError } from './aead.ts'
import * as keys from './keys.store.ts'
import { judgeRootKeys } from './root-key-check.ts'
import { removePreviousRootKeyFile, replaceRootKeyFile } from './root-key-files.ts'
import { keeperOf, loadRootKeys, type RootKeySettings } from './root-key-settings.ts'
import { RootKeyError, RootKeys, type RootKey } from './root-key.ts'
import * as rootKeys from './root-keys.store.ts'
import { checkValueOf, unwrap, wrap } from './wrapping.ts'

type Report = (progress: string) => void
type Rewrap = { db: Database; newRoot: RootKey; previousRoot: RootKey; report: Report }
type Rotation = { db: Database; settings: RootKeySettings; report: Report }

/** Small enough that no other transaction waits long for its locks. */
const BATCH_SIZE = 100
/** Any fixed number: two commands that would replace the key file at once meet on it. */
const FILE_LOCK = 7_166_430

/** Replaces the root key while servers run. Can be stopped anywhere, run again, and run twice at once. */
export const rotateRootKey = async ({ db, settings, report }: Rotation): Promise<void> => {
  const directory = keeperOf(settings)
  const { current, previous } =
    directory === undefined ? await loadRootKeys(settings) : await replaceKeptKey(db, settings, directory)
  if (!previous) {
    throw new RootKeyError(
      'To rotate the root key, set HOLDFAST_ROOT_KEY to a new key and HOLDFAST_ROOT_KEY_PREVIOUS to the present one, for every server and for this command',
    )
  }

  await rewrapAll({ db, newRoot: current, previousRoot: previous, report })
  if (directory === undefined) {
    report('Now remove HOLDFAST_ROOT_KEY_PREVIOUS from the configuration of every server and restart it')
  } else {
    await withFileLock(db, () => removePreviousRootKeyFile(directory, previous.id))
  }
}

/** Rewraps every key and then refuses the previous root key for good. */
export const rewrapAll = async ({ db, newRoot, previousRoot, report }: Rewrap): Promise<void> => {
  await db.transaction((tx) => begin(tx, newRoot, previousRoot))

  let rewrapped = 0
  do {
    for (let batch = BATCH_SIZE; batch > 0;) {
      batch = await db.transaction((tx) => rewrapBatch(tx, newRoot, previousRoot))
      rewrapped += batch
      if (batch > 0) report(`${rewrapped} keys rewrapped`)
    }
  } while (!(await db.transaction((tx) => finish(tx, previousRoot))))

  report(`Every key is under the root key ${newRoot.id}; ${previousRoot.id} is no longer accepted`)
}

/** From here on new keys are wrapped by the new root key only. */
const begin = async (tx: Tx, newRoot: RootKey, previousRoot: RootKey): Promise<void> => {
  const held = new RootKeys({ current: newRoot, previous: previousRoot })
  const active = judgeRootKeys(await rootKeys.lockAll(tx), held)
  if (active === newRoot) return
  await rootKeys.updateState(tx, previousRoot.id, 'retiring')
  await rootKeys.insertActive(tx, { id: newRoot.id, checkValue: checkValueOf(newRoot) })
}

const rewrapBatch = async (tx: Tx, newRoot: RootKey, previousRoot: RootKey): Promise<number> => {
  const rows = await keys.lockWrappedBy(tx, previousRoot.id, BATCH_SIZE)
  if (rows.length > 0)
    await keys.updateWrapped(
      tx,
      rows.map((row) => rewrap(row, newRoot, previousRoot)),
    )
  return rows.length
}

const rewrap = (row: keys.KeyRow, newRoot: RootKey, previousRoot: RootKey): keys.KeyRow => {
  try {
    return wrap(newRoot, unwrap(previousRoot, row), row)
  } catch (error) {
    if (!(error instanceof CannotOpenError)) throw error
    throw new RootKeyError(
      `The key ${row.id} in the database was changed and cannot be rewrapped: restore that row from a backup and run this again`,
    )
  }
}

/** False when keys are left under the previous root key. */
const finish = async (tx: Tx, previousRoot: RootKey): Promise<boolean> => {
  await rootKeys.lockAll(tx)
  if (await keys.isAnyWrappedBy(tx, previousRoot.id)) return false
  await rootKeys.updateState(tx, previousRoot.id, 'retired')
  return true
}

const replaceKeptKey = (db: Database, settings: RootKeySettings, directory: string) =>
  withFileLock(db, async (tx) => {
    const rows = await rootKeys.list(tx)
    judgeRootKeys(rows, await loadRootKeys(settings, () => Promise.resolve(rows[0]?.id)))
    return replaceRootKeyFile(directory)
  })

const withFileLock = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(${FILE_LOCK})`.execute(tx)
    return work(tx)
  })
