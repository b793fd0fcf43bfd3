import { type Generated, type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import { statement } from '../../platform/db/statement.ts'
import { locking, type Locks, locksOf, type Touched } from './dependency-locks.ts'
import { LOCAL } from './reference-targets.ts'
import type { MetadataItem, Tag } from './secret.ts'

type StoredMetadata = Omit<MetadataItem, 'value'> & { value: string | null }

/** What a secret consists of, apart from where it is. */
type Content = {
  metadata: StoredMetadata[]
  tagIds: string[]
  skipMultilineEncoding: boolean | null
  reminderNote: string | null
  reminderRepeatDays: number | null
}

type SecretTable = Content & {
  id: string
  folderId: string
  key: string
  userId: string | null
  version: number
  value: Buffer
  comment: Buffer | null
  sealedMetadata: Buffer | null
  /** Null until it has been looked at. */
  referenced: string[] | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    secrets: SecretTable
  }
}

export type SecretRow = Omit<SealedSecret, 'referenced'> & { tags: Tag[]; createdAt: Date; updatedAt: Date }
export type SealedSecret = Omit<SecretTable, 'createdAt' | 'updatedAt'>

/** Of a row `s` of secrets or of their versions. */
export const tags = sql<Tag[]>`case when s.tag_ids = '{}' then '[]'::json else (
  select coalesce(json_agg(json_build_object('id', t.id, 'slug', t.slug, 'color', t.color) order by t.slug), '[]')
  from secret_tags t where t.id = any (s.tag_ids)) end as tags`

const columns = sql`s.id, s.folder_id, s.key, s.user_id, s.version, s.value, s.comment, s.metadata, s.sealed_metadata,
  s.tag_ids, s.skip_multiline_encoding, s.reminder_note, s.reminder_repeat_days, s.created_at, s.updated_at, ${tags}`

/** Of several folders at once: what everyone sees, and what the user of each question has put over it. */
export const listInFolders = async (
  db: Db,
  questions: readonly { folderId: string; userId: string | null }[],
): Promise<SecretRow[][]> => {
  const { rows } = await sql<SecretRow & { question: number }>`
    select ${columns}, question.ordinality::int as question
    from unnest(${questions.map(({ folderId }) => folderId)}::uuid[], ${questions.map(({ userId }) => userId)}::uuid[])
      with ordinality as question (folder_id, user_id, ordinality)
    join secrets s on s.folder_id = question.folder_id and (s.user_id is null or s.user_id = question.user_id)
    order by s.folder_id, s.key, s.user_id nulls first`.execute(db)
  const found: SecretRow[][] = questions.map(() => [])
  for (const row of rows) found[row.question - 1]?.push(row)
  return found
}

export const findById = async (db: Db, id: string): Promise<(SecretRow & FolderOfSecret) | undefined> => {
  const { rows } = await sql<SecretRow & FolderOfSecret>`
    select ${columns}, f.path, f.project_id, f.environment_id
    from secrets s join folders f on f.id = s.folder_id where s.id = ${id}`.execute(db)
  return rows[0]
}
type FolderOfSecret = { path: string; projectId: string; environmentId: string }

const folderLock = statement<{ id: string }, Locks & { environmentId: string; path: string }>(
  (value) => sql`
    with ${locking(value)}
    select f.id from folders f cross join locking
    where f.environment_id = ${value('environmentId')} and f.path = ${value('path')} for key share of f`,
)

/** Keeps the folder from ending while something is put into it. */
export const lockFolder = async (
  tx: Tx,
  folder: { environmentId: string; path: string },
  touched: Touched,
): Promise<string | undefined> => (await folderLock(tx, { ...folder, ...locksOf(touched) }))[0]?.id

type Wanted = { path: string; key: string }

type Home = { environmentId: string; userId: string | null }
type LockedRow = SecretRow & { path: string }

const locked = (
  value: (name: keyof (Locks & Home)) => RawBuilder<unknown>,
  found: RawBuilder<unknown>,
) => sql<LockedRow>`
  with ${locking(value)}
  select ${columns}, f.path
  from locking cross join ${found} and s.user_id is not distinct from ${value('userId')}::uuid
  order by s.folder_id, s.key
  for update of s for key share of f`

/** Mostly it is one. It is named by itself, so that it is looked up also by a plan from when there was little to read. */
const lockOne = statement<LockedRow, Locks & Home & Wanted>((value) =>
  locked(
    value,
    sql`folders f join secrets s on f.environment_id = ${value('environmentId')} and f.path = ${value('path')}
      and s.folder_id = f.id and s.key = ${value('key')}`,
  ),
)

const lockSeveral = statement<LockedRow, Locks & Home & { wanted: string }>((value) =>
  locked(
    value,
    sql`(select distinct path, key from json_to_recordset(${value('wanted')}::json) as w (path text, key text)) w
      join folders f on f.environment_id = ${value('environmentId')} and f.path = w.path
      join secrets s on s.folder_id = f.id and s.key = w.key`,
  ),
)

/** In the one order in which everyone locks several. */
export const lockByKeys = (
  tx: Tx,
  { touched, ...home }: Home & { touched: Touched },
  wanted: readonly Wanted[],
): Promise<LockedRow[]> => {
  const values = { ...home, ...locksOf(touched) }
  const [first, ...others] = wanted
  return first && others.length === 0
    ? lockOne(tx, { ...values, ...first })
    : lockSeveral(tx, { ...values, wanted: JSON.stringify(wanted) })
}

export const lockByIds = async (tx: Tx, folderId: string, ids: readonly string[]): Promise<SecretRow[]> => {
  const { rows } = await sql<SecretRow>`
    select ${columns} from secrets s
    where s.folder_id = ${folderId} and s.id = any (${ids}::uuid[]) and s.user_id is null
    order by s.folder_id, s.key for update of s`.execute(tx)
  return rows
}

/** Of the same project: those that name a folder, and those in it that name secrets of the folder they are in. */
export const lockReferring = async (
  tx: Tx,
  { folderId, name, limit }: { folderId: string; name: string; limit: number },
): Promise<(SecretRow & FolderOfSecret)[]> => {
  const { rows } = await sql<SecretRow & FolderOfSecret>`
    select ${columns}, f.path, f.project_id, f.environment_id
    from secrets s join folders f on f.id = s.folder_id
    where s.referenced <> '{}' and (s.referenced && array[${name}::uuid]
      or (s.folder_id = ${folderId} and s.referenced && array[${LOCAL}::uuid]))
    order by s.folder_id, s.key, s.user_id limit ${limit}
    for update of s for key share of f`.execute(tx)
  return rows
}

/** Those that everyone sees and that have the tag, by folder. */
export const listTagged = async (db: Db, tagId: string): Promise<TaggedSecret[]> => {
  const { rows } = await sql<TaggedSecret>`
    select s.key, s.folder_id, f.path, f.environment_id, e.slug as environment
    from secrets s join folders f on f.id = s.folder_id
    join environments e on e.id = f.environment_id and e.soft_deleted_at is null
    where s.tag_ids <> '{}' and s.tag_ids @> array[${tagId}::uuid] and s.user_id is null
    order by s.folder_id, s.key`.execute(db)
  return rows
}
type TaggedSecret = { key: string; folderId: string; path: string; environmentId: string; environment: string }

/** Some that were written before it was known what they refer to. */
export const lockNotLookedAt = async (tx: Tx, limit: number): Promise<(SecretRow & { owner: Owner })[]> => {
  const { rows } = await sql<SecretRow & Owner>`
    select ${columns}, f.project_id, p.organization_id
    from secrets s join folders f on f.id = s.folder_id join projects p on p.id = f.project_id
    where s.referenced is null order by s.id limit ${limit} for update of s skip locked`.execute(tx)
  return rows.map(({ projectId, organizationId, ...row }) => ({ ...row, owner: { projectId, organizationId } }))
}
type Owner = { projectId: string; organizationId: string }

export type FolderContents = {
  folderId: string
  path: string
  environment: string | null
  keys: string[]
  hasImports: boolean
}

/** What everyone sees in folders, by path, under the slug that their environment has unless it waits to be deleted. */
export const listContents = async (db: Db, folderIds: readonly string[]): Promise<FolderContents[]> => {
  const { rows } = await sql<FolderContents>`
    select f.id as folder_id, f.path, case when e.soft_deleted_at is null then e.slug end as environment,
      array(select s.key from secrets s where s.folder_id = f.id and s.user_id is null order by s.key) as keys,
      exists (select from secret_imports i where i.folder_id = f.id) as has_imports
    from folders f join environments e on e.id = f.environment_id
    where f.id = any (${folderIds}::uuid[]) order by f.path`.execute(db)
  return rows
}

type Named = { folderId: string; key: string; tags: string[] }

/** By folder and key: the names and the tags by which rules know what everyone sees in folders. */
export const listNamed = async (db: Db, folderIds: readonly string[]): Promise<Named[]> => {
  const { rows } = await sql<Named>`
    select s.folder_id, s.key, array(select t.slug from secret_tags t where t.id = any (s.tag_ids)) as tags
    from secrets s where s.folder_id = any (${folderIds}::uuid[]) and s.user_id is null
    order by s.folder_id, s.key`.execute(db)
  return rows
}

/** The same with all that it has been, and with what is gone: each name and its tags once. */
export const listNamedEver = async (db: Db, folderIds: readonly string[], limit: number): Promise<Named[]> => {
  const { rows } = await sql<Named>`
    select s.folder_id, s.key, array(select t.slug from secret_tags t where t.id = any (s.tag_ids)) as tags
    from (
      select folder_id, key, tag_ids from secrets
      where folder_id = any (${folderIds}::uuid[]) and user_id is null
      union
      select folder_id, key, tag_ids from secret_versions
      where folder_id = any (${folderIds}::uuid[]) and user_id is null and not is_deletion) s
    limit ${limit}`.execute(db)
  return rows
}
