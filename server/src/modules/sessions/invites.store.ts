import type { Generated } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type InviteTable = { membershipId: string; codeHash: Buffer; expiresAt: Date; createdAt: Generated<Date> }

declare module '../../platform/db/db.ts' {
  interface Tables {
    organizationInvites: InviteTable
  }
}

type NewInvite = { membershipId: string; codeHash: Buffer; expiresAt: Date }

/** Replaces the one there was. */
export const put = (tx: Tx, invite: NewInvite): Promise<unknown> =>
  tx
    .insertInto('organizationInvites')
    .values(invite)
    .onConflict((conflict) => conflict.column('membershipId').doUpdateSet(invite))
    .execute()

/** Whoever gets it has used it up. */
export const take = (tx: Tx, membershipId: string, codeHash: Buffer): Promise<NewInvite | undefined> =>
  tx
    .deleteFrom('organizationInvites')
    .where('membershipId', '=', membershipId)
    .where('codeHash', '=', codeHash)
    .returning(['membershipId', 'codeHash', 'expiresAt'])
    .executeTakeFirst()

export const deleteExpired = async (db: Db, now: Date, max: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('organizationInvites')
    .where('membershipId', 'in', (query) =>
      query.selectFrom('organizationInvites').select('membershipId').where('expiresAt', '<=', now).limit(max),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
