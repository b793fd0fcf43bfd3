import type { Ability } from '../../server/dist/src/modules/permissions/ability.js'
import type { Database } from '../../server/dist/src/platform/db/db.js'
import type { findRunningPostgres } from '../../server/dist/src/platform/postgres/running-postgres.js'

const BUILT = new URL('../../../server/dist/src/', import.meta.url)

const load = (file: string): Promise<unknown> => import(new URL(file, BUILT).href)

// The few parts of the server that are measured or asked by themselves, from its built files and with its types.

export const loadAbility = async (): Promise<typeof Ability> =>
  ((await load('modules/permissions/ability.js')) as { Ability: typeof Ability }).Ability

export const loadDatabase = async (): Promise<typeof Database> =>
  ((await load('platform/db/db.js')) as { Database: typeof Database }).Database

/** The address of the PostgreSQL that a server has started on its data directory. */
export const findPostgres = async (dataDirectory: string): Promise<string> => {
  type Module = { findRunningPostgres: typeof findRunningPostgres }
  const { findRunningPostgres: find } = (await load('platform/postgres/running-postgres.js')) as Module
  const url = await find(dataDirectory)
  if (url === undefined) throw new Error('the PostgreSQL of the server was not found')
  return url
}
