import type { Db } from '../../platform/db/db.ts'

/** Machine identities that belong to the project and go with it. */
export const listIdentityIds = async (db: Db, projectId: string): Promise<string[]> => {
  const rows = await db.selectFrom('identities').select('id').where('projectId', '=', projectId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}
