import { unavailable } from '../../lib/app-error.ts'
import type { Database, Db, Tx } from '../db/db.ts'
import { generateDataKey, type DataKey } from './data-key.ts'
import * as store from './keys.store.ts'
import { RecentMap } from './recent-map.ts'
import { establishRootKey } from './root-key-check.ts'
import type { RootKey, RootKeys } from './root-key.ts'
import { findActiveId } from './root-keys.store.ts'
import { unwrap, wrap } from './wrapping.ts'

type Deps = { db: Database; roots: RootKeys }

/** About 300 bytes each. */
const KEYS_MAX = 10_000
/** A root key rotation may begin between two steps of making a key, but not again and again. */
const CREATE_ATTEMPTS_MAX = 3

/**
 * Every key but the root key. Purposes are chosen by their users; the owner is an organization or project, or null for
 * the installation's own. Inside a transaction pass the transaction: it holds the only connection one may use.
 */
export class Keyring {
  readonly #db: Database
  readonly #roots: RootKeys
  /** Keys never change under their id, so these are right for ever. */
  readonly #byId = new RecentMap<DataKey>(KEYS_MAX)
  #active = new RecentMap<DataKey>(KEYS_MAX)
  readonly #loading = new Map<string, Promise<DataKey | undefined>>()

  constructor({ db, roots }: Deps) {
    this.#db = db
    this.#roots = roots
  }

  /** After migrating: ties a new database to the root key; throws `RootKeyError` when it belongs to another. */
  establish(): Promise<void> {
    return establishRootKey(this.#db.pool, this.#roots)
  }

  /** The active key, made when there is none yet. */
  async ensure(db: Db, purpose: string, ownerId: string | null): Promise<DataKey> {
    const key = await this.#findActive(db, purpose, ownerId)
    if (key) return key
    await this.#create(db, purpose, ownerId)
    // Found, it is remembered like any other.
    return this.active(db, purpose, ownerId)
  }

  /** The active key, which must be there. */
  async active(db: Db, purpose: string, ownerId: string | null): Promise<DataKey> {
    const key = await this.#findActive(db, purpose, ownerId)
    if (!key) throw new Error(`There is no active ${purpose} key of ${ownerId ?? 'the installation'}`)
    return key
  }

  /** A key that a stored value names, which must be there. */
  async byId(db: Db, id: string): Promise<DataKey> {
    const key = this.#byId.get(id) ?? (await this.#share(db, id, () => this.#open(store.findById(db, id))))
    if (!key) throw new Error(`There is no key ${id}`)
    return key
  }

  /** Active and retired, newest first. */
  async list(db: Db, purpose: string, ownerId: string | null): Promise<DataKey[]> {
    const rows = await store.list(db, purpose, ownerId)
    return Promise.all(rows.map((row) => this.#unwrap(row)))
  }

  /** Retires the active key, which goes on opening what it sealed, and makes a new one. */
  async replace(tx: Tx, purpose: string, ownerId: string | null): Promise<DataKey> {
    await store.retireActive(tx, purpose, ownerId)
    this.#db.afterCommit(tx, () => this.forget())
    return this.#create(tx, purpose, ownerId)
  }

  /** Together with what they sealed: nobody can open a copy of that any more, except with a copy of the keys. */
  destroyOwnedBy(tx: Tx, ownerId: string): Promise<void> {
    return store.deleteOwnedBy(tx, ownerId)
  }

  /** Asks the database again which keys are active. A process that has not heard yet uses a retired one, which is harmless. */
  forget(): void {
    this.#active = new RecentMap(KEYS_MAX)
  }

  async #findActive(db: Db, purpose: string, ownerId: string | null): Promise<DataKey | undefined> {
    const name = `${purpose} ${ownerId ?? ''}`
    // A load that `forget` overtakes stores into the map that was thrown away.
    const active = this.#active
    const known = active.get(name)
    if (known) return known

    const key = await this.#share(db, name, () => this.#open(store.findActive(db, purpose, ownerId)))
    // What a transaction sees may still be rolled back.
    if (key && db === this.#db.pool) active.set(name, key)
    return key
  }

  async #create(db: Db, purpose: string, ownerId: string | null): Promise<DataKey> {
    for (let attempt = 1; attempt <= CREATE_ATTEMPTS_MAX; attempt++) {
      const key = generateDataKey()
      const isNew = await store.insertActive(db, wrap(await this.#activeRoot(db), key, { purpose, ownerId }))
      if (isNew) return key
      const existing = await this.#open(store.findActive(db, purpose, ownerId))
      if (existing) return existing
    }
    throw unavailable('The root key is being rotated, please try again', { retryAfterSeconds: 1 })
  }

  async #activeRoot(db: Db): Promise<RootKey> {
    const id = await findActiveId(db)
    if (id === undefined) throw new Error('The database is not tied to a root key yet')
    return this.#root(id)
  }

  async #open(found: Promise<store.KeyRow | undefined>): Promise<DataKey | undefined> {
    const row = await found
    return row && this.#unwrap(row)
  }

  async #unwrap(row: store.KeyRow): Promise<DataKey> {
    const known = this.#byId.get(row.id)
    if (known) return known
    const root = await this.#root(row.rootKeyId)
    try {
      const key = unwrap(root, row)
      this.#byId.set(key.id, key)
      return key
    } catch (cause) {
      throw new Error(`The key ${row.id} was changed in the database and cannot be opened`, { cause })
    }
  }

  async #root(id: string): Promise<RootKey> {
    const root = await this.#roots.findAfresh(id)
    if (!root) throw unavailable('The root key has been changed, and this server was not given the new one yet')
    return root
  }

  /** One load at a time for each name; a transaction loads for itself, since others may not depend on its end. */
  async #share(db: Db, name: string, load: () => Promise<DataKey | undefined>): Promise<DataKey | undefined> {
    if (db !== this.#db.pool) return load()
    const underWay = this.#loading.get(name)
    if (underWay) return underWay
    const loading = load().finally(() => this.#loading.delete(name))
    this.#loading.set(name, loading)
    return loading
  }
}
