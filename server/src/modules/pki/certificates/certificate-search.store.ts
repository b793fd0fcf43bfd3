import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../../../lib/uuid.ts'
import type { Db } from '../../../platform/db/db.ts'
import { hasStatus } from './certificate-bodies.store.ts'
import { type CertificateRow, columns, type MetadataEntry } from './certificates.store.ts'

const SORT_COLUMNS = {
  notAfter: 'not_after',
  notBefore: 'not_before',
  createdAt: 'created_at',
  commonName: 'common_name',
  keyAlgorithm: 'key_algorithm',
  status: 'status',
} as const

export type CertificateFilter = {
  friendlyName?: string | undefined
  commonName?: string | undefined
  search?: string | undefined
  statuses?: readonly string[] | undefined
  profileIds?: readonly string[] | undefined
  caIds?: readonly string[] | undefined
  metadata?: readonly { key: string; value?: string | undefined }[] | undefined
  extendedKeyUsage?: string | undefined
  keyAlgorithms?: readonly string[] | undefined
  keySizes?: readonly string[] | undefined
  signatureAlgorithm?: string | undefined
  sources?: readonly string[] | undefined
  /** False: nothing that there is can match. */
  isPossible: boolean
  hasProfile?: boolean | undefined
  created: Period
  notAfter: Period
  notBefore: Period
}
type Period = { from?: Date | undefined; to?: Date | undefined }
export type Order = { by: keyof typeof SORT_COLUMNS; direction: 'asc' | 'desc' }
export type Page = { offset: number; limit: number }
export type ListedCertificate = CertificateRow & { caName: string | null; profileName: string | null }
type Scope = { projectId: string; filter: CertificateFilter; now: Date }
/** What rules look at. */
export type Ruled = {
  id: string
  commonName: string
  altNames: string[]
  serialNumber: string
  friendlyName: string
  status: 'active' | 'revoked'
  notAfter: Date
  metadata: MetadataEntry[]
}

export const list = (db: Db, scope: Scope, order: Order, { offset, limit }: Page): Promise<ListedCertificate[]> =>
  withNames(db, selectRows(db).where(matches(scope)), order)
    .limit(limit)
    .offset(offset)
    .execute()

/** In order. */
export const listByIds = (db: Db, ids: readonly string[], order: Order): Promise<ListedCertificate[]> =>
  withNames(db, selectRows(db).where(sql<boolean>`id = any (${ids}::uuid[])`), order).execute()

export const count = async (db: Db, scope: Scope): Promise<number> => {
  const { total } = await db
    .selectFrom('certificates')
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .where(matches(scope))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** All of them, up to a bound, for whoever may see only some. */
export const listRuled = (db: Db, scope: Scope, order: Order, limit: number): Promise<Ruled[]> =>
  db
    .selectFrom('certificates')
    .select(['id', 'commonName', 'altNames', 'serialNumber', 'friendlyName', 'status', 'notAfter', 'metadata'])
    .where(matches(scope))
    .orderBy(sortBy(order))
    .orderBy('id', order.direction)
    .limit(limit)
    .execute()

const sortBy = ({ by, direction }: Order) =>
  sql`${sql.ref(SORT_COLUMNS[by])} ${direction === 'asc' ? sql`asc` : sql`desc`}`

/** The names are looked up for the rows of the page only. */
const withNames = (db: Db, rows: ReturnType<typeof selectRows>, order: Order) =>
  db
    .selectFrom(rows.as('certificate'))
    .selectAll('certificate')
    .select([
      sql<string | null>`(select ca.name from certificate_authorities ca where ca.id = certificate.ca_id)`.as('caName'),
      sql<string | null>`(select p.slug from certificate_profiles p where p.id = certificate.profile_id)`.as(
        'profileName',
      ),
    ])
    .orderBy(sortBy(order))
    .orderBy('id', order.direction)

const selectRows = (db: Db) => db.selectFrom('certificates').select(columns)

const matches = ({ projectId, filter, now }: Scope): RawBuilder<boolean> => {
  const conditions = [
    sql`project_id = ${projectId}`,
    ...(filter.isPossible ? [] : [sql`false`]),
    ...textConditions(filter),
    ...listConditions(filter),
    ...periodConditions(filter),
    ...(filter.statuses
      ? [
          sql`(${sql.join(
            filter.statuses.map((status) => hasStatus(status, now)),
            sql` or `,
          )})`,
        ]
      : []),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** Not `like`, where _ and % would mean something else than themselves. */
const contains = (column: RawBuilder<unknown>, text: string) => sql`strpos(${column}, ${text}) > 0`

const textConditions = ({ friendlyName, commonName, search }: CertificateFilter) => [
  ...(friendlyName ? [contains(sql`friendly_name`, friendlyName)] : []),
  ...(commonName ? [contains(sql`common_name`, commonName)] : []),
  ...(search ? [isFoundBy(search)] : []),
]

const isFoundBy = (search: string) => {
  const text = sql`lower(concat_ws(' ', common_name, friendly_name, serial_number, array_to_string(alt_names, ' ')))`
  const found = contains(text, search.toLowerCase())
  return isUuid(search.toLowerCase()) ? sql`(${found} or id = ${search.toLowerCase()})` : sql`(${found})`
}

const isOneOf = (column: string, values: readonly string[] | undefined, type: 'uuid' | 'text') => {
  if (!values) return []
  const usable = type === 'uuid' ? values.map((value) => value.toLowerCase()).filter(isUuid) : values
  return [sql`${sql.ref(column)} = any (${usable}::${sql.raw(type)}[])`]
}

const listConditions = (filter: CertificateFilter) => [
  ...isOneOf('profile_id', filter.profileIds, 'uuid'),
  ...isOneOf('ca_id', filter.caIds, 'uuid'),
  ...isOneOf('key_algorithm', filter.keyAlgorithms, 'text'),
  ...isOneOf('key_algorithm', filter.keySizes, 'text'),
  ...isOneOf('source', filter.sources, 'text'),
  ...(filter.hasProfile ? [sql`profile_id is not null`] : []),
  ...(filter.signatureAlgorithm ? [sql`signature_algorithm = ${filter.signatureAlgorithm}`] : []),
  ...(filter.extendedKeyUsage ? [sql`${filter.extendedKeyUsage} = any (extended_key_usages)`] : []),
  ...(filter.metadata ?? []).map((entry) => sql`metadata @> ${JSON.stringify([entry])}::jsonb`),
]

const within = (column: string, { from, to }: Period) => [
  ...(from ? [sql`${sql.ref(column)} >= ${from}`] : []),
  ...(to ? [sql`${sql.ref(column)} <= ${to}`] : []),
]

const periodConditions = ({ created, notAfter, notBefore }: CertificateFilter) => [
  ...within('created_at', created),
  ...within('not_after', notAfter),
  ...within('not_before', notBefore),
]
