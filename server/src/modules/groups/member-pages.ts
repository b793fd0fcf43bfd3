import { RecentMap } from '../../platform/crypto/recent-map.ts'
import type { Database } from '../../platform/db/db.ts'
import * as store from './group-members.store.ts'
import type { Slice } from './member-order.ts'
import type { Listing, MemberOrders } from './member-orders.ts'

export type MemberPage = { members: store.ShownMember[]; totalCount: number }

/** A page has up to a hundred members, about 60 kB. */
const PAGES_MAX = 200

type Deps = { db: Database; orders: MemberOrders }

/** Pages of the members of groups. */
export class MemberPages {
  readonly #deps: Deps
  readonly #pages = new RecentMap<MemberPage>(PAGES_MAX)

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Undefined when there is no such group. */
  async find(selection: store.Selection, slice: Slice): Promise<MemberPage | undefined> {
    const listing = await this.#deps.orders.current(store.rollOf(selection))
    return listing && this.#page(selection.groupId, listing, slice)
  }

  async #page(groupId: string, listing: Listing, slice: Slice): Promise<MemberPage> {
    const { offset, limit, orderDirection } = slice
    const { number, version } = listing
    const key = [number, version, offset, limit, orderDirection].join(' ')
    const kept = this.#pages.get(key)
    if (kept) return kept

    const totalCount = listing.order.size
    const ids = listing.order.slice(slice)
    const found = ids.length === 0 ? [] : await store.listMembers(this.#deps.db.pool, groupId, ids)
    const rows = new Map(found.map((row) => [row.id, row]))
    // Who went a moment ago is missing here before the news of it arrives: that page is not kept.
    const members = ids.flatMap((id) => rows.get(id) ?? [])
    const page = { members, totalCount: totalCount - (ids.length - members.length) }
    if (members.length === ids.length && listing.version === version) this.#pages.set(key, page)
    return page
  }
}
