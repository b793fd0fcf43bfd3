import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'

type AuthorityCertificateTable = {
  id: string
  caId: string
  version: number
  serialNumber: string
  der: Buffer
  chain: string
  notBefore: Date
  notAfter: Date
  maxPathLength: number | null
  parentCaId: string | null
  createdAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    authorityCertificates: AuthorityCertificateTable
  }
}

export type AuthorityCertificate = Selectable<AuthorityCertificateTable>
export type NewAuthorityCertificate = Omit<Insertable<AuthorityCertificateTable>, 'version' | 'createdAt'>

const VERSIONS_MAX = 1_000

/** As the newest of its authority, which must be locked. */
export const insertNext = (tx: Tx, row: NewAuthorityCertificate): Promise<AuthorityCertificate> =>
  tx
    .insertInto('authorityCertificates')
    .values({
      ...row,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from authority_certificates where ca_id = ${row.caId})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findActive = (db: Db, caId: string): Promise<AuthorityCertificate | undefined> =>
  db
    .selectFrom('certificateAuthorities as ca')
    .innerJoin('authorityCertificates as active', 'active.id', 'ca.activeCertificateId')
    .selectAll('active')
    .where('ca.id', '=', caId)
    .executeTakeFirst()

export const findById = (db: Db, caId: string, id: string): Promise<AuthorityCertificate | undefined> =>
  db.selectFrom('authorityCertificates').selectAll().where('caId', '=', caId).where('id', '=', id).executeTakeFirst()

/** Oldest first; the newest when there are too many. */
export const list = async (db: Db, caId: string): Promise<AuthorityCertificate[]> => {
  const newestFirst = await db
    .selectFrom('authorityCertificates')
    .selectAll()
    .where('caId', '=', caId)
    .orderBy('version', 'desc')
    .limit(VERSIONS_MAX)
    .execute()
  return newestFirst.reverse()
}

/** The list that says what an authority has taken back. */
export const findListId = async (db: Db, caId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`select id from revocation_lists where ca_id = ${caId}`.execute(db)
  return rows[0]?.id
}
