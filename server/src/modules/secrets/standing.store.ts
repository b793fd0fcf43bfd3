import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import { areCurrent, type Dependent, haveDependents, hold, type Origin, originsIn } from './dependents.store.ts'

/** How folders stand once they are locked, and until the transaction ends. */
export type Standing = {
  /** The time that everything written in the transaction bears. */
  at: Date
  /** Whether their environments still are what they were when the writer looked. */
  areCurrent: boolean
  dependents: Dependent[]
}
type New = { environmentId: string; path: string; userId: string | null; keys: readonly string[] }

type Row = { at: Date; areCurrent: boolean; haveDependents: boolean; taken: string[] }

/** As JSON: of an array PostgreSQL would look at the length, and plan anew at each run to make use of it. */
const asking = (origins: RawBuilder<unknown>, taken: RawBuilder<unknown>) => sql<Row>`
  with ${originsIn(sql`(select (o ->> 0)::uuid, o ->> 1, o ->> 2 from json_array_elements(${origins}::json) as o)`)}
  select now() as at, ${areCurrent} as are_current, ${haveDependents} as have_dependents, ${taken} as taken`

const ask = statement<Row, { origins: string }>((value) => asking(value('origins'), sql`'{}'::text[]`))

const askForNew = statement<Row, Omit<New, 'keys'> & { origins: string; keys: string }>((value) =>
  asking(
    value('origins'),
    sql`array(
      select wanted.key from json_array_elements_text(${value('keys')}::json) as wanted (key)
      cross join lateral (
        select from folders f join secrets s on s.folder_id = f.id
        where f.environment_id = ${value('environmentId')} and f.path = ${value('path')} and s.key = wanted.key
          and s.user_id is not distinct from ${value('userId')}::uuid limit 1) as present)`,
  ),
)

export const standingOf = async (tx: Tx, origins: readonly Origin[]): Promise<Standing> =>
  toStanding(tx, origins, await ask(tx, { origins: listed(origins) }))

/** The same where something new is to be, and which names it cannot have. Others may still take some before it is there. */
export const standingForNew = async (
  tx: Tx,
  origins: readonly Origin[],
  { keys, ...home }: New,
): Promise<Standing & { taken: string[] }> => {
  const rows = await askForNew(tx, { ...home, keys: JSON.stringify(keys), origins: listed(origins) })
  return { ...(await toStanding(tx, origins, rows)), taken: rows[0]?.taken ?? [] }
}

/** Mostly nothing depends on them, and the search for all that does is spared. */
const toStanding = async (tx: Tx, origins: readonly Origin[], [row]: Row[]): Promise<Standing> => {
  if (!row) throw new Error('How folders stand was not answered')
  const { at, areCurrent, haveDependents } = row
  return { at, areCurrent, dependents: haveDependents ? (await hold(tx, origins)).found : [] }
}

const listed = (origins: readonly Origin[]): string =>
  JSON.stringify(origins.map(({ environmentId, environment, path }) => [environmentId, environment, path]))
