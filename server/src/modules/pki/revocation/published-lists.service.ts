import { notFound } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import { TrustedCache } from '../../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import { toPem } from '../x509/pem.ts'
import { scopeOf } from './list-maker.ts'
import * as store from './lists.store.ts'

type Deps = { db: Database; changes: ChangeFeed; clock: Clock }

export type ListForm = 'der' | 'pem' | 'delta'

export type ServedList = {
  body: Buffer
  /** Another one for each list, and for each form of it. */
  entityTag: string
  publishedAt: Date
  /** How long a copy may be used without asking again. */
  freshSeconds: number
}

type Kept = Omit<ServedList, 'freshSeconds'> & { nextUpdate: Date }

const CACHED_BYTES_MAX = 32 * 1_024 * 1_024
const FRESH_SECONDS_MAX = 3_600

/** Hands out revocation lists to whoever asks, also those of authorities that are gone. */
export class PublishedLists {
  readonly #deps: Deps
  readonly #cache: TrustedCache<Kept>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cache = new TrustedCache(deps.changes, CACHED_BYTES_MAX, ({ body }) => body.length)
  }

  async get(id: string, form: ListForm): Promise<ServedList> {
    const kept = isUuid(id)
      ? await this.#cache.get(`${form} ${id}`, [scopeOf(id)], () => this.#load(id, form))
      : undefined
    if (!kept) throw notFound(`Revocation list '${id}' not found`)
    const { nextUpdate, ...list } = kept
    const leftSeconds = Math.floor((nextUpdate.getTime() - this.#deps.clock.now()) / 1_000)
    return { ...list, freshSeconds: Math.max(0, Math.min(leftSeconds, FRESH_SECONDS_MAX)) }
  }

  async #load(id: string, form: ListForm): Promise<Kept | undefined> {
    const list = await store.findPublished(this.#deps.db.pool, id, form === 'delta' ? 'deltaDer' : 'der')
    if (!list) return undefined
    const { number, thisUpdate, nextUpdate, der } = list
    return {
      body: form === 'pem' ? Buffer.from(toPem('X509 CRL', der), 'latin1') : der,
      // With the time, because a restored database may give out a number again.
      entityTag: `"${form}-${number}-${thisUpdate.getTime() / 1_000}"`,
      publishedAt: thisUpdate,
      nextUpdate,
    }
  }
}
