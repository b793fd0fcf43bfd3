import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import { type SecretRow, tags } from './secrets.store.ts'

export type VersionRow = SecretRow & { versionId: string; actorType: string; actorId: string | null }

/** As rows of secrets: the id is that of the secret. */
const columns = sql`s.id as version_id, s.secret_id as id, s.folder_id, s.key, s.user_id, s.version, s.value, s.comment,
  s.metadata, s.sealed_metadata, s.tag_ids, s.skip_multiline_encoding, s.reminder_note, s.reminder_repeat_days,
  s.actor_type, s.actor_id, s.created_at, s.created_at as updated_at, ${tags}`

/** Undefined for what is no longer kept, and for a deletion. */
export const find = async (db: Db, secretId: string, version: number): Promise<VersionRow | undefined> => {
  const { rows } = await sql<VersionRow>`
    select ${columns} from secret_versions s
    where s.secret_id = ${secretId} and s.version = ${version} and not s.is_deletion`.execute(db)
  return rows[0]
}

/** The newest first. */
export const list = async (
  db: Db,
  secretId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<VersionRow[]> => {
  const { rows } = await sql<VersionRow>`
    select ${columns} from secret_versions s
    where s.secret_id = ${secretId} and not s.is_deletion
    order by s.version desc offset ${offset} limit ${limit}`.execute(db)
  return rows
}

export type PlaceOfVersions = { projectId: string; environmentId: string; path: string; latest: number }

/** Where the secret is, or was when it was deleted. */
export const findPlace = async (db: Db, secretId: string): Promise<PlaceOfVersions | undefined> => {
  const { rows } = await sql<PlaceOfVersions>`
    select f.project_id, f.environment_id, f.path, v.version as latest
    from secret_versions v join folders f on f.id = v.folder_id
    where v.secret_id = ${secretId} order by v.version desc limit 1`.execute(db)
  return rows[0]
}

export const findById = async (db: Db, versionId: string): Promise<VersionRow | undefined> => {
  const { rows } = await sql<VersionRow>`
    select ${columns} from secret_versions s where s.id = ${versionId} and not s.is_deletion`.execute(db)
  return rows[0]
}

export const replaceValue = async (tx: Tx, versionId: string, value: Buffer): Promise<void> => {
  await sql`update secret_versions set value = ${value} where id = ${versionId}`.execute(tx)
}
