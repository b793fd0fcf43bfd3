import { type Generated, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import type { PolicyRules } from './policy-rules.ts'

type PolicyTable = {
  id: string
  projectId: string
  name: string
  description: string | null
  rules: JSONColumnType<PolicyRules>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificatePolicies: PolicyTable
  }
}

export type Policy = Selectable<PolicyTable>
type NewRow = Omit<Policy, 'createdAt' | 'updatedAt'>
export type Changes = { name?: string | undefined; description?: string | null | undefined; rules: PolicyRules }
export type Page = { offset: number; limit: number; search?: string | undefined }

/** Undefined when the name is taken. */
export const insert = (tx: Tx, { rules, ...row }: NewRow): Promise<Policy | undefined> =>
  tx
    .insertInto('certificatePolicies')
    .values({ ...row, rules: JSON.stringify(rules) })
    .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** What is undefined stays as it is. */
export const update = (tx: Tx, id: string, { rules, ...changes }: Changes): Promise<Policy> =>
  tx
    .updateTable('certificatePolicies')
    .set({ ...changes, rules: JSON.stringify(rules), updatedAt: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<Policy | undefined> =>
  tx.deleteFrom('certificatePolicies').where('id', '=', id).returningAll().executeTakeFirst()

export const findById = (db: Db, organizationId: string, id: string): Promise<Policy | undefined> =>
  db
    .selectFrom('certificatePolicies as policy')
    .innerJoin('projects as project', 'project.id', 'policy.projectId')
    .selectAll('policy')
    .where('policy.id', '=', id)
    .where('project.organizationId', '=', organizationId)
    .executeTakeFirst()

export const lock = (tx: Tx, id: string): Promise<Policy | undefined> =>
  tx.selectFrom('certificatePolicies').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

const found = (db: Db, projectId: string, search: string | undefined) =>
  db
    .selectFrom('certificatePolicies')
    .where('projectId', '=', projectId)
    .$if(search !== undefined, (query) => query.where(sql<boolean>`strpos(lower(name), lower(${search})) > 0`))

export const list = (db: Db, projectId: string, { offset, limit, search }: Page): Promise<Policy[]> =>
  found(db, projectId, search).selectAll().orderBy('name').orderBy('id').limit(limit).offset(offset).execute()

export const count = async (db: Db, projectId: string, search: string | undefined): Promise<number> => {
  const { total } = await found(db, projectId, search)
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
