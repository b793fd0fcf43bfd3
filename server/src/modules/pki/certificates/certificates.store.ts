import { type Generated, type Insertable, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import type { Subject } from '../x509/names.ts'

export type MetadataEntry = { key: string; value: string }

/** Of its name, what has no column of its own. */
export type SubjectParts = Omit<Subject, 'commonName'>

type CertificateTable = {
  id: string
  projectId: string
  caId: string | null
  caCertId: string | null
  profileId: string | null
  certificateTemplateId: string | null
  status: Generated<'active' | 'revoked'>
  serialNumber: string
  friendlyName: string
  commonName: string
  altNames: string[]
  notBefore: Date
  notAfter: Date
  revokedAt: Date | null
  revocationReason: number | null
  keyUsages: string[] | null
  extendedKeyUsages: string[] | null
  keyAlgorithm: string
  signatureAlgorithm: string
  subject: JSONColumnType<SubjectParts>
  fingerprintSha256: Buffer
  fingerprintSha1: Buffer
  isCa: Generated<boolean>
  pathLength: number | null
  source: 'issued' | 'imported'
  der: Buffer
  chain: string | null
  privateKey: Buffer | null
  metadata: JSONColumnType<MetadataEntry[]>
  renewBeforeDays: number | null
  renewedFromCertificateId: string | null
  renewedByCertificateId: string | null
  renewalError: string | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificates: CertificateTable
  }
}

export type StoredCertificate = Selectable<CertificateTable>
/** Without what is large or secret. */
export type CertificateRow = Omit<StoredCertificate, 'der' | 'chain' | 'privateKey'> & { hasPrivateKey: boolean }

export type NewCertificate = Omit<
  Insertable<CertificateTable>,
  'subject' | 'metadata' | 'createdAt' | 'updatedAt' | 'status' | 'revokedAt' | 'revocationReason'
> & { subject: SubjectParts; metadata?: MetadataEntry[] }

/** Columns that are null unless someone says otherwise. */
type Unsaid =
  | 'caId'
  | 'caCertId'
  | 'profileId'
  | 'certificateTemplateId'
  | 'chain'
  | 'privateKey'
  | 'renewBeforeDays'
  | 'renewedFromCertificateId'
  | 'renewedByCertificateId'
  | 'renewalError'
  | 'pathLength'

export type CertificateToRecord = Omit<NewCertificate, Unsaid> & Partial<Pick<NewCertificate, Unsaid>>

const FINGERPRINT_SHA1_HEX = 40

/** Fails with a unique violation when the project has a certificate with this serial number. */
export const recordCertificate = async (tx: Tx, row: CertificateToRecord): Promise<CertificateRow> =>
  tx
    .insertInto('certificates')
    .values({ ...row, subject: JSON.stringify(row.subject), metadata: JSON.stringify(row.metadata ?? []) })
    .returning(columns)
    .executeTakeFirstOrThrow()

export const columns = [
  'id',
  'projectId',
  'caId',
  'caCertId',
  'profileId',
  'certificateTemplateId',
  'status',
  'serialNumber',
  'friendlyName',
  'commonName',
  'altNames',
  'notBefore',
  'notAfter',
  'revokedAt',
  'revocationReason',
  'keyUsages',
  'extendedKeyUsages',
  'keyAlgorithm',
  'signatureAlgorithm',
  'subject',
  'fingerprintSha256',
  'fingerprintSha1',
  'isCa',
  'pathLength',
  'source',
  'metadata',
  'renewBeforeDays',
  'renewedFromCertificateId',
  'renewedByCertificateId',
  'renewalError',
  'createdAt',
  'updatedAt',
  sql<boolean>`private_key is not null`.as('hasPrivateKey'),
] as const

/** Those of the organization that a path may mean; two are enough to know that it is ambiguous. */
const MATCHES_MAX = 2

const inOrganization = (db: Db, organizationId: string) =>
  db
    .selectFrom('certificates')
    .select(columns)
    .where('projectId', 'in', (of) =>
      of.selectFrom('projects').select('id').where('organizationId', '=', organizationId),
    )
    .orderBy('id')
    .limit(MATCHES_MAX)

export const findById = (db: Db, organizationId: string, id: string): Promise<CertificateRow | undefined> =>
  inOrganization(db, organizationId).where('id', '=', id).executeTakeFirst()

/** By SHA-1 or SHA-256, which of them its length says. */
export const listByThumbprint = (db: Db, organizationId: string, hex: string): Promise<CertificateRow[]> =>
  inOrganization(db, organizationId)
    .where(hex.length === FINGERPRINT_SHA1_HEX ? 'fingerprintSha1' : 'fingerprintSha256', '=', Buffer.from(hex, 'hex'))
    .execute()

export const listBySerialNumber = (db: Db, organizationId: string, serialNumber: string): Promise<CertificateRow[]> =>
  inOrganization(db, organizationId).where('serialNumber', '=', serialNumber).execute()

/** Not for its key: rows that refer to it, such as its successor's, hold on to that. */
export const lock = (tx: Tx, id: string): Promise<CertificateRow | undefined> =>
  tx.selectFrom('certificates').select(columns).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

type Revocation = { revokedAt: Date; revocationReason: number }

export const markRevoked = (tx: Tx, id: string, revocation: Revocation): Promise<unknown> =>
  tx
    .updateTable('certificates')
    .set({ status: 'revoked', ...revocation, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const markReleased = (tx: Tx, id: string): Promise<CertificateRow> =>
  tx
    .updateTable('certificates')
    .set({ status: 'active', revokedAt: null, revocationReason: null, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

export const deleteById = (tx: Tx, id: string): Promise<CertificateRow | undefined> =>
  tx.deleteFrom('certificates').where('id', '=', id).returning(columns).executeTakeFirst()

export const setMetadata = (tx: Tx, id: string, metadata: MetadataEntry[]): Promise<unknown> =>
  tx
    .updateTable('certificates')
    .set({ metadata: JSON.stringify(metadata), updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const setRenewBeforeDays = (tx: Tx, id: string, renewBeforeDays: number | null): Promise<unknown> =>
  tx
    .updateTable('certificates')
    .set({ renewBeforeDays, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const markRenewed = (tx: Tx, id: string, renewedByCertificateId: string): Promise<unknown> =>
  tx
    .updateTable('certificates')
    .set({ renewedByCertificateId, renewalError: null, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()
