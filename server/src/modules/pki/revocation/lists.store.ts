import { type Generated, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'

type RevocationListTable = {
  id: string
  caId: string | null
  number: Generated<number>
  thisUpdate: Date | null
  nextUpdate: Date | null
  refreshAt: Date | null
  der: Buffer | null
  baseNumber: number | null
  baseAt: Date | null
  deltaDer: Buffer | null
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    revocationLists: RevocationListTable
  }
}

const STATE = ['id', 'number', 'thisUpdate', 'refreshAt', 'baseNumber', 'baseAt'] as const

/** Where a list stands, without its bytes. */
export type ListState = Pick<Selectable<RevocationListTable>, (typeof STATE)[number]>
export type PublishedList = { number: number; thisUpdate: Date; nextUpdate: Date; der: Buffer }

export const insert = (tx: Tx, id: string, caId: string): Promise<unknown> =>
  tx.insertInto('revocationLists').values({ id, caId }).execute()

/** Whoever holds it makes the next list; others wait for that. */
export const lock = (tx: Tx, caId: string): Promise<ListState | undefined> =>
  tx.selectFrom('revocationLists').select(STATE).where('caId', '=', caId).forUpdate().executeTakeFirst()

export const publish = (tx: Tx, id: string, list: Updateable<RevocationListTable>): Promise<unknown> =>
  tx.updateTable('revocationLists').set(list).where('id', '=', id).execute()

/** Undefined also until it is made for the first time. */
export const findPublished = (db: Db, id: string, form: 'der' | 'deltaDer'): Promise<PublishedList | undefined> =>
  db
    .selectFrom('revocationLists')
    .select((list) => ['number', 'thisUpdate', 'nextUpdate', list.ref(form).as('der')])
    .where('id', '=', id)
    .where('number', '>', 0)
    .$castTo<PublishedList>()
    .executeTakeFirst()

export const findByAuthority = (db: Db, caId: string): Promise<{ id: string; der: Buffer } | undefined> =>
  db
    .selectFrom('revocationLists')
    .select(['id', 'der'])
    .where('caId', '=', caId)
    .where('der', 'is not', null)
    .$castTo<{ id: string; der: Buffer }>()
    .executeTakeFirst()

type Due = { now: Date; projectId?: string }

/** Authorities whose list does not say everything, has grown old, or can be made for the first time. */
export const listBehind = async (db: Db, { now, projectId }: Due, limit?: number): Promise<string[]> => {
  const { rows } = await sql<{ caId: string }>`
    select list.ca_id
    from revocation_lists list join certificate_authorities ca on ca.id = list.ca_id
    where ca.active_certificate_id is not null ${projectId === undefined ? sql`` : sql`and ca.project_id = ${projectId}`} and (
      list.number = 0 or list.refresh_at <= ${now}
      or exists (select from revocations r where r.ca_id = list.ca_id and r.listed_in is null)
    )
    order by list.refresh_at nulls first, list.id
    limit ${limit ?? null}`.execute(db)
  return rows.map(({ caId }) => caId)
}
