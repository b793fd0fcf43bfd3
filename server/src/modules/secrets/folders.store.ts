import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import { rangeBelow } from './folder-paths.ts'

type FolderTable = {
  id: string
  projectId: string
  environmentId: string
  parentId: string | null
  name: string
  path: string
  description: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    folders: FolderTable
  }
}

export type Folder = Selectable<FolderTable> & { lastSecretModified: Date | null }
export type NewFolder = Omit<FolderTable, 'createdAt' | 'updatedAt'>
type Changes = { name: string; path: string; description?: string | null | undefined }
type Listing = { environmentId: string; path: string; isRecursive: boolean; modifiedSince?: Date | undefined }

const LISTED_MAX = 10_000
const LISTED_IN_PROJECT_MAX = 50_000

/** Versions tell when something last happened in a folder, so that no writer has to touch its row. */
const lastSecretModified = sql<Date | null>`(
  select max(v.created_at) from secret_versions v where v.folder_id = folders.id)`.as('lastSecretModified')

const folders = (db: Db) => db.selectFrom('folders').selectAll('folders').select(lastSecretModified)

/** The root's id is that of its environment. */
export const insertRoots = async (tx: Tx, projectId: string, environmentIds: readonly string[]): Promise<void> => {
  await sql`
    insert into folders (id, project_id, environment_id, name, path)
    select id, ${projectId}, id, 'root', '/' from unnest(${environmentIds}::uuid[]) as environment (id)`.execute(tx)
}

/** All of a project, by environment and path. */
export const listInProject = (db: Db, projectId: string): Promise<Folder[]> =>
  folders(db)
    .where('projectId', '=', projectId)
    .orderBy('environmentId')
    .orderBy('path')
    .limit(LISTED_IN_PROJECT_MAX)
    .execute()

export const insert = async (tx: Tx, rows: readonly NewFolder[]): Promise<void> => {
  await tx.insertInto('folders').values(rows).execute()
}

/** Changes of which folders an environment has are made one after the other. */
export const lockEnvironment = async (tx: Tx, environmentId: string): Promise<boolean> => {
  const { rows } = await sql`select from folders where id = ${environmentId} for no key update`.execute(tx)
  return rows.length > 0
}

export const findById = (db: Db, id: string): Promise<Folder | undefined> =>
  folders(db).where('id', '=', id).executeTakeFirst()

export const findByPath = (db: Db, environmentId: string, path: string): Promise<Folder | undefined> =>
  folders(db).where('environmentId', '=', environmentId).where('path', '=', path).executeTakeFirst()

export type FolderKey = { environmentId: string; path: string }
export type ImportSource = { projectId: string; environmentId: string; path: string }
export type FoundFolder = { id: string; imports: ImportSource[] }

/** Several at once, in the order asked for: the way to a folder is asked for often. */
export const findByKeys = async (db: Db, keys: readonly FolderKey[]): Promise<(FoundFolder | undefined)[]> => {
  const { rows } = await sql<FoundFolder & { question: number }>`
    select f.id, question.ordinality::int as question, (
      select coalesce(json_agg(json_build_object(
        'projectId', e.project_id, 'environmentId', i.source_environment_id, 'path', i.source_path
      ) order by i.position), '[]')
      from secret_imports i join environments e on e.id = i.source_environment_id
      where i.folder_id = f.id) as imports
    from unnest(${keys.map(({ environmentId }) => environmentId)}::uuid[], ${keys.map(({ path }) => path)}::text[])
      with ordinality as question (environment_id, path, ordinality)
    join folders f on f.environment_id = question.environment_id and f.path = question.path`.execute(db)
  const found = new Map(rows.map(({ question, ...folder }) => [question, folder]))
  return keys.map((_, index) => found.get(index + 1))
}

export const listByPaths = (
  db: Db,
  environmentId: string,
  paths: readonly string[],
): Promise<{ id: string; path: string }[]> =>
  db
    .selectFrom('folders')
    .select(['id', 'path'])
    .where('environmentId', '=', environmentId)
    .where('path', '=', sql<string>`any (${paths}::text[])`)
    .execute()

export const list = async (db: Db, { environmentId, path, isRecursive, modifiedSince }: Listing): Promise<Folder[]> => {
  const { from, until } = rangeBelow(path)
  let query = folders(db).where('environmentId', '=', environmentId).where('path', '>', from).where('path', '<', until)
  if (!isRecursive) {
    query = query.where('parentId', '=', (eb) =>
      eb
        .selectFrom('folders as parent')
        .select('parent.id')
        .where('parent.environmentId', '=', environmentId)
        .where('parent.path', '=', path),
    )
  }
  const listed = await query.orderBy('name').orderBy('path').limit(LISTED_MAX).execute()
  return modifiedSince
    ? listed.filter((folder) => folder.lastSecretModified !== null && folder.lastSecretModified >= modifiedSince)
    : listed
}

/** The folder and all below it. Whoever writes into one of them waits, and then finds it as it has become. */
export const lockSubtree = async (
  tx: Tx,
  { environmentId, path }: { environmentId: string; path: string },
): Promise<string[]> => {
  const { from, until } = rangeBelow(path)
  const { rows } = await sql<{ id: string }>`
    select id from folders
    where environment_id = ${environmentId} and (path = ${path} or (path > ${from} and path < ${until}))
    order by id for update`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Renames it; what is below moves along. */
export const rename = async (tx: Tx, folder: Folder, { name, path, description }: Changes): Promise<void> => {
  await tx
    .updateTable('folders')
    .set({ name, path, ...(description !== undefined && { description }), updatedAt: sql`now()` })
    .where('id', '=', folder.id)
    .execute()
  if (path === folder.path) return
  const { from, until } = rangeBelow(folder.path)
  await sql`
    update folders set path = ${path} || substr(path, ${folder.path.length + 1})
    where environment_id = ${folder.environmentId} and path > ${from} and path < ${until}`.execute(tx)
}

/** Into another folder, of any environment of the project; what is below moves along. */
export const move = async (
  tx: Tx,
  folder: Folder,
  to: { environmentId: string; parentId: string; path: string },
): Promise<void> => {
  const { from, until } = rangeBelow(folder.path)
  await sql`
    update folders set environment_id = ${to.environmentId},
      path = ${to.path} || substr(path, ${folder.path.length + 1}),
      parent_id = case when id = ${folder.id} then ${to.parentId}::uuid else parent_id end, updated_at = now()
    where environment_id = ${folder.environmentId} and (path = ${folder.path} or (path > ${from} and path < ${until}))`.execute(
    tx,
  )
}

/** With everything that is below and in it. */
export const deleteById = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('folders').where('id', '=', id).execute()
}

/** Those who move between folders take turns; whoever writes into one of them does not wait. */
export const lockByKeys = async (tx: Tx, keys: readonly FolderKey[]): Promise<(FolderKey & { id: string })[]> => {
  const { rows } = await sql<FolderKey & { id: string }>`
    select f.id, f.environment_id, f.path
    from folders f join unnest(
      ${keys.map(({ environmentId }) => environmentId)}::uuid[], ${keys.map(({ path }) => path)}::text[]
    ) as wanted (environment_id, path) on f.environment_id = wanted.environment_id and f.path = wanted.path
    order by f.id for no key update of f`.execute(tx)
  return rows
}
