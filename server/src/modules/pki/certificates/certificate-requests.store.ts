import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import type { CertificateRow } from './certificates.store.ts'

type CertificateRequestTable = {
  id: string
  projectId: string
  profileId: string | null
  certificateId: string | null
  status: string
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    certificateRequests: CertificateRequestTable
  }
}

export type CertificateRequestRow = Selectable<CertificateRequestTable>

export const insert = (tx: Tx, row: Omit<CertificateRequestRow, 'createdAt' | 'updatedAt'>): Promise<unknown> =>
  tx.insertInto('certificateRequests').values(row).execute()

export const findById = (db: Db, organizationId: string, id: string): Promise<CertificateRequestRow | undefined> =>
  db
    .selectFrom('certificateRequests as request')
    .innerJoin('projects as project', 'project.id', 'request.projectId')
    .selectAll('request')
    .where('request.id', '=', id)
    .where('project.organizationId', '=', organizationId)
    .executeTakeFirst()

export type RequestFilter = {
  search?: string | undefined
  status?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
  profileIds?: readonly string[] | undefined
  metadata?: readonly { key: string; value?: string | undefined }[] | undefined
  /** There are no applications, so nothing is found for one. */
  applicationId?: string | undefined
}
export type RequestPage = { offset: number; limit: number; direction: 'asc' | 'desc' }
/** What rules may ask about the certificate, where it is still there. */
type Ruled = { [Field in keyof Asked]: Asked[Field] | null } & { certificateStatus: CertificateRow['status'] | null }
type Asked = Pick<CertificateRow, 'commonName' | 'altNames' | 'serialNumber' | 'friendlyName' | 'notAfter' | 'metadata'>
export type FoundRequest = CertificateRequestRow & Ruled & { profileName: string | null }

const found = (db: Db, projectId: string, filter: RequestFilter) =>
  db
    .selectFrom('certificateRequests as request')
    .leftJoin('certificates as certificate', 'certificate.id', 'request.certificateId')
    .leftJoin('certificateProfiles as profile', 'profile.id', 'request.profileId')
    .where('request.projectId', '=', projectId)
    .$if(filter.applicationId !== undefined, (query) => query.where(sql<boolean>`false`))
    .$if(filter.status !== undefined, (query) => query.where('request.status', '=', filter.status ?? ''))
    .$if(filter.from !== undefined, (query) => query.where('request.createdAt', '>=', filter.from ?? new Date()))
    .$if(filter.to !== undefined, (query) => query.where('request.createdAt', '<=', filter.to ?? new Date()))
    .$if(filter.profileIds !== undefined, (query) =>
      query.where(sql<boolean>`request.profile_id = any (${filter.profileIds ?? []}::uuid[])`),
    )
    .$if(filter.search !== undefined, (query) =>
      query.where(
        sql<boolean>`strpos(lower(concat_ws(' ', certificate.common_name, certificate.serial_number,
          array_to_string(certificate.alt_names, ' '))), lower(${filter.search})) > 0`,
      ),
    )
    .$if((filter.metadata ?? []).length > 0, (query) =>
      query.where(sql<boolean>`certificate.metadata @> ${JSON.stringify(filter.metadata)}::jsonb`),
    )

export const list = (db: Db, projectId: string, filter: RequestFilter, page: RequestPage): Promise<FoundRequest[]> =>
  found(db, projectId, filter)
    .selectAll('request')
    .select([
      'profile.slug as profileName',
      'certificate.commonName',
      'certificate.altNames',
      'certificate.serialNumber',
      'certificate.friendlyName',
      'certificate.status as certificateStatus',
      'certificate.notAfter',
      'certificate.metadata',
    ])
    .orderBy('request.createdAt', page.direction)
    .orderBy('request.id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const count = async (db: Db, projectId: string, filter: RequestFilter): Promise<number> => {
  const { total } = await found(db, projectId, filter)
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
