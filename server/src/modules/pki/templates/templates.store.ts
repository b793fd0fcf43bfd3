import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'

type TemplateTable = {
  id: string
  caId: string
  name: string
  commonName: string
  subjectAlternativeName: string
  ttl: string
  keyUsages: string[]
  extendedKeyUsages: string[]
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificateTemplates: TemplateTable
  }
}

/** With the authority that issues by it. */
export type Template = Selectable<TemplateTable> & { caName: string; projectId: string; organizationId: string }
export type NewRow = Insertable<TemplateTable>
export type Changes = Omit<Updateable<TemplateTable>, 'id' | 'createdAt' | 'updatedAt'>

/** False when the authority has one of that name. */
export const insert = async (tx: Tx, row: NewRow): Promise<boolean> => {
  const inserted = await tx
    .insertInto('certificateTemplates')
    .values(row)
    .onConflict((conflict) => conflict.columns(['caId', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export const update = (tx: Tx, id: string, changes: Changes): Promise<unknown> =>
  tx
    .updateTable('certificateTemplates')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('certificateTemplates').where('id', '=', id).execute()

export const findById = (db: Db, id: string): Promise<Template | undefined> =>
  db
    .selectFrom('certificateTemplates as template')
    .innerJoin('certificateAuthorities as ca', 'ca.id', 'template.caId')
    .innerJoin('projects as project', 'project.id', 'ca.projectId')
    .selectAll('template')
    .select(['ca.name as caName', 'ca.projectId', 'project.organizationId'])
    .where('template.id', '=', id)
    .executeTakeFirst()
