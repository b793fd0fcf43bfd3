import { sql } from 'kysely'
import type { Db } from '../../../platform/db/db.ts'
import { type CertificateRow, columns } from './certificates.store.ts'

/** What a certificate is shown with. */
export type Names = { caName: string | null; profileName: string | null }

/** The certificate itself, those above it, and its private key, sealed. */
export type CertificateBody = {
  der: Buffer
  chain: string | null
  /** The certificate that signed it, where it is one of an authority here. */
  issuerDer: Buffer | null
  issuerChain: string | null
  privateKey: Buffer | null
}

export const findNames = async (
  db: Db,
  { caId, profileId }: Pick<CertificateRow, 'caId' | 'profileId'>,
): Promise<Names> => {
  if (caId === null && profileId === null) return { caName: null, profileName: null }
  const { rows } = await sql<Names>`
    select (select name from certificate_authorities where id = ${caId}) as ca_name,
      (select slug from certificate_profiles where id = ${profileId}) as profile_name`.execute(db)
  return rows[0] ?? { caName: null, profileName: null }
}

export const findBody = (db: Db, id: string): Promise<CertificateBody | undefined> =>
  db
    .selectFrom('certificates as certificate')
    .leftJoin('authorityCertificates as above', 'above.id', 'certificate.caCertId')
    .select(['certificate.der', 'certificate.chain', 'certificate.privateKey'])
    .select(['above.der as issuerDer', 'above.chain as issuerChain'])
    .where('certificate.id', '=', id)
    .executeTakeFirst()

type OfProfile = {
  profileId: string
  status?: string | undefined
  search?: string | undefined
  now: Date
  offset: number
  limit: number
}

/** Newest first. */
export const listOfProfile = (db: Db, { profileId, status, search, now, offset, limit }: OfProfile) =>
  db
    .selectFrom('certificates')
    .select(columns)
    .where('profileId', '=', profileId)
    .$if(status !== undefined, (query) => query.where(hasStatus(status ?? '', now)))
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(concat_ws(' ', common_name, serial_number)), lower(${search})) > 0`),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

/** `expired` is never written down. */
export const hasStatus = (status: string, now: Date) => {
  switch (status) {
    case 'active':
      return sql<boolean>`(status = 'active' and not_after > ${now})`
    case 'expired':
      return sql<boolean>`(status = 'active' and not_after <= ${now})`
    default:
      return sql<boolean>`status = ${status}`
  }
}
