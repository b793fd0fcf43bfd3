import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type TagTable = {
  id: string
  projectId: string
  slug: string
  color: string | null
  createdBy: string | null
  createdByType: string
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    secretTags: TagTable
  }
}

export type StoredTag = Selectable<TagTable>
type NewRow = Omit<TagTable, 'createdAt' | 'updatedAt'>

const PER_PROJECT_MAX = 10_000

/** Undefined when the slug is taken. */
export const insert = (tx: Tx, row: NewRow): Promise<StoredTag | undefined> =>
  tx
    .insertInto('secretTags')
    .values(row)
    .onConflict((conflict) => conflict.columns(['projectId', 'slug']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (
  tx: Tx,
  id: string,
  changes: { slug: string; color: string | null },
): Promise<StoredTag | undefined> =>
  tx
    .updateTable('secretTags')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const deleteById = (tx: Tx, id: string): Promise<StoredTag | undefined> =>
  tx.deleteFrom('secretTags').where('id', '=', id).returningAll().executeTakeFirst()

/** Whoever changes it, or its secrets with it, does so one after the other. */
export const lockById = (tx: Tx, projectId: string, id: string): Promise<StoredTag | undefined> =>
  tx
    .selectFrom('secretTags')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const findById = (db: Db, projectId: string, id: string): Promise<StoredTag | undefined> =>
  db.selectFrom('secretTags').selectAll().where('projectId', '=', projectId).where('id', '=', id).executeTakeFirst()

export const findBySlug = (db: Db, projectId: string, slug: string): Promise<StoredTag | undefined> =>
  db.selectFrom('secretTags').selectAll().where('projectId', '=', projectId).where('slug', '=', slug).executeTakeFirst()

export const list = (db: Db, projectId: string): Promise<StoredTag[]> =>
  db
    .selectFrom('secretTags')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(PER_PROJECT_MAX)
    .execute()

export const listByIds = (db: Db, projectId: string, ids: readonly string[]): Promise<StoredTag[]> =>
  db
    .selectFrom('secretTags')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('id', '=', sql<string>`any (${ids}::uuid[])`)
    .execute()

export const listBySlugs = (db: Db, projectId: string, slugs: readonly string[]): Promise<StoredTag[]> =>
  db
    .selectFrom('secretTags')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('slug', '=', sql<string>`any (${slugs}::text[])`)
    .orderBy('slug')
    .execute()
