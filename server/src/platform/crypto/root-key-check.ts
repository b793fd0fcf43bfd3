import type pg from 'pg'
import type { Db } from '../db/db.ts'
import { isUndefinedColumn } from '../db/failures.ts'
import { CannotOpenError } from './aead.ts'
import { RootKeyError, type RootKey, type RootKeys } from './root-key.ts'
import * as store from './root-keys.store.ts'
import { checkValueOf, openCheckValue } from './wrapping.ts'

type Held = Pick<RootKeys, 'current' | 'find'>

/** Throws `RootKeyError` unless the database opens with these root keys, or is new. Only reads, so it may come before migrating. */
export const verifyRootKey = async (client: pg.Client, held: Held): Promise<void> => {
  const rows = await listRootKeys(client)
  if (rows.length > 0) judgeRootKeys(rows, held)
}

/** The id of the root key that the database was written with; undefined while it is new. Only reads. */
export const findWrittenWith = async (client: pg.Client): Promise<string | undefined> => {
  const rows = await listRootKeys(client)
  return (rows.find(({ state }) => state === 'active') ?? rows[0])?.id
}

const listRootKeys = async (client: pg.Client): Promise<store.RootKeyRow[]> => {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass('root_keys') is not null as exists`,
  )
  if (found[0]?.exists !== true) return []

  try {
    const { rows } = await client.query<store.RootKeyRow>(
      'select id, check_value as "checkValue", state from root_keys order by id',
    )
    return rows
  } catch (error) {
    // A table of something else: migrating, or the look at the schema, says so.
    if (isUndefinedColumn(error)) return []
    throw error
  }
}

/** Ties a new database to the current root key. Of two servers with different keys, the second is refused. */
export const establishRootKey = async (db: Db, held: Held): Promise<void> => {
  await store.insertFirst(db, { id: held.current.id, checkValue: checkValueOf(held.current) })
  judgeRootKeys(await store.list(db), held)
}

/** The key that wraps new keys at present. Throws `RootKeyError` when the keys held are not enough to open everything. */
export const judgeRootKeys = (rows: readonly store.RootKeyRow[], held: Held): RootKey => {
  const active = rows.find(({ state }) => state === 'active')
  if (!active)
    throw new RootKeyError('The database has no active root key: start Holdfast on it once, or restore a backup')

  const key = held.find(active.id)
  if (!key) throw wrongRootKey(rows, active.id, held.current.id)
  requireCheckValue(key, active.checkValue)

  if (key !== held.current && rows.some(({ id }) => id === held.current.id)) {
    throw new RootKeyError(
      `The new root key ${held.current.id} was in use before and has been retired: set HOLDFAST_ROOT_KEY to a fresh one`,
    )
  }
  const retiring = rows.find(({ state }) => state === 'retiring')
  if (retiring && !held.find(retiring.id)) {
    throw new RootKeyError(
      `Some keys are still under the root key ${retiring.id}: set HOLDFAST_ROOT_KEY_PREVIOUS to it and finish with: npx holdfast rotate-root-key`,
    )
  }
  return key
}

const wrongRootKey = (rows: readonly store.RootKeyRow[], activeId: string, currentId: string): RootKeyError => {
  switch (rows.find(({ id }) => id === currentId)?.state) {
    case 'retired':
      return new RootKeyError(
        `The root key ${currentId} was replaced by ${activeId} and is no longer accepted: set HOLDFAST_ROOT_KEY to that one`,
      )
    case 'retiring':
      return new RootKeyError(
        `The root key ${currentId} is being replaced by ${activeId}: set HOLDFAST_ROOT_KEY to that one and HOLDFAST_ROOT_KEY_PREVIOUS to the present one`,
      )
    default:
      return new RootKeyError(
        `The root key ${currentId} is not the one this database was written with (${activeId}): set HOLDFAST_ROOT_KEY or HOLDFAST_ROOT_KEY_FILE to that one, or restore root.key in the data directory`,
      )
  }
}

const requireCheckValue = (key: RootKey, checkValue: Buffer): void => {
  try {
    openCheckValue(key, checkValue)
  } catch (error) {
    if (!(error instanceof CannotOpenError)) throw error
    throw new RootKeyError(`The check value of the root key ${key.id} in the database was changed: restore a backup`)
  }
}
