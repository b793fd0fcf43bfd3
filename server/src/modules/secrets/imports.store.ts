import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

export type SecretImport = {
  id: string
  folderId: string
  position: number
  sourceProjectId: string
  sourceEnvironmentId: string
  sourcePath: string
  createdAt: Date
  updatedAt: Date
}
type NewRow = Pick<SecretImport, 'id' | 'folderId' | 'sourceEnvironmentId' | 'sourcePath'>
type Changes = { sourceEnvironmentId: string; sourcePath: string; position: number }

const columns = sql`secret_imports.id, secret_imports.folder_id, secret_imports.position,
  (select e.project_id from environments e where e.id = secret_imports.source_environment_id) as source_project_id,
  secret_imports.source_environment_id, secret_imports.source_path, secret_imports.created_at, secret_imports.updated_at`

/** Behind the last. */
export const insert = async (tx: Tx, row: NewRow): Promise<SecretImport | undefined> => {
  const { rows } = await sql<SecretImport>`
    insert into secret_imports (id, folder_id, position, source_environment_id, source_path)
    select ${row.id}, ${row.folderId}, coalesce(max(position), 0) + 1, ${row.sourceEnvironmentId}, ${row.sourcePath}
    from secret_imports where folder_id = ${row.folderId}
    returning ${columns}`.execute(tx)
  return rows[0]
}

/** Those between its old place and its new one move by one. */
export const update = async (tx: Tx, before: SecretImport, changes: Changes): Promise<SecretImport | undefined> => {
  const { position: from, folderId, id } = before
  const { position: to } = changes
  if (to !== from) {
    await sql`
      update secret_imports set position = position + ${to < from ? 1 : -1}
      where folder_id = ${folderId} and id <> ${id}
        and position between ${Math.min(from, to)} and ${Math.max(from, to)}`.execute(tx)
  }
  const { rows } = await sql<SecretImport>`
    update secret_imports set position = ${to}, source_environment_id = ${changes.sourceEnvironmentId},
      source_path = ${changes.sourcePath}, updated_at = now()
    where id = ${id} returning ${columns}`.execute(tx)
  return rows[0]
}

/** Those behind it close the gap. */
export const remove = async (tx: Tx, { id, folderId, position }: SecretImport): Promise<void> => {
  await sql`delete from secret_imports where id = ${id}`.execute(tx)
  await sql`
    update secret_imports set position = position - 1
    where folder_id = ${folderId} and position > ${position}`.execute(tx)
}

export const findById = async (
  db: Db,
  id: string,
): Promise<(SecretImport & { path: string; projectId: string; environmentId: string }) | undefined> => {
  const { rows } = await sql<SecretImport & { path: string; projectId: string; environmentId: string }>`
    select ${columns}, f.path, f.project_id, f.environment_id
    from secret_imports join folders f on f.id = secret_imports.folder_id where secret_imports.id = ${id}`.execute(db)
  return rows[0]
}

export const list = async (db: Db, folderId: string): Promise<SecretImport[]> => {
  const { rows } = await sql<SecretImport>`
    select ${columns} from secret_imports where folder_id = ${folderId} order by position`.execute(db)
  return rows
}
