import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type LicenseTable = { id: string; organizationId: string | null; token: string; installedAt: Generated<Date> }
type LicenseEvaluationTable = { isOnly: Generated<boolean>; beganAt: Generated<Date> }

declare module '../../platform/db/db.ts' {
  interface Tables {
    licenses: LicenseTable
    licenseEvaluation: LicenseEvaluationTable
  }
}

export type InstalledRow = Selectable<LicenseTable>

/** For one organization, or for all of them: a present one, a next one and some that are over. */
export const INSTALLED_MAX = 20
const LISTED_MAX = 1_000

/** False when it is there already. */
export const insert = async (tx: Tx, row: Omit<InstalledRow, 'installedAt'>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('licenses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export const getInstalledAt = async (tx: Tx, id: string): Promise<Date> =>
  (await tx.selectFrom('licenses').select('installedAt').where('id', '=', id).executeTakeFirstOrThrow()).installedAt

/** Those who install do so one after the other. */
export const lockAll = (tx: Tx): Promise<unknown> => sql`lock table licenses in share row exclusive mode`.execute(tx)

export const count = async (tx: Tx, organizationId: string | null): Promise<number> => {
  const { installed } = await tx
    .selectFrom('licenses')
    .select(({ fn }) => fn.countAll<string>().as('installed'))
    .where('organizationId', 'is not distinct from', organizationId)
    .executeTakeFirstOrThrow()
  return Number(installed)
}

export const deleteById = (tx: Tx, id: string): Promise<InstalledRow | undefined> =>
  tx.deleteFrom('licenses').where('id', '=', id).returningAll().executeTakeFirst()

/** What concerns an organization. */
export const listFor = (db: Db, organizationId: string): Promise<InstalledRow[]> =>
  db
    .selectFrom('licenses')
    .selectAll()
    .where((row) => row.or([row('organizationId', '=', organizationId), row('organizationId', 'is', null)]))
    .orderBy('installedAt')
    .orderBy('id')
    .limit(2 * INSTALLED_MAX)
    .execute()

export const listAll = (db: Db): Promise<InstalledRow[]> =>
  db.selectFrom('licenses').selectAll().orderBy('installedAt', 'desc').orderBy('id').limit(LISTED_MAX).execute()

export const hasOrganization = async (db: Db, organizationId: string): Promise<boolean> =>
  (await db.selectFrom('organizations').select('id').where('id', '=', organizationId).executeTakeFirst()) !== undefined

/** Of several at the same time, and of all that come later, the first counts. */
export const beginEvaluation = (db: Db): Promise<unknown> =>
  db
    .insertInto('licenseEvaluation')
    .defaultValues()
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findEvaluationStart = async (db: Db): Promise<Date | undefined> =>
  (await db.selectFrom('licenseEvaluation').select('beganAt').executeTakeFirst())?.beganAt
