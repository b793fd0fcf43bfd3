import { type Generated, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
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
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    secrets: SecretTable
  }
}

export type SecretRow = Omit<SecretTable, 'createdAt' | 'updatedAt'> & { tags: Tag[]; createdAt: Date; updatedAt: Date }
export type SealedSecret = Omit<SecretTable, 'createdAt' | 'updatedAt'>
/** Who writes, and how many versions are to be kept. */
export type Writing = { actor: { type: string; id: string }; versionsMax: number }
export type Written = { id: string; createdAt: Date; updatedAt: Date }

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

/** Keeps the folder from ending while something is put into it. */
export const lockFolder = async (tx: Tx, environmentId: string, path: string): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from folders where environment_id = ${environmentId} and path = ${path} for key share`.execute(tx)
  return rows[0]?.id
}

type Wanted = { path: string; key: string }

/** In the one order in which everyone locks several. */
export const lockByKeys = async (
  tx: Tx,
  { environmentId, userId }: { environmentId: string; userId: string | null },
  wanted: readonly Wanted[],
): Promise<(SecretRow & { path: string })[]> => {
  const { rows } = await sql<SecretRow & { path: string }>`
    select ${columns}, f.path
    from (select distinct path, key from json_to_recordset(${JSON.stringify(wanted)}::json) as w (path text, key text)) w
    join folders f on f.environment_id = ${environmentId} and f.path = w.path
    join secrets s on s.folder_id = f.id and s.key = w.key and s.user_id is not distinct from ${userId}::uuid
    order by s.folder_id, s.key
    for update of s for key share of f`.execute(tx)
  return rows
}

export const lockByIds = async (tx: Tx, folderId: string, ids: readonly string[]): Promise<SecretRow[]> => {
  const { rows } = await sql<SecretRow>`
    select ${columns} from secrets s
    where s.folder_id = ${folderId} and s.id = any (${ids}::uuid[]) and s.user_id is null
    order by s.folder_id, s.key for update of s`.execute(tx)
  return rows
}

const given = (secrets: readonly SealedSecret[]) => sql`given as (
  select r.*, decode(sealed_value, 'base64') as value, decode(sealed_comment, 'base64') as comment,
    decode(sealed_items, 'base64') as sealed_metadata
  from json_to_recordset(${JSON.stringify(secrets.map(toRecord))}::json) as r (
    id uuid, folder_id uuid, key text, user_id uuid, version integer, sealed_value text, sealed_comment text,
    metadata jsonb, sealed_items text, tag_ids uuid[], skip_multiline_encoding boolean, reminder_note text,
    reminder_repeat_days integer))`

const toRecord = (secret: SealedSecret) => ({
  id: secret.id,
  folder_id: secret.folderId,
  key: secret.key,
  user_id: secret.userId,
  version: secret.version,
  sealed_value: secret.value.toString('base64'),
  sealed_comment: secret.comment?.toString('base64') ?? null,
  metadata: secret.metadata,
  sealed_items: secret.sealedMetadata?.toString('base64') ?? null,
  tag_ids: secret.tagIds,
  skip_multiline_encoding: secret.skipMultilineEncoding,
  reminder_note: secret.reminderNote,
  reminder_repeat_days: secret.reminderRepeatDays,
})

const versionsOf = (source: 'inserted' | 'updated', { actor }: Writing) => sql`noted as (
  insert into secret_versions (id, secret_id, folder_id, version, key, user_id, value, comment, metadata,
    sealed_metadata, tag_ids, skip_multiline_encoding, reminder_note, reminder_repeat_days, actor_type, actor_id)
  select gen_random_uuid(), g.id, g.folder_id, g.version, g.key, g.user_id, g.value, g.comment, g.metadata,
    g.sealed_metadata, g.tag_ids, g.skip_multiline_encoding, g.reminder_note, g.reminder_repeat_days,
    ${actor.type}, ${actor.id}
  from given g join ${sql.ref(source)} written on written.id = g.id)`

/** Fewer come back than were given when some keys are taken. */
export const insert = async (tx: Tx, secrets: readonly SealedSecret[], writing: Writing): Promise<Written[]> => {
  const { rows } = await sql<Written>`
    with ${given(secrets)},
    inserted as (
      insert into secrets (id, folder_id, key, user_id, version, value, comment, metadata, sealed_metadata, tag_ids,
        skip_multiline_encoding, reminder_note, reminder_repeat_days)
      select id, folder_id, key, user_id, version, value, comment, metadata, sealed_metadata, tag_ids,
        skip_multiline_encoding, reminder_note, reminder_repeat_days
      from given order by folder_id, key
      on conflict do nothing
      returning id, created_at, updated_at),
    ${versionsOf('inserted', writing)}
    select * from inserted`.execute(tx)
  return rows
}

/** Each becomes what is given, as its next version; the oldest versions go. */
export const update = async (tx: Tx, secrets: readonly SealedSecret[], writing: Writing): Promise<Written[]> => {
  const { rows } = await sql<Written>`
    with ${given(secrets)},
    updated as (
      update secrets s set key = g.key, version = g.version, value = g.value, comment = g.comment,
        metadata = g.metadata, sealed_metadata = g.sealed_metadata, tag_ids = g.tag_ids,
        skip_multiline_encoding = g.skip_multiline_encoding, reminder_note = g.reminder_note,
        reminder_repeat_days = g.reminder_repeat_days, updated_at = now()
      from given g where s.id = g.id
      returning s.id, s.created_at, s.updated_at),
    ${versionsOf('updated', writing)},
    pruned as (
      delete from secret_versions v using given g
      where v.secret_id = g.id and v.version <= g.version - ${writing.versionsMax})
    select * from updated`.execute(tx)
  return rows
}

/** What users have put over a shared one goes with it. */
export const deleteByIds = async (tx: Tx, ids: readonly string[], { actor }: Writing): Promise<void> => {
  await sql`
    with gone as (
      delete from secrets s
      where s.id = any (${ids}::uuid[]) or (s.folder_id, s.key) in (
        select shared.folder_id, shared.key from secrets shared
        where shared.id = any (${ids}::uuid[]) and shared.user_id is null)
      returning s.id, s.folder_id, s.version, s.key, s.user_id)
    insert into secret_versions (id, secret_id, folder_id, version, key, user_id, is_deletion, actor_type, actor_id)
    select gen_random_uuid(), id, folder_id, version + 1, key, user_id, true, ${actor.type}, ${actor.id}
    from gone`.execute(tx)
}

/** By folder, in order: those that everyone sees. */
export const listKeys = async (db: Db, folderIds: readonly string[]): Promise<Map<string, string[]>> => {
  const { rows } = await sql<{ folderId: string; key: string }>`
    select folder_id, key from secrets where folder_id = any (${folderIds}::uuid[]) and user_id is null
    order by folder_id, key`.execute(db)
  return grouped(rows)
}

const grouped = (rows: readonly { folderId: string; key: string }[]): Map<string, string[]> => {
  const keys = new Map<string, string[]>()
  for (const { folderId, key } of rows) {
    const known = keys.get(folderId)
    if (known) known.push(key)
    else keys.set(folderId, [key])
  }
  return keys
}

/** From every secret that has it. */
export const removeTag = async (tx: Tx, tagId: string): Promise<void> => {
  await sql`
    update secrets set tag_ids = array_remove(tag_ids, ${tagId}::uuid)
    where tag_ids <> '{}' and tag_ids @> array[${tagId}::uuid]`.execute(tx)
}
