import type { Database } from '../../platform/db/db.ts'
import * as store from './group-candidates.store.ts'
import type { MemberOrders } from './member-orders.ts'
import type { Roll } from './member-orders.store.ts'

type Deps = { db: Database; orders: MemberOrders }
type Page<Row> = { rows: Row[]; totalCount: number }
type Target = { organizationId: string; groupId: string }
type Slice = { offset: number; limit: number }
type Lookup<Row> = (ids: readonly string[]) => Promise<Row[]>

/** Pages of everyone in the organization of a group, told whether they are in it. Undefined when there is no such group. */
export class CandidatePages {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  findUsers(group: Target, filter: store.UsersFilter, slice: Slice): Promise<Page<store.ListedUser> | undefined> {
    const target = { ...group, isMember: filter.isMember }
    return this.#find(store.usersOf(group, filter), slice, (ids) => store.listUsers(this.#deps.db.pool, target, ids))
  }

  findIdentities(
    group: Target,
    filter: store.IdentitiesFilter,
    slice: Slice,
  ): Promise<Page<store.ListedIdentity> | undefined> {
    const target = { ...group, isMember: filter.isMember }
    const lookup: Lookup<store.ListedIdentity> = (ids) => store.listIdentities(this.#deps.db.pool, target, ids)
    return this.#find(store.identitiesOf(group, filter), slice, lookup)
  }

  async #find<Row extends { id: string }>(roll: Roll, slice: Slice, lookup: Lookup<Row>) {
    const listing = await this.#deps.orders.current(roll)
    if (!listing) return undefined
    const totalCount = listing.order.size
    const ids = listing.order.slice({ ...slice, orderDirection: 'asc' })
    const found = new Map((ids.length === 0 ? [] : await lookup(ids)).map((row) => [row.id, row]))
    // Who went a moment ago is missing here before the news of it arrives.
    const rows = ids.flatMap((id) => found.get(id) ?? [])
    return { rows, totalCount: totalCount - (ids.length - rows.length) }
  }
}
