import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import type { Database } from '../../platform/db/db.ts'
import { ActorNews } from './actor-news.ts'
import type { MemberOrder } from './member-order.ts'
import * as store from './member-orders.store.ts'

/** An order that is kept up to date, with how much of the news it knows. */
export type Listing = {
  readonly number: number
  readonly order: MemberOrder
  readonly loadedSize: number
  position: number
  /** Goes up with every change of anyone in it. */
  version: number
  refreshing?: Promise<void> | undefined
}

/** Of members in all listings: about 60 bytes each. */
const KEPT_MEMBERS_MAX = 300_000
const LISTING_WEIGHT = 50
/** Looking for one member takes about a nanosecond for each there is. Beyond this, loading anew is no slower. */
const COMPARISONS_MAX = 20_000_000

type Deps = { db: Database; changes: ChangeFeed }

/**
 * The orders of everyone that the lists of a group show. A change of one of them puts that one in its new place instead
 * of loading them all again, so that any page of any list costs the same.
 */
export class MemberOrders {
  readonly #db: Database
  readonly #news: ActorNews
  readonly #listings: TrustedCache<Listing>
  #loaded = 0

  constructor({ db, changes }: Deps) {
    this.#db = db
    this.#news = new ActorNews(changes)
    this.#listings = new TrustedCache(changes, KEPT_MEMBERS_MAX, ({ order }) => LISTING_WEIGHT + order.size)
  }

  /** Knows of everything that was known when it was asked for. Undefined when there is no such group. */
  async current(roll: store.Roll): Promise<Listing | undefined> {
    const { groupId, organizationId } = roll
    const key = [organizationId, groupId, roll.key].join(' ')
    const tags = [`group:${groupId}`]
    const load = () => this.#load(roll)
    const listing = await this.#listings.get(key, tags, load)
    if (!listing) return undefined

    // A refresh that is running already may have begun too early, the one after it cannot have.
    for (const isRunning of [listing.refreshing !== undefined, false]) {
      const changed = this.#news.since(listing.position)
      if (!changed || hasOutgrown(listing) || changed.length * listing.order.size > COMPARISONS_MAX) {
        return this.#listings.reload(key, tags, load)
      }
      if (changed.length > 0) await this.#refresh(roll, listing, changed)
      if (!isRunning) break
    }
    return listing
  }

  async #load(roll: store.Roll): Promise<Listing | undefined> {
    const { position } = this.#news
    const order = await store.loadOrder(this.#db.pool, roll)
    return order && { number: ++this.#loaded, order, loadedSize: order.size, position, version: 0 }
  }

  /** One at a time for each listing, so that older answers never overwrite newer ones. */
  #refresh(roll: store.Roll, listing: Listing, changed: readonly string[]): Promise<void> {
    listing.refreshing ??= this.#refreshNow(roll, listing, changed).finally(() => (listing.refreshing = undefined))
    return listing.refreshing
  }

  async #refreshNow(roll: store.Roll, listing: Listing, changed: readonly string[]): Promise<void> {
    const { position } = this.#news
    const present = await store.listPlaces(this.#db.pool, roll, changed)
    if (listing.order.refresh(changed, present)) listing.version += 1
    listing.position = position
  }
}

/** What is kept was weighed when it was loaded: one that has doubled since is loaded, and so weighed, anew. */
const hasOutgrown = ({ order, loadedSize }: Listing): boolean => order.size > 2 * loadedSize + LISTING_WEIGHT
