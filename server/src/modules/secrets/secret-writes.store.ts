import { type RawBuilder, sql } from 'kysely'
import { type Change, serialize } from '../../platform/changes/change.ts'
import { inserting as telling } from '../../platform/changes/changes.store.ts'
import type { Tx } from '../../platform/db/db.ts'
import { WITH_THE_NEXT } from '../../platform/db/pooled-connection.ts'
import { statement } from '../../platform/db/statement.ts'
import type { SealedSecret } from './secrets.store.ts'

/** Who writes, how many versions are to be kept, and what is told of it in the same statement. */
export type Writing = {
  actor: { type: string; id: string | null }
  versionsMax: number
  news: readonly Change[]
}

/** What every statement here is given. Nothing is asked of them, so they travel with the commit. */
type Circumstances = { actorType: string; actorId: string | null; news: string }
type Values = Circumstances & { secrets: string; versionsMax: number }
type Value = (name: keyof Values) => RawBuilder<unknown>

const valuesOf = (secrets: readonly SealedSecret[], writing: Writing): Values => ({
  ...circumstancesOf(writing),
  secrets: JSON.stringify(secrets.map(toRecord)),
  versionsMax: writing.versionsMax,
})

const circumstancesOf = ({ actor, news }: Writing): Circumstances => ({
  actorType: actor.type,
  actorId: actor.id,
  news: serialize(news),
})

const given = (value: Value, limit: RawBuilder<unknown> = sql``) => sql`given as (
  select r.*, decode(sealed_value, 'base64') as value, decode(sealed_comment, 'base64') as comment,
    decode(sealed_items, 'base64') as sealed_metadata
  from json_to_recordset(${value('secrets')}::json) as r (
    id uuid, folder_id uuid, key text, user_id uuid, version integer, sealed_value text, sealed_comment text,
    metadata jsonb, sealed_items text, tag_ids uuid[], skip_multiline_encoding boolean, reminder_note text,
    reminder_repeat_days integer, referenced uuid[]) ${limit})`

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
  referenced: secret.referenced,
})

const versionsOf = (source: 'inserted' | 'updated', value: Value) => sql`noted as (
  insert into secret_versions (id, secret_id, folder_id, version, key, user_id, value, comment, metadata,
    sealed_metadata, tag_ids, skip_multiline_encoding, reminder_note, reminder_repeat_days, actor_type, actor_id)
  select gen_random_uuid(), g.id, g.folder_id, g.version, g.key, g.user_id, g.value, g.comment, g.metadata,
    g.sealed_metadata, g.tag_ids, g.skip_multiline_encoding, g.reminder_note, g.reminder_repeat_days,
    ${value('actorType')}, ${value('actorId')}
  from given g join ${sql.ref(source)} written on written.id = g.id)`

const insertAll = statement(
  (value: Value) => sql`${WITH_THE_NEXT}
    with ${given(value)},
    inserted as (
      insert into secrets (id, folder_id, key, user_id, version, value, comment, metadata, sealed_metadata, tag_ids,
        skip_multiline_encoding, reminder_note, reminder_repeat_days, referenced)
      select id, folder_id, key, user_id, version, value, comment, metadata, sealed_metadata, tag_ids,
        skip_multiline_encoding, reminder_note, reminder_repeat_days, referenced
      from given order by folder_id, key
      returning id),
    ${versionsOf('inserted', value)}
    ${telling(value('news'))}`,
)

/** That a key is taken shows as a failure of what comes next. */
export const insert = async (tx: Tx, secrets: readonly SealedSecret[], writing: Writing): Promise<void> => {
  await insertAll(tx, valuesOf(secrets, writing))
}

const updating = (value: Value, limit?: RawBuilder<unknown>) => sql`${WITH_THE_NEXT}
  with ${given(value, limit)},
  updated as (
    update secrets s set key = g.key, version = g.version, value = g.value, comment = g.comment,
      metadata = g.metadata, sealed_metadata = g.sealed_metadata, tag_ids = g.tag_ids,
      skip_multiline_encoding = g.skip_multiline_encoding, reminder_note = g.reminder_note,
      reminder_repeat_days = g.reminder_repeat_days, referenced = g.referenced, updated_at = now()
    from given g where s.id = g.id
    returning s.id),
  ${versionsOf('updated', value)},
  pruned as (
    delete from secret_versions v using given g
    where v.secret_id = g.id and v.version <= g.version - ${value('versionsMax')})
  ${telling(value('news'))}`

/** Mostly it is one. Told so, PostgreSQL looks it up also by a plan from when there was little to read. */
const updateOne = statement((value: Value) => updating(value, sql`limit 1`))
const updateSeveral = statement((value: Value) => updating(value))

/** Each becomes what is given, as its next version; the oldest versions go. */
export const update = async (tx: Tx, secrets: readonly SealedSecret[], writing: Writing): Promise<void> => {
  await (secrets.length === 1 ? updateOne : updateSeveral)(tx, valuesOf(secrets, writing))
}

const deleteAll = statement<unknown, Circumstances & { ids: readonly string[] }>(
  (value) => sql`${WITH_THE_NEXT}
    with gone as (
      delete from secrets s
      where s.id in (
        select unnest(${value('ids')}::uuid[])
        union
        select over.id from secrets shared join secrets over on over.folder_id = shared.folder_id and over.key = shared.key
        where shared.id = any (${value('ids')}::uuid[]) and shared.user_id is null)
      returning s.id, s.folder_id, s.version, s.key, s.user_id),
    noted as (
      insert into secret_versions (id, secret_id, folder_id, version, key, user_id, is_deletion, actor_type, actor_id)
      select gen_random_uuid(), id, folder_id, version + 1, key, user_id, true, ${value('actorType')}, ${value('actorId')}
      from gone)
    ${telling(value('news'))}`,
)

/** What users have put over a shared one goes with it. */
export const deleteByIds = async (tx: Tx, ids: readonly string[], writing: Writing): Promise<void> => {
  await deleteAll(tx, { ...circumstancesOf(writing), ids })
}

/** What their values refer to; nothing else about them changes. */
export const setReferenced = async (tx: Tx, found: readonly { id: string; referenced: string[] }[]): Promise<void> => {
  await sql`
    update secrets s set referenced = g.referenced
    from json_to_recordset(${JSON.stringify(found)}::json) as g (id uuid, referenced uuid[])
    where s.id = g.id`.execute(tx)
}

/** From every secret that has it. */
export const removeTag = async (tx: Tx, tagId: string): Promise<void> => {
  await sql`
    update secrets set tag_ids = array_remove(tag_ids, ${tagId}::uuid)
    where tag_ids <> '{}' and tag_ids @> array[${tagId}::uuid]`.execute(tx)
}
