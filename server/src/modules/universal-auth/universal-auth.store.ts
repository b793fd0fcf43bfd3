import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { TrustedIp } from '../access-tokens/trusted-ips.ts'
import type { LockoutSettings } from './lockout.ts'

type TrustedIps = ColumnType<TrustedIp[], string, string>

type ConfigTable = Omit<TokenSettings, 'tokenTrustedIps'> &
  LockoutSettings & {
    id: string
    identityId: string
    clientId: string
    tokenTrustedIps: TrustedIps
    clientSecretTrustedIps: TrustedIps
    createdAt: Generated<Date>
    updatedAt: Generated<Date>
  }

declare module '../../platform/db/db.ts' {
  interface Tables {
    universalAuthConfigs: ConfigTable
  }
}

export type UniversalAuthConfig = Selectable<ConfigTable>
type IpLists = { tokenTrustedIps: readonly TrustedIp[]; clientSecretTrustedIps: readonly TrustedIp[] }
type NewConfig = Omit<Insertable<ConfigTable>, keyof IpLists> & IpLists
type Settings = TokenSettings & LockoutSettings & IpLists
export type ConfigChanges = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** Undefined when the identity has one already. */
export const insert = (tx: Tx, row: NewConfig): Promise<UniversalAuthConfig | undefined> =>
  tx
    .insertInto('universalAuthConfigs')
    .values({
      ...row,
      tokenTrustedIps: JSON.stringify(row.tokenTrustedIps),
      clientSecretTrustedIps: JSON.stringify(row.clientSecretTrustedIps),
    })
    .onConflict((conflict) => conflict.column('identityId').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findByIdentity = (db: Db, identityId: string): Promise<UniversalAuthConfig | undefined> =>
  db.selectFrom('universalAuthConfigs').selectAll().where('identityId', '=', identityId).executeTakeFirst()

export const lockByIdentity = (tx: Tx, identityId: string): Promise<UniversalAuthConfig | undefined> =>
  tx.selectFrom('universalAuthConfigs').selectAll().where('identityId', '=', identityId).forUpdate().executeTakeFirst()

export const update = (
  tx: Tx,
  id: string,
  { tokenTrustedIps, clientSecretTrustedIps, ...changes }: ConfigChanges,
): Promise<UniversalAuthConfig> =>
  tx
    .updateTable('universalAuthConfigs')
    .set({
      ...changes,
      tokenTrustedIps: tokenTrustedIps && JSON.stringify(tokenTrustedIps),
      clientSecretTrustedIps: clientSecretTrustedIps && JSON.stringify(clientSecretTrustedIps),
      updatedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteByIdentity = (tx: Tx, identityId: string): Promise<UniversalAuthConfig | undefined> =>
  tx.deleteFrom('universalAuthConfigs').where('identityId', '=', identityId).returningAll().executeTakeFirst()
