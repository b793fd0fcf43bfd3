import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import type { KeyAlgorithm } from '../x509/key-algorithms.ts'
import type { DistinguishedName } from './authority-rules.ts'

export type AuthorityType = 'root' | 'intermediate'
export type AuthorityStatus = 'active' | 'disabled' | 'pending-certificate'

type AuthorityTable = DistinguishedName & {
  id: string
  projectId: string
  name: string
  type: AuthorityType
  status: AuthorityStatus
  friendlyName: string
  dn: string
  notBefore: Date | null
  notAfter: Date | null
  maxPathLength: number | null
  keyAlgorithm: KeyAlgorithm
  privateKey: Buffer
  publicKey: Buffer
  parentCaId: Generated<string | null>
  activeCertificateId: Generated<string | null>
  crlDistributionPointUrls: string[]
  disableManagedCrlDistributionPointUrl: boolean
  requireTemplateForIssuance: Generated<boolean>
  autoRenewalEnabled: Generated<boolean>
  autoRenewalDaysBeforeExpiry: Generated<number | null>
  lastRenewalStatus: Generated<'success' | 'failed' | null>
  lastRenewalMessage: Generated<string | null>
  lastRenewalAt: Generated<Date | null>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificateAuthorities: AuthorityTable
  }
}

/** An authority without its key, with the serial number of its certificate where it has one. */
export type AuthorityRow = Omit<Selectable<AuthorityTable>, 'privateKey'> & {
  organizationId: string
  serialNumber: string | null
}
export type NewAuthority = Insertable<AuthorityTable>
export type AuthorityChanges = Updateable<
  Pick<
    AuthorityTable,
    | 'name'
    | 'status'
    | 'parentCaId'
    | 'activeCertificateId'
    | 'crlDistributionPointUrls'
    | 'disableManagedCrlDistributionPointUrl'
    | 'requireTemplateForIssuance'
    | 'autoRenewalEnabled'
    | 'autoRenewalDaysBeforeExpiry'
    | 'lastRenewalStatus'
    | 'lastRenewalMessage'
    | 'lastRenewalAt'
  >
>

export type Filter = {
  status?: AuthorityStatus | undefined
  friendlyName?: string | undefined
  commonName?: string | undefined
}

const PER_PROJECT_MAX = 10_000

const COLUMNS = [
  'ca.id',
  'ca.projectId',
  'ca.name',
  'ca.type',
  'ca.status',
  'ca.friendlyName',
  'ca.commonName',
  'ca.organization',
  'ca.ou',
  'ca.country',
  'ca.province',
  'ca.locality',
  'ca.dn',
  'ca.notBefore',
  'ca.notAfter',
  'ca.maxPathLength',
  'ca.keyAlgorithm',
  'ca.publicKey',
  'ca.parentCaId',
  'ca.activeCertificateId',
  'ca.crlDistributionPointUrls',
  'ca.disableManagedCrlDistributionPointUrl',
  'ca.requireTemplateForIssuance',
  'ca.autoRenewalEnabled',
  'ca.autoRenewalDaysBeforeExpiry',
  'ca.lastRenewalStatus',
  'ca.lastRenewalMessage',
  'ca.lastRenewalAt',
  'ca.createdAt',
  'ca.updatedAt',
] as const

const select = (db: Db) =>
  db
    .selectFrom('certificateAuthorities as ca')
    .innerJoin('projects as project', 'project.id', 'ca.projectId')
    .leftJoin('authorityCertificates as active', 'active.id', 'ca.activeCertificateId')
    .select([...COLUMNS, 'project.organizationId', 'active.serialNumber'])

/** False when the project has one of that name. */
export const insert = async (tx: Tx, row: NewAuthority): Promise<boolean> => {
  const inserted = await tx
    .insertInto('certificateAuthorities')
    .values(row)
    .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export const update = (tx: Tx, id: string, changes: AuthorityChanges): Promise<unknown> =>
  tx
    .updateTable('certificateAuthorities')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .execute()

export const deleteById = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('certificateAuthorities').where('id', '=', id).execute()

export const findById = (db: Db, id: string): Promise<AuthorityRow | undefined> =>
  select(db).where('ca.id', '=', id).executeTakeFirst()

export const findByName = (db: Db, projectId: string, name: string): Promise<AuthorityRow | undefined> =>
  select(db).where('ca.projectId', '=', projectId).where('ca.name', '=', name).executeTakeFirst()

/** Changes of one authority, and of its certificates, are made one after the other. */
export const lock = (tx: Tx, id: string): Promise<AuthorityRow | undefined> =>
  select(tx).where('ca.id', '=', id).forNoKeyUpdate('ca').executeTakeFirst()

/** Keeps anything from being issued by it. */
export const lockToDelete = (tx: Tx, id: string): Promise<AuthorityRow | undefined> =>
  select(tx).where('ca.id', '=', id).forUpdate('ca').executeTakeFirst()

/**
 * What an authority is while it issues: nobody disables it before the end of the transaction. Its project, which the
 * certificate refers to, is held first, because whoever deletes that locks it before its authorities.
 */
export const lockToIssue = (tx: Tx, { id, projectId }: Pick<AuthorityRow, 'id' | 'projectId'>) =>
  tx
    .with('project', (db) => db.selectFrom('projects').select('id').where('id', '=', projectId).forKeyShare())
    .selectFrom('certificateAuthorities as ca')
    .innerJoin('project', 'project.id', 'ca.projectId')
    .select(['ca.status', isRevoked.as('isRevoked')])
    .where('ca.id', '=', id)
    .forShare('ca')
    .executeTakeFirst()

/**
 * Whether whoever signed the certificate of a `ca` has taken it back, or that of any authority above. The limit makes
 * PostgreSQL look for each among the revocations instead of reading them all.
 */
const isRevoked = sql<boolean>`exists (
  with recursive above (parent_ca_id, serial_number) as (
    select c.parent_ca_id, c.serial_number from authority_certificates c where c.id = ca.active_certificate_id
    union
    select c.parent_ca_id, c.serial_number
    from above join certificate_authorities parent on parent.id = above.parent_ca_id
    join authority_certificates c on c.id = parent.active_certificate_id
  )
  select from above cross join lateral (
    select from revocations r
    where r.ca_id = above.parent_ca_id and r.serial_number = above.serial_number and r.released_at is null limit 1) as taken)`

export const list = (db: Db, projectId: string): Promise<AuthorityRow[]> =>
  select(db)
    .where('ca.projectId', '=', projectId)
    .orderBy('ca.createdAt')
    .orderBy('ca.id')
    .limit(PER_PROJECT_MAX)
    .execute()

/** Those that changed last come first. */
export const listFiltered = (db: Db, projectId: string, filter: Filter): Promise<AuthorityRow[]> =>
  select(db)
    .where('ca.projectId', '=', projectId)
    .$if(filter.status !== undefined, (query) => query.where('ca.status', '=', filter.status ?? 'active'))
    .$if(filter.friendlyName !== undefined, (query) => query.where('ca.friendlyName', '=', filter.friendlyName ?? ''))
    .$if(filter.commonName !== undefined, (query) => query.where('ca.commonName', '=', filter.commonName ?? ''))
    .orderBy('ca.updatedAt', 'desc')
    .orderBy('ca.id', 'desc')
    .limit(PER_PROJECT_MAX)
    .execute()

export const findPrivateKey = async (db: Db, id: string): Promise<Buffer | undefined> => {
  const row = await db.selectFrom('certificateAuthorities').select('privateKey').where('id', '=', id).executeTakeFirst()
  return row?.privateKey
}

/** One whose certificate ends soon enough to be renewed and that nobody tried to renew since `triedBefore`; taken by whoever asks. */
export const claimDueForRenewal = async (db: Db, { at, triedBefore }: { at: Date; triedBefore: Date }) => {
  const { rows } = await sql<{ id: string }>`
    update certificate_authorities set last_renewal_at = ${at}
    where id = (
      select ca.id from certificate_authorities ca join authority_certificates active on active.id = ca.active_certificate_id
      where ca.auto_renewal_enabled and ca.status = 'active' and active.not_after > ${at}
        and active.not_after <= ${at}::timestamptz + ca.auto_renewal_days_before_expiry * interval '1 day'
        and (ca.last_renewal_at is null or ca.last_renewal_at < ${triedBefore})
      order by active.not_after, ca.id limit 1 for update of ca skip locked)
    returning id`.execute(db)
  return rows[0]?.id
}
