import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/db.ts'
import { statement } from '../../../platform/db/statement.ts'

type RevocationTable = {
  caId: string
  serialNumber: string
  revokedAt: Date
  reason: number
  notAfter: Date
  releasedAt: Date | null
  entry: Buffer
  listedIn: number | null
}

declare module '../../../platform/db/db.ts' {
  interface Tables {
    revocations: RevocationTable
  }
}

type Revocation = Omit<Insertable<RevocationTable>, 'releasedAt' | 'listedIn'>

/** A revocation that was lifted is changed in place, which alone would not wait for who deletes the authority. */
export const holdAuthority = (tx: Tx, caId: string): Promise<unknown> =>
  sql`select from certificate_authorities where id = ${caId} for key share`.execute(tx)

/** Of a whole project, in one order: nobody revokes before the end of the transaction, which then has deleted them. */
export const lockAuthorities = (tx: Tx, projectId: string): Promise<unknown> =>
  sql`select from certificate_authorities where project_id = ${projectId} order by id for update`.execute(tx)

/** Whatever was said of the certificate before, the next list says this. */
export const save = (tx: Tx, revocation: Revocation): Promise<unknown> => {
  const row = { ...revocation, releasedAt: null, listedIn: null }
  return tx
    .insertInto('revocations')
    .values(row)
    .onConflict((known) => known.columns(['caId', 'serialNumber']).doUpdateSet(row))
    .execute()
}

type Release = { caId: string; serialNumber: string; releasedAt: Date; entry: Buffer }

export const release = (tx: Tx, { caId, serialNumber, releasedAt, entry }: Release): Promise<unknown> =>
  tx
    .updateTable('revocations')
    .set({ releasedAt, entry, listedIn: null })
    .where('caId', '=', caId)
    .where('serialNumber', '=', serialNumber)
    .execute()

/** Takes what no list says yet for the list of this number. Returns how many that were. */
export const takeUnlisted = async (tx: Tx, caId: string, number: number): Promise<number> => {
  const { numUpdatedRows } = await tx
    .updateTable('revocations')
    .set({ listedIn: number })
    .where('caId', '=', caId)
    .where('listedIn', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export type ListScope = {
  number: number
  /** When the list before was made. */
  since: Date
  /** The list that a delta adds to; null when none is wanted. */
  base: number | null
  deltaMax: number
}
/** Null where there are none. A `deltaCount` above `deltaMax` means that there are more than are given. */
export type JoinedEntries = { full: Buffer | null; delta: Buffer | null; deltaCount: number }

/**
 * The entries of a full list and of its delta, each in one piece and as of one moment. The database puts them together:
 * a hundred thousand rows would keep the process busy. What has expired is left out once a list made after that has said
 * it (RFC 5280 3.3). What was changed since this list took its share is said as it is now, and again by the next.
 */
export const joinEntries = async (tx: Tx, caId: string, scope: ListScope): Promise<JoinedEntries> => {
  const { number, since, base, deltaMax } = scope
  const { rows } = await sql<JoinedEntries>`
    with delta as materialized (
      select entry, revoked_at, serial_number from revocations
      where ca_id = ${caId} and (listed_in > ${base}::bigint or listed_in is null and ${base}::bigint is not null)
      limit ${deltaMax} + 1
    )
    select
      (select ${joined} from revocations
        where ca_id = ${caId} and released_at is null and (not_after >= ${since} or listed_in = ${number})) as full,
      (select ${joined} from delta) as delta,
      (select count(*) from delta) as delta_count`.execute(tx)
  const [entries] = rows
  if (!entries) throw new Error('A select without a table gave no row')
  return entries
}

const joined = sql`string_agg(entry, ''::bytea order by revoked_at, serial_number)`

/** Of lifted holds that no delta from this base on has to speak of. */
export const deleteReleased = (tx: Tx, caId: string, base: number): Promise<unknown> =>
  tx
    .deleteFrom('revocations')
    .where('caId', '=', caId)
    .where('releasedAt', 'is not', null)
    .where('listedIn', '<=', base)
    .execute()

export type Status = { serialNumber: string; isIssued: boolean; revokedAt: Date | null; reason: number | null }

/**
 * What the authority can say of each of the certificates; of one that it did not issue, that. The limits make PostgreSQL
 * look each up by its number: a plan from when little was revoked would read everything that has been since.
 */
const statuses = statement<Status, { caId: string; serialNumbers: readonly string[] }>(
  (value) => sql`
    select asked.serial_number, c.is_issued or r.revoked_at is not null as is_issued, r.revoked_at, r.reason
    from unnest(${value('serialNumbers')}::text[]) as asked (serial_number)
    cross join lateral (
      select exists (
        select from certificates where ca_id = ${value('caId')} and serial_number = asked.serial_number
      ) as is_issued) c
    left join lateral (
      select revoked_at, reason from revocations
      where ca_id = ${value('caId')} and serial_number = asked.serial_number and released_at is null limit 1) r on true`,
)

export const listStatuses = (db: Db, caId: string, serialNumbers: readonly string[]): Promise<Status[]> =>
  statuses(db, { caId, serialNumbers })
