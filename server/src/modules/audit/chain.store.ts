import { type Generated, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Head, Seal } from './chain.ts'

type HeadTable = { [Column in keyof Head]: Generated<Head[Column]> } & { isOnly: Generated<boolean> }

declare module '../../platform/db/db.ts' {
  interface Tables {
    auditSeals: Seal
    auditHead: HeadTable
  }
}

export type UnsealedRow = { seq: number; id: string; digest: string }
export type Unsealed = { snapshot: string; stragglers: UnsealedRow[]; newcomers: UnsealedRow[] }

/** Row members are null when the row of the seal is gone. */
export type SealedRow = Seal & { rowId: string | null; createdAt: Date | null; digest: Buffer | null }

export type NamedRow = { id: string; createdAt: Date }

/** Every column, in a form that no setting changes. Named in full, so that no search path can put others in their place. */
const DIGEST = sql`pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.jsonb_build_array(
  l.seq, l.id, l.xid::text, (extract(epoch from l.created_at) * 1000000)::bigint, l.organization_id, l.project_id,
  l.event_type, l.event_metadata, l.actor_type, l.actor_id, l.actor_metadata, l.ip_address, l.user_agent,
  l.user_agent_type, l.request_id, l.result
)::text, 'UTF8'))`

const SEALED_SEQ = sql`(select sealed_seq from audit_head)`
const IN_PROGRESS = sql`array(select pg_snapshot_xip(sealed_snapshot) from audit_head)`
const SEALED_XMAX = sql`(select pg_snapshot_xmax(sealed_snapshot) from audit_head)`
/** Nothing visible has a higher one, unless the database was restored into a cluster that counts from lower. */
const VISIBLE_XMAX = sql`(select case when pg_snapshot_xmax(sealed_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
  then '18446744073709551615'::xid8 else pg_snapshot_xmax(pg_current_snapshot()) end from audit_head)`

const NEWCOMERS = sql`from audit_logs l where l.seq > ${SEALED_SEQ}`
/**
 * Rows with a lower number whose transaction ended after the last sealing began. Put so that the planner, which cannot
 * know how few they are, has no way to find them but the indexes on xid and on the number of the seal.
 */
const STRAGGLERS = sql`from (
  with late as materialized (
    select * from audit_logs where xid = any (${IN_PROGRESS})
    union all
    select * from audit_logs where xid >= ${SEALED_XMAX} and xid < ${VISIBLE_XMAX}
  )
  select * from late
  where seq <= ${SEALED_SEQ} and (select position from audit_seals where log_seq = late.seq limit 1) is null
) l`

const HEAD = sql`select key_id, position, mac, base_position, base_mac, sealed_seq, sealed_snapshot::text, signature
  from audit_head`

/** Of an organization or project. */
export const findOldestKeyId = async (db: Db): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`select id from keys
    where owner_id is not null and id::text like '______________7%' order by id limit 1`.execute(db)
  return rows[0]?.id
}

/** Whether anything was ever made that leaves a row. */
export const hasOrganizations = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ exists: boolean }>`select exists (select from organizations)`.execute(db)
  return rows[0]?.exists === true
}

/** As the first statement of a transaction: all that follow see the same moment, and may take their time. */
export const holdStill = async (tx: Tx): Promise<void> => {
  await sql`set transaction isolation level repeatable read, read only`.execute(tx)
  await sql`set local statement_timeout = 0`.execute(tx)
}

export const findHead = async (db: Db): Promise<Head | undefined> => (await sql<Head>`${HEAD}`.execute(db)).rows[0]

/** Whoever extends or shortens the chain holds this. */
export const lockHead = async (tx: Tx): Promise<Head | undefined> =>
  (await sql<Head>`${HEAD} for update`.execute(tx)).rows[0]

export const updateHead = (tx: Tx, head: Head): Promise<unknown> =>
  sql`update audit_head set key_id = ${head.keyId}, position = ${head.position}, mac = ${head.mac},
    base_position = ${head.basePosition}, base_mac = ${head.baseMac}, sealed_seq = ${head.sealedSeq},
    sealed_snapshot = ${head.sealedSnapshot}::pg_snapshot, signature = ${head.signature}`.execute(tx)

/** Visible rows without a seal, and exactly the snapshot that sees them: one statement. */
export const findUnsealed = async (tx: Tx, limit: number): Promise<Unsealed> => {
  const unsealed = (from: typeof NEWCOMERS) =>
    sql`(select coalesce(json_agg(unsealed order by seq), '[]') from
      (select l.seq, l.id, encode(${DIGEST}, 'hex') as digest ${from} order by l.seq limit ${limit}) unsealed)`
  const { rows } = await sql<Unsealed>`select pg_current_snapshot()::text as snapshot,
    ${unsealed(STRAGGLERS)} as stragglers, ${unsealed(NEWCOMERS)} as newcomers`.execute(tx)
  return rows[0] ?? { snapshot: '', stragglers: [], newcomers: [] }
}

/** Age in seconds of the oldest visible row without a seal. */
export const findOldestUnsealedAge = async (db: Db): Promise<number | undefined> => {
  const { rows } = await sql<{ age: number | null }>`
    select extract(epoch from clock_timestamp() - min(created_at))::float8 as age from (
      (select l.created_at ${NEWCOMERS} order by l.seq limit 1) union all
      (select l.created_at ${STRAGGLERS} order by l.seq limit 1)
    ) unsealed`.execute(db)
  return rows[0]?.age ?? undefined
}

export const countUnsealed = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) ${NEWCOMERS}) + (select count(*) ${STRAGGLERS}) as count`.execute(db)
  return rows[0]?.count ?? 0
}

/** The first row that has no seal although all around it were sealed. */
export const findNeverSealed = async (db: Db): Promise<NamedRow | undefined> => {
  const { rows } = await sql<NamedRow>`select l.id, l.created_at from audit_logs l
    where l.seq <= ${SEALED_SEQ} and not exists (select from audit_seals s where s.log_seq = l.seq)
      and l.seq not in (select l.seq ${STRAGGLERS})
    order by l.seq limit 1`.execute(db)
  return rows[0]
}

export const insertSeals = (tx: Tx, seals: readonly Seal[]): Promise<unknown> =>
  sql`insert into audit_seals (position, log_seq, log_id, mac)
    select * from unnest(
      ${seals.map(({ position }) => position)}::bigint[],
      ${seals.map(({ logSeq }) => logSeq)}::bigint[],
      ${seals.map(({ logId }) => logId)}::uuid[],
      ${seals.map(({ mac }) => mac)}::bytea[]
    )`.execute(tx)

export const listSealed = async (db: Db, afterPosition: number, limit: number): Promise<SealedRow[]> => {
  const { rows } = await sql<SealedRow>`
    select s.position, s.log_seq, s.log_id, s.mac, l.id as row_id, l.created_at,
      case when l.seq is not null then ${DIGEST} end as digest
    from (select * from audit_seals where position > ${afterPosition} order by position limit ${limit}) s
    left join audit_logs l on l.seq = s.log_seq
    order by s.position`.execute(db)
  return rows
}

/** Reads the whole table: only for naming a row that is not where its seal says. */
export const findRowById = async (db: Db, id: string): Promise<NamedRow | undefined> =>
  db.selectFrom('auditLogs').select(['id', 'createdAt']).where('id', '=', id).limit(1).executeTakeFirst()

/** When the oldest sealed row was made; undefined when there is none. */
export const findOldestSealedAt = async (db: Db): Promise<Date | undefined> => {
  const [oldest] = await listSealed(db, 0, 1)
  return oldest && (oldest.createdAt ?? new Date(0))
}

/** The oldest rows with their seals. */
export const deleteSealed = async (tx: Tx, rows: readonly SealedRow[]): Promise<void> => {
  const seqs = rows.map(({ logSeq }) => logSeq)
  const positions = rows.map(({ position }) => position)
  await sql`delete from audit_logs where seq = any (${seqs}::bigint[])`.execute(tx)
  await sql`delete from audit_seals where position = any (${positions}::bigint[])`.execute(tx)
}
