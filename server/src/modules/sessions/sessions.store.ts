import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type SessionTable = {
  id: string
  userId: string
  ip: string
  userAgent: string
  authMethod: string
  accessVersion: Generated<number>
  refreshVersion: Generated<number>
  refreshedAt: Date | null
  endedAt: Date | null
  lastUsedAt: Date
  expiresAt: Date
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    sessions: SessionTable
  }
}

export type Session = Selectable<SessionTable>
type Device = Pick<Session, 'userId' | 'ip' | 'userAgent'>

const LISTED_MAX = 1_000

export const insert = (tx: Tx, row: Omit<Insertable<SessionTable>, 'refreshedAt' | 'endedAt'>): Promise<Session> =>
  tx
    .insertInto('sessions')
    .values({ ...row, refreshedAt: null, endedAt: null })
    .returningAll()
    .executeTakeFirstOrThrow()

export const lock = (tx: Tx, id: string): Promise<Session | undefined> =>
  tx.selectFrom('sessions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const findById = (db: Db, id: string): Promise<Session | undefined> =>
  db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()

export const rotate = (tx: Tx, id: string, { now, expiresAt }: { now: Date; expiresAt: Date }): Promise<Session> =>
  tx
    .updateTable('sessions')
    .set({
      refreshVersion: sql`refresh_version + 1`,
      refreshedAt: now,
      lastUsedAt: now,
      expiresAt,
      updatedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const touch = (db: Db, id: string, now: Date): Promise<unknown> =>
  db.updateTable('sessions').set({ lastUsedAt: now }).where('id', '=', id).execute()

/** Those of the user that had not ended: one of them, or all. No token of theirs is good for anything after that. */
export const end = async (
  tx: Tx,
  { userId, id, now }: { userId: string; id?: string | undefined; now: Date },
): Promise<string[]> => {
  const ended = await tx
    .updateTable('sessions')
    .set({
      accessVersion: sql`access_version + 1`,
      refreshVersion: sql`refresh_version + 1`,
      endedAt: now,
      updatedAt: sql`now()`,
    })
    .where('userId', '=', userId)
    .where('endedAt', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning('id')
    .execute()
  return ended.map((session) => session.id)
}

/** All but the latest of one device, so that a program which only ever logs in leaves a bounded number behind. */
export const deleteOldest = async (tx: Tx, { userId, ip, userAgent }: Device, keptMax: number): Promise<string[]> => {
  const deleted = await tx
    .deleteFrom('sessions')
    .where('id', 'in', (query) =>
      query
        .selectFrom('sessions')
        .select('id')
        .where('userId', '=', userId)
        .where('ip', '=', ip)
        .where('userAgent', '=', userAgent)
        .orderBy('lastUsedAt', 'desc')
        .orderBy('id', 'desc')
        .offset(keptMax),
    )
    .returning('id')
    .execute()
  return deleted.map(({ id }) => id)
}

export const list = (db: Db, userId: string, now: Date): Promise<Session[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', userId)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(LISTED_MAX)
    .execute()

export const deleteExpired = async (db: Db, now: Date, max: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', 'in', (query) => query.selectFrom('sessions').select('id').where('expiresAt', '<=', now).limit(max))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export type SessionGrant = NonNullable<Awaited<ReturnType<typeof findGrant>>>

/** What a session lets its user do, with the state of the user's membership in one organization. */
export const findGrant = (
  db: Db,
  { sessionId, userId, organizationId }: { sessionId: string; userId: string; organizationId?: string | undefined },
) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('users as user', 'user.id', 'session.userId')
    .leftJoin('organizationMemberships as membership', (join) =>
      join
        .onRef('membership.userId', '=', 'user.id')
        .on('membership.organizationId', '=', sql<string>`${organizationId ?? null}::uuid`),
    )
    .select([
      'session.accessVersion',
      'session.lastUsedAt',
      'user.email',
      'user.username',
      'user.isAccepted',
      'user.isInstanceAdmin',
      'membership.status as membershipStatus',
      'membership.isActive as isMembershipActive',
    ])
    .where('session.id', '=', sessionId)
    .where('session.userId', '=', userId)
    .executeTakeFirst()
