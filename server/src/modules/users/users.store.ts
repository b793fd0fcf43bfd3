import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../platform/db/db.ts'

type UserTable = {
  id: string
  username: string
  email: string
  firstName: string | null
  lastName: string | null
  passwordHash: string | null
  isAccepted: Generated<boolean>
  isEmailVerified: Generated<boolean>
  isInstanceAdmin: Generated<boolean>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

declare module '../../platform/db/db.ts' {
  interface Tables {
    users: UserTable
  }
}

/** Never with the hash: whoever needs that asks for it by name. */
export type User = Omit<Selectable<UserTable>, 'passwordHash'>
export type UserChanges = Pick<
  Updateable<UserTable>,
  'firstName' | 'lastName' | 'passwordHash' | 'isAccepted' | 'isEmailVerified'
>

const COLUMNS = [
  'id',
  'username',
  'email',
  'firstName',
  'lastName',
  'isAccepted',
  'isEmailVerified',
  'isInstanceAdmin',
  'createdAt',
  'updatedAt',
] as const

/** Undefined when the username is taken. */
export const insert = (tx: Tx, row: Insertable<UserTable>): Promise<User | undefined> =>
  tx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()

export const update = (tx: Tx, id: string, changes: UserChanges): Promise<User | undefined> =>
  tx
    .updateTable('users')
    .set({ ...changes, updatedAt: sql`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()

export const findById = (db: Db, id: string): Promise<User | undefined> =>
  db.selectFrom('users').select(COLUMNS).where('id', '=', id).executeTakeFirst()

export const findByUsername = (db: Db, username: string): Promise<User | undefined> =>
  db.selectFrom('users').select(COLUMNS).where('username', '=', username).executeTakeFirst()

export const lockById = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.selectFrom('users').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()

export const findWithHash = (db: Db, username: string): Promise<(User & { passwordHash: string | null }) | undefined> =>
  db
    .selectFrom('users')
    .select([...COLUMNS, 'passwordHash'])
    .where('username', '=', username)
    .executeTakeFirst()
