import { notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/uuid.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database, Db, Tx } from '../../platform/db/db.ts'
import type { AuditLog } from '../audit/audit.service.ts'
import type { UserActor } from '../permissions/actor.ts'
import * as store from './users.store.ts'

export type { User } from './users.store.ts'

type Deps = { db: Database; audit: AuditLog; changes: ChangeFeed }
type NewUser = {
  email: string
  firstName?: string | undefined
  lastName?: string | undefined
  passwordHash?: string | undefined
  isAccepted: boolean
  isInstanceAdmin: boolean
}
type Account = { firstName: string; lastName?: string | null | undefined; passwordHash: string }

/** People. Their username is their email address, in lower case. */
export class UserService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(actor: UserActor): Promise<store.User> {
    const user = await store.findById(this.#deps.db.pool, actor.id)
    if (!user) throw notFound(`User with id '${actor.id}' not found`)
    return user
  }

  async rename(actor: UserActor, names: { firstName: string; lastName: string }): Promise<store.User> {
    return this.#deps.db.transaction(async (tx) => {
      const user = await this.#update(tx, actor.id, names)
      await this.#deps.audit.record(tx, actor, {
        type: 'update-user-name',
        organizationId: actor.organizationId,
        metadata: { userId: actor.id },
      })
      return user
    })
  }

  /** Undefined when there is a user of that address already. */
  create(tx: Tx, { email, firstName, lastName, passwordHash, isAccepted, isInstanceAdmin }: NewUser) {
    const address = email.toLowerCase()
    return store.insert(tx, {
      id: newId(),
      username: address,
      email: address,
      firstName: firstName ?? null,
      lastName: lastName ?? null,
      passwordHash: passwordHash ?? null,
      isAccepted,
      isEmailVerified: isAccepted,
      isInstanceAdmin,
    })
  }

  find(db: Db, email: string): Promise<store.User | undefined> {
    return store.findByUsername(db, email.toLowerCase())
  }

  findWithHash(db: Db, email: string) {
    return store.findWithHash(db, email.toLowerCase())
  }

  /** Undefined when it is gone; otherwise nobody else changes it until the end of the transaction. */
  lock(tx: Tx, id: string): Promise<store.User | undefined> {
    return store.lockById(tx, id)
  }

  /** Makes someone who was only invited a user who can log in. */
  completeAccount(tx: Tx, id: string, { lastName = null, ...account }: Account): Promise<store.User> {
    return this.#update(tx, id, { ...account, lastName, isAccepted: true, isEmailVerified: true })
  }

  /** Whoever calls this also ends the user's sessions. */
  setPasswordHash(tx: Tx, id: string, passwordHash: string): Promise<store.User> {
    return this.#update(tx, id, { passwordHash })
  }

  async #update(tx: Tx, id: string, changes: store.UserChanges): Promise<store.User> {
    const user = await store.update(tx, id, changes)
    if (!user) throw notFound(`User with id '${id}' not found`)
    await this.#deps.changes.append(tx, { scope: `actor:${id}`, kind: 'user-changed' })
    return user
  }
}
