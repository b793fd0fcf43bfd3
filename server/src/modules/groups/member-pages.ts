import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import { RecentMap } from '../../platform/crypto/recent-map.ts'
import type { Database } from '../../platform/db/db.ts'
import { ActorNews } from './actor-news.ts'
import * as store from './group-members.store.ts'
import type { MemberOrder, Slice } from './member-order.ts'

export type MemberPage = { members: store.ShownMember[]; totalCount: number }

/** An order that is kept up to date, with how much of the news it knows. */
type Listing = {
  readonly number: number
  readonly order: MemberOrder
  position: number
  /** Goes up with every change of anyone in it. */
  version: number
  refreshing?: Promise<void> | undefined
}

/** Of members in all listings: about 60 bytes each. */
const KEPT_MEMBERS_MAX = 300_000
const LISTING_WEIGHT = 50
/** A page has up to a hundred members, about 60 kB. */
const PAGES_MAX = 200
/** Looking for one member takes about a nanosecond for each there is. Beyond this, loading anew is no slower. */
const COMPARISONS_MAX = 20_000_000

type Deps = { db: Database; changes: ChangeFeed }

/**
 * Pages of the members of groups. Any page of any group costs the same: the order of all members is kept, and a change of
 * one of them puts that one in its new place instead of loading them all again.
 */
export class MemberPages {
  readonly #db: Database
  readonly #news: ActorNews
  readonly #listings: TrustedCache<Listing>
  readonly #pages = new RecentMap<MemberPage>(PAGES_MAX)
  #loaded = 0

  constructor({ db, changes }: Deps) {
    this.#db = db
    this.#news = new ActorNews(changes)
    this.#listings = new TrustedCache(changes, KEPT_MEMBERS_MAX, ({ order }) => LISTING_WEIGHT + order.size)
  }

  /** Undefined when there is no such group. */
  async find(selection: store.Selection, slice: Slice): Promise<MemberPage | undefined> {
    const listing = await this.#current(selection)
    return listing && this.#page(selection.groupId, listing, slice)
  }

  /** Knows of everything that was known when it was asked for. */
  async #current(selection: store.Selection): Promise<Listing | undefined> {
    const { groupId, organizationId, types, search = '' } = selection
    const key = [organizationId, groupId, [...types].sort().join('+'), search].join(' ')
    const tags = [`group:${groupId}`]
    const load = () => this.#load(selection)
    const listing = await this.#listings.get(key, tags, load)
    if (!listing) return undefined

    // A refresh that is running already may have begun too early, the one after it cannot have.
    for (const isRunning of [listing.refreshing !== undefined, false]) {
      const changed = this.#news.since(listing.position)
      if (!changed || changed.length * listing.order.size > COMPARISONS_MAX) {
        return this.#listings.reload(key, tags, load)
      }
      if (changed.length > 0) await this.#refresh(selection, listing, changed)
      if (!isRunning) break
    }
    return listing
  }

  async #load(selection: store.Selection): Promise<Listing | undefined> {
    const { position } = this.#news
    const order = await store.loadOrder(this.#db.pool, selection)
    return order && { number: ++this.#loaded, order, position, version: 0 }
  }

  /** One at a time for each listing, so that older answers never overwrite newer ones. */
  #refresh(selection: store.Selection, listing: Listing, changed: readonly string[]): Promise<void> {
    listing.refreshing ??= this.#refreshNow(selection, listing, changed).finally(() => (listing.refreshing = undefined))
    return listing.refreshing
  }

  async #refreshNow(selection: store.Selection, listing: Listing, changed: readonly string[]): Promise<void> {
    const { position } = this.#news
    const present = await store.listPlaces(this.#db.pool, selection, changed)
    if (listing.order.refresh(changed, present)) listing.version += 1
    listing.position = position
  }

  async #page(groupId: string, listing: Listing, slice: Slice): Promise<MemberPage> {
    const { offset, limit, orderDirection } = slice
    const { number, version } = listing
    const key = [number, version, offset, limit, orderDirection].join(' ')
    const kept = this.#pages.get(key)
    if (kept) return kept

    const totalCount = listing.order.size
    const ids = listing.order.slice(slice)
    const found = ids.length === 0 ? [] : await store.listMembers(this.#db.pool, groupId, ids)
    const rows = new Map(found.map((row) => [row.id, row]))
    // Who went a moment ago is missing here before the news of it arrives: that page is not kept.
    const members = ids.flatMap((id) => rows.get(id) ?? [])
    const page = { members, totalCount: totalCount - (ids.length - members.length) }
    if (members.length === ids.length && listing.version === version) this.#pages.set(key, page)
    return page
  }
}
