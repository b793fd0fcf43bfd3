import { type Generated, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type InstanceSettingsTable = {
  isOnly: Generated<boolean>
  instanceId: Generated<string>
  isInitialized: Generated<boolean>
  isSignUpAllowed: Generated<boolean>
  allowedSignUpDomain: string | null
  enabledLoginMethods: string[] | null
  defaultOrganizationId: string | null
  consentContent: string | null
  pageFrameContent: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    instanceSettings: InstanceSettingsTable
  }
}

export type InstanceSettings = Selectable<InstanceSettingsTable> & { defaultOrganizationSlug: string | null }
export type SettingsChanges = Pick<
  Updateable<InstanceSettingsTable>,
  | 'isSignUpAllowed'
  | 'allowedSignUpDomain'
  | 'enabledLoginMethods'
  | 'defaultOrganizationId'
  | 'consentContent'
  | 'pageFrameContent'
>

const IDENTITIES_MAX = 1_000

export const get = (db: Db): Promise<InstanceSettings> =>
  db
    .selectFrom('instanceSettings')
    .leftJoin('organizations', 'organizations.id', 'instanceSettings.defaultOrganizationId')
    .selectAll('instanceSettings')
    .select('organizations.slug as defaultOrganizationSlug')
    .executeTakeFirstOrThrow()

export const update = (tx: Tx, changes: SettingsChanges): Promise<unknown> =>
  tx
    .updateTable('instanceSettings')
    .set({ ...changes, updatedAt: sql`now()` })
    .execute()

/** False for everyone but the first, who holds it until the end of the transaction. From then on nobody signs up. */
export const initialize = async (tx: Tx): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('instanceSettings')
    .set({ isInitialized: true, isSignUpAllowed: false, updatedAt: sql`now()` })
    .where('isInitialized', '=', false)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const listAdminIdentityIds = async (db: Db): Promise<string[]> => {
  const identities = await db
    .selectFrom('identities')
    .select('id')
    .where('isInstanceAdmin', '=', true)
    .orderBy('id')
    .limit(IDENTITIES_MAX)
    .execute()
  return identities.map(({ id }) => id)
}
