import { type ColumnType, type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { TokenSettings } from '../access-tokens/method-settings.ts'
import type { TrustedIp } from '../access-tokens/trusted-ips.ts'

type Claims = Record<string, string>

/** Kept as JSON. */
type Structures = { tokenTrustedIps: readonly TrustedIp[]; boundClaims: Claims; claimMetadataMapping: Claims | null }

type Texts = { discoveryUrl: string; boundIssuer: string; boundAudiences: string; boundSubject: string }

type ConfigTable = Omit<TokenSettings, 'tokenPeriodSeconds' | 'tokenTrustedIps'> &
  Texts & {
    id: string
    identityId: string
    /** Sealed. */
    caCertificate: Buffer | null
    tokenTrustedIps: ColumnType<TrustedIp[], string, string>
    boundClaims: ColumnType<Claims, string, string>
    claimMetadataMapping: ColumnType<Claims | null, string | null, string>
    createdAt: Generated<Date>
    updatedAt: Generated<Date>
  }

declare module '../../platform/db/db.ts' {
  interface Tables {
    oidcAuthConfigs: ConfigTable
  }
}

export type OidcAuthConfig = Selectable<ConfigTable>
type NewConfig = Omit<Insertable<ConfigTable>, keyof Structures> & Structures
type Settings = Omit<NewConfig, 'id' | 'identityId' | 'createdAt' | 'updatedAt'>
export type ConfigChanges = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** Undefined when the identity has one already. */
export const insert = (tx: Tx, row: NewConfig): Promise<OidcAuthConfig | undefined> =>
  tx
    .insertInto('oidcAuthConfigs')
    .values({
      ...row,
      tokenTrustedIps: JSON.stringify(row.tokenTrustedIps),
      boundClaims: JSON.stringify(row.boundClaims),
      claimMetadataMapping: row.claimMetadataMapping && JSON.stringify(row.claimMetadataMapping),
    })
    .onConflict((conflict) => conflict.column('identityId').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findByIdentity = (db: Db, identityId: string): Promise<OidcAuthConfig | undefined> =>
  db.selectFrom('oidcAuthConfigs').selectAll().where('identityId', '=', identityId).executeTakeFirst()

export const lockByIdentity = (tx: Tx, identityId: string): Promise<OidcAuthConfig | undefined> =>
  tx.selectFrom('oidcAuthConfigs').selectAll().where('identityId', '=', identityId).forUpdate().executeTakeFirst()

export const update = (
  tx: Tx,
  id: string,
  { tokenTrustedIps, boundClaims, claimMetadataMapping, ...changes }: ConfigChanges,
): Promise<OidcAuthConfig> =>
  tx
    .updateTable('oidcAuthConfigs')
    .set({
      ...changes,
      tokenTrustedIps: tokenTrustedIps && JSON.stringify(tokenTrustedIps),
      boundClaims: boundClaims && JSON.stringify(boundClaims),
      claimMetadataMapping: claimMetadataMapping ? JSON.stringify(claimMetadataMapping) : undefined,
      updatedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteByIdentity = (tx: Tx, identityId: string): Promise<OidcAuthConfig | undefined> =>
  tx.deleteFrom('oidcAuthConfigs').where('identityId', '=', identityId).returningAll().executeTakeFirst()
