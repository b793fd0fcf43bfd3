import { TrustedCache } from '../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../platform/changes/feed.ts'
import { ProcessSeal } from '../../platform/crypto/process-seal.ts'
import type { Database } from '../../platform/db/db.ts'
import { Batched } from './batched.ts'
import { contentScope, type Place } from './places.service.ts'
import type { SecretBox } from './secret-box.ts'
import { Snapshot } from './snapshot.ts'
import * as store from './secrets.store.ts'

type Deps = { db: Database; changes: ChangeFeed; box: SecretBox }
type Question = { folderId: string; userId: string | null }

const CACHED_BYTES_MAX = 48 * 1_024 * 1_024

/** The contents of folders, kept sealed and never older than what the change feed has told. */
export class Snapshots {
  readonly #deps: Deps
  readonly #cache: TrustedCache<Snapshot>
  readonly #asked: Batched<Question, store.SecretRow[]>
  readonly #seal = new ProcessSeal()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cache = new TrustedCache(deps.changes, CACHED_BYTES_MAX, ({ weightBytes }) => weightBytes)
    this.#asked = new Batched((questions) => store.listInFolders(deps.db.pool, questions))
  }

  /** What everyone sees, and beside it what one user has put over it. */
  async get(place: Place, userId: string | null = null): Promise<Snapshot> {
    const snapshot = await this.#cache.get(keyOf(place, userId), tagsOf(place), () => this.#load(place, userId))
    return must(snapshot)
  }

  /** What was missing may have been made a moment ago by another process. */
  async getAfresh(place: Place, userId: string | null = null): Promise<Snapshot> {
    const snapshot = await this.#cache.reload(keyOf(place, userId), tagsOf(place), () => this.#load(place, userId))
    return must(snapshot)
  }

  async #load(place: Place, userId: string | null): Promise<Snapshot> {
    const rows = (await this.#asked.get({ folderId: place.folderId, userId })) ?? []
    return new Snapshot(place, await this.#deps.box.open(this.#deps.db.pool, place, rows), this.#seal)
  }
}

/** What changes with the names of a project's tags. */
export const tagsScope = (projectId: string): string => `secret-tags:${projectId}`

/** A folder that gets another name is another question. */
const keyOf = ({ folderId, environment, path }: Place, userId: string | null): string =>
  `${folderId} ${userId ?? ''} ${environment} ${path}`
const tagsOf = ({ folderId, projectId }: Place): string[] => [contentScope(folderId), tagsScope(projectId)]

const must = (snapshot: Snapshot | undefined): Snapshot => {
  if (!snapshot) throw new Error('A folder was loaded without content')
  return snapshot
}
