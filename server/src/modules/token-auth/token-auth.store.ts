import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { TrustedIp } from '../access-tokens/trusted-ips.ts'

type Settings = Omit<TokenSettings, 'tokenPeriodSeconds'>

type ConfigTable = Omit<Settings, 'tokenTrustedIps'> & {
  id: string
  identityId: string
  tokenTrustedIps: ColumnType<TrustedIp[], string, string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    tokenAuthConfigs: ConfigTable
  }
}

export type TokenAuthConfig = Selectable<ConfigTable>
type NewConfig = Omit<Insertable<ConfigTable>, 'tokenTrustedIps'> & Settings
export type ConfigChanges = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** Undefined when the identity has one already. */
export const insert = (tx: Tx, row: NewConfig): Promise<TokenAuthConfig | undefined> =>
  tx
    .insertInto('tokenAuthConfigs')
    .values({ ...row, tokenTrustedIps: JSON.stringify(row.tokenTrustedIps) })
    .onConflict((conflict) => conflict.column('identityId').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findByIdentity = (db: Db, identityId: string): Promise<TokenAuthConfig | undefined> =>
  db.selectFrom('tokenAuthConfigs').selectAll().where('identityId', '=', identityId).executeTakeFirst()

export const lockByIdentity = (tx: Tx, identityId: string): Promise<TokenAuthConfig | undefined> =>
  tx.selectFrom('tokenAuthConfigs').selectAll().where('identityId', '=', identityId).forUpdate().executeTakeFirst()

export const update = (tx: Tx, id: string, { tokenTrustedIps, ...changes }: ConfigChanges): Promise<TokenAuthConfig> =>
  tx
    .updateTable('tokenAuthConfigs')
    .set({
      ...changes,
      tokenTrustedIps: tokenTrustedIps && JSON.stringify(tokenTrustedIps),
      updatedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteByIdentity = (tx: Tx, identityId: string): Promise<TokenAuthConfig | undefined> =>
  tx.deleteFrom('tokenAuthConfigs').where('identityId', '=', identityId).returningAll().executeTakeFirst()
